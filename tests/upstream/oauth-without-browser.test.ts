import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Definition } from '../../src/model/index.js';
import { signedIn } from '../../src/upstream/oauth/index.js';
import { startAuthorizationServer } from '../fixtures/oauth/authorization-server.js';
import { IDP_CLIENT, startIdentityProvider } from '../fixtures/oauth/identity-provider.js';
import { startResourceServer } from '../fixtures/oauth/resource-server.js';
import { admitted, callSecret, signInWith } from '../fixtures/oauth/signing-in.js';
import { world } from '../fixtures/oauth/world.js';
import { configure, portolan } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

const BEHIND = [{ type: 'text', text: 'behind the lock' }];

/** A client that proves itself by what it signs. */
function keyClient(publicKey: KeyObject, more: object = {}) {
  return {
    client_id: 'one-with-a-key',
    redirect_uris: [],
    response_types: [],
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'private_key_jwt',
    scope: 'mcp:read mcp:write',
    jwks: { keys: [publicKey.export({ format: 'jwk' })] },
    ...more,
  };
}

const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ED = generateKeyPairSync('ed25519');
const PKCS8 = EC.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const BY_KEY = { grantType: 'client_credentials', clientId: 'one-with-a-key' };

/** What nobody may see of a key: its lines. */
const linesOf = (pem: string) => pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));

describe('a program with a key of its own', () => {
  it.each([
    { title: 'EC as PKCS#8', pair: EC, pem: PKCS8 },
    { title: 'EC as SEC1', pair: EC, pem: EC.privateKey.export({ type: 'sec1', format: 'pem' }).toString() },
    { title: 'RSA as PKCS#1', pair: RSA, pem: RSA.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() },
    { title: 'Ed25519', pair: ED, pem: ED.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
    { title: 'EC with its line breaks written out', pair: EC, pem: PKCS8.replaceAll('\n', '\\n') },
  ])('gets its token without a browser: $title', async ({ pair, pem }) => {
    await using here = await world({ clients: [keyClient(pair.publicKey)] });
    const server = admitted(here.resource.mcp, { oauth: { ...BY_KEY, privateKey: pem } });
    expect(await callSecret(server, here.store)).toEqual(BEHIND);
    expect(here.authorization.grants).toEqual(['client_credentials given']);
    expect(signedIn(here.store)).toEqual([
      expect.objectContaining({ server: 'locked', issuer: here.authorization.issuer, renews: true }),
    ]);
    const kept = readFileSync(here.store.path, 'utf8');
    expect(linesOf(pem).filter((line) => kept.includes(line))).toEqual([]);
  });

  it('reads the file of its key anew for each token, from beside its entry', async () => {
    using machine = makeMachine();
    const second = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const client = keyClient(EC.publicKey);
    const keys = [EC, second].map(({ publicKey }) => publicKey.export({ format: 'jwk' }));
    await using here = await world({ clients: [{ ...client, jwks: { keys } }] });
    const oauth = { ...BY_KEY, privateKeyFile: 'key.pem' };
    const server = admitted(here.resource.mcp, { oauth, source: join(machine.home, 'mcp.json') });
    expect(await callSecret(server, here.store)).toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining('the file for its private key does not exist: key.pem'),
    });
    for (const { privateKey } of [EC, second]) {
      writeFileSync(join(machine.home, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
      await here.store.remove(here.resource.mcp);
      expect((await signInWith(server, here.store)).outcome).toMatchObject({ server: 'locked' });
    }
    expect(here.authorization.grants).toEqual(['client_credentials given', 'client_credentials given']);
  });

  it('gets a new token by itself when the old one is over, once for ten calls', async () => {
    await using here = await world({ clients: [keyClient(EC.publicKey)] });
    const server = admitted(here.resource.mcp, { oauth: { ...BY_KEY, privateKey: PKCS8 } });
    await callSecret(server, here.store);
    const credential = here.store.find(here.resource.mcp);
    if (!credential) throw new Error('nobody is signed in');
    await here.store.save({ ...credential, obtainedAt: Date.now() - 60_000, expiresAt: Date.now() - 1 });
    const all = await Promise.all(Array.from({ length: 10 }, () => callSecret(server, here.store)));
    expect(all).toEqual(Array(10).fill(BEHIND));
    expect(here.authorization.grants).toEqual(['client_credentials given', 'client_credentials given']);
  });

  it('asks for more rights with the next sign-in when the server wanted more', async () => {
    await using here = await world({ clients: [keyClient(EC.publicKey)], scopes: ['mcp:write'] });
    const server = admitted(here.resource.mcp, { oauth: { ...BY_KEY, privateKey: PKCS8 } });
    await signInWith(
      admitted(here.resource.mcp, { oauth: { ...BY_KEY, privateKey: PKCS8, scope: 'mcp:read' } }),
      here.store,
    );
    const before = here.store.find(here.resource.mcp);
    if (!before) throw new Error('nobody is signed in');
    await here.store.save({ ...before, wanted: 'mcp:write' });
    const { outcome } = await signInWith(server, here.store);
    expect(outcome).toMatchObject({ scope: expect.stringMatching(/^(mcp:read mcp:write|mcp:write mcp:read)$/) });
    expect(await callSecret(server, here.store)).toEqual(BEHIND);
  });

  it.each<{ title: string; more: Definition['oauth']; message: string }>([
    { title: 'no key', more: {}, message: 'locked has no secret or key to sign in with' },
    {
      title: 'no client',
      more: { clientId: '', privateKey: PKCS8 },
      message: 'locked has no client id to sign in with',
    },
    { title: 'text that is no key', more: { privateKey: 'hidden-text' }, message: 'cannot be read as PEM' },
    {
      title: 'a key with a passphrase',
      more: {
        privateKey: EC.privateKey
          .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
          .toString(),
      },
      message: 'its private key has a passphrase',
    },
    { title: 'a variable that is not there', more: { privateKey: '${NO_KEY}' }, message: 'no value: ${NO_KEY}' },
    {
      title: 'an algorithm that is not for the key',
      more: { privateKey: PKCS8, signingAlgorithm: 'RS256' },
      message: 'supported: ES256',
    },
  ])('says what is wrong with $title, and asks nobody', async ({ more, message }) => {
    await using here = await world({ clients: [keyClient(EC.publicKey)] });
    const error = await callSecret(admitted(here.resource.mcp, { oauth: { ...BY_KEY, ...more } }), here.store);
    expect(error).toMatchObject({ code: 'SETTINGS_INVALID', message: expect.stringContaining(message) });
    expect(JSON.stringify([String((error as Error).stack), error])).not.toContain('hidden-text');
    expect(here.authorization.grants).toEqual([]);
  });

  it('may name no file where a project wrote its entry: any file could be sent anywhere', async () => {
    await using here = await world({ clients: [keyClient(EC.publicKey)] });
    const oauth = { ...BY_KEY, privateKeyFile: '~/.ssh/id_ed25519' };
    expect(await callSecret(admitted(here.resource.mcp, { oauth, scope: 'project' }), here.store)).toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining('an entry of a project may not name a file for its private key'),
    });
  });

  it('goes to no other authorization server than the one that its entry names', async () => {
    await using here = await world({ clients: [keyClient(EC.publicKey)] });
    const of = (issuer: string) => admitted(here.resource.mcp, { oauth: { ...BY_KEY, privateKey: PKCS8, issuer } });
    expect(await callSecret(of('https://login.company.example'), here.store)).toMatchObject({
      code: 'CONNECTION_ERROR',
      message: 'locked names a different authorization server than its entry',
    });
    expect(here.authorization.grants).toEqual([]);
    expect(await callSecret(of(`${here.authorization.issuer}/`), here.store)).toEqual(BEHIND);
  });
});

const AT_WORK = {
  client_id: 'known-at-the-server',
  client_secret: 'a-secret-that-nobody-may-see',
  redirect_uris: [],
  response_types: [],
  grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
  token_endpoint_auth_method: 'client_secret_basic',
  scope: 'mcp:read',
};

/** An authorization server that takes the word of an identity provider, and a server that it guards. */
async function company(client = AT_WORK.client_id) {
  const provider = await startIdentityProvider(client);
  const here = await world({ clients: [AT_WORK], trusts: provider });
  return {
    ...here,
    provider,
    oauth: {
      grantType: 'cross_app_access',
      clientId: AT_WORK.client_id,
      clientSecret: AT_WORK.client_secret,
      idpIssuer: provider.issuer,
      idpClientId: IDP_CLIENT.id,
      idpClientSecret: IDP_CLIENT.secret,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([here[Symbol.asyncDispose](), provider[Symbol.asyncDispose]()]);
    },
  };
}

describe('somebody whom an identity provider knows (cross-app access)', () => {
  it('is let in by its word alone', async () => {
    await using here = await company();
    const { provider, resource, authorization, store } = here;
    const server = admitted(resource.mcp, { oauth: { ...here.oauth, idpIdToken: provider.idToken() } });
    expect(await callSecret(server, store)).toEqual(BEHIND);
    expect(provider.exchanges).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        audience: authorization.issuer,
        resource: resource.mcp,
        scope: 'mcp:read',
        client_id: IDP_CLIENT.id,
        client_secret: IDP_CLIENT.secret,
      },
    ]);
    expect(authorization.grants).toEqual(['urn:ietf:params:oauth:grant-type:jwt-bearer given']);
    expect(signedIn(store)).toEqual([expect.objectContaining({ issuer: authorization.issuer, renews: true })]);
  });

  it('is let in by way of the token endpoint where the entry names that', async () => {
    await using here = await company();
    const { idpIssuer, grantType: _, ...oauth } = here.oauth;
    const more = { idpTokenEndpoint: `${idpIssuer}/token`, idpIdToken: here.provider.idToken() };
    expect(await callSecret(admitted(here.resource.mcp, { oauth: { ...oauth, ...more } }), here.store)).toEqual(BEHIND);
  });

  it('has to bring a new token when theirs is over, and no text shows the old one', async () => {
    using machine = makeMachine();
    await using here = await company();
    const path = join(machine.home, 'id-token');
    const [over, good] = [here.provider.idToken(-60), here.provider.idToken()];
    const server = admitted(here.resource.mcp, { oauth: { ...here.oauth, idpIdTokenFile: path } });
    writeFileSync(path, `${over}\n`);
    const { outcome } = await signInWith(server, here.store);
    expect(outcome).toMatchObject({
      code: 'CONNECTION_ERROR',
      message: expect.stringMatching(/^sign-in to locked failed: .*issued no grant: .*invalid_grant/),
      hint: expect.stringContaining('get a new one'),
    });
    const shown = `${JSON.stringify(outcome)} ${(outcome as Error).stack}`;
    const parts = [...over.split('.').slice(1), IDP_CLIENT.secret, AT_WORK.client_secret];
    expect(parts.filter((part) => shown.includes(part.slice(0, 20)))).toEqual([]);
    expect(here.authorization.grants).toEqual([]);
    writeFileSync(path, `${good}\n`);
    expect((await signInWith(server, here.store)).outcome).toMatchObject({ server: 'locked' });
  });

  it('is told so when the word is for another client, and no text shows it', async () => {
    await using here = await company('another-client');
    const server = admitted(here.resource.mcp, { oauth: { ...here.oauth, idpIdToken: here.provider.idToken() } });
    const { outcome } = await signInWith(server, here.store);
    expect(outcome).toMatchObject({ message: expect.stringContaining('invalid_grant: cannot use [secret]') });
    expect(`${JSON.stringify(outcome)} ${(outcome as Error).stack}`).not.toContain('eyJ');
  });

  it('is not vouched for at an authorization server that comes later', async () => {
    await using here = await company();
    await using second = await startAuthorizationServer({ clients: [AT_WORK], trusts: here.provider });
    const oauth = { ...here.oauth, idpIdToken: here.provider.idToken() };
    await callSecret(admitted(here.resource.mcp, { oauth }), here.store);
    await using moved = await startResourceServer(here.authorization, { issuers: [second.issuer] });
    const credential = here.store.find(here.resource.mcp);
    if (!credential) throw new Error('nobody is signed in');
    await here.store.save({ ...credential, resource: moved.mcp });
    const { outcome } = await signInWith(admitted(moved.mcp, { oauth }), here.store);
    expect(outcome).toMatchObject({ message: expect.stringContaining('a different authorization server than before') });
    expect([here.provider.exchanges.length, second.grants]).toEqual([1, []]);
  });

  it.each<{ title: string; without: string; message: string }>([
    { title: 'client at it', without: 'idpClientId', message: 'an identity provider needs' },
    { title: 'token of it', without: 'idpIdToken', message: 'an identity provider needs' },
    { title: 'secret', without: 'clientSecret', message: 'locked has no secret to sign in with' },
  ])('is told so when the entry has no $title', async ({ without, message }) => {
    await using here = await company();
    const all = Object.entries({ ...here.oauth, idpIdToken: here.provider.idToken() });
    const oauth = Object.fromEntries(all.filter(([name]) => name !== without));
    const { outcome } = await signInWith(admitted(here.resource.mcp, { oauth }), here.store).catch(
      (error: unknown) => ({
        outcome: error,
      }),
    );
    expect(outcome).toMatchObject({ code: 'SETTINGS_INVALID', message: expect.stringContaining(message) });
    expect(here.provider.exchanges).toEqual([]);
  });
});

describe('the whole program, with a key in a file and a token in a variable', () => {
  it('calls the tool, and shows and keeps nothing that would let another in', async () => {
    using machine = makeMachine();
    await using here = await company();
    await using keyed = await world({ clients: [keyClient(EC.publicKey)] });
    const idToken = here.provider.idToken();
    machine.write({ '~/key.pem': PKCS8 });
    configure(machine, {
      keyed: { url: keyed.resource.mcp, oauth: { ...BY_KEY, privateKeyFile: '~/key.pem' } },
      vouched: { url: here.resource.mcp, auth: { ...here.oauth, idpIdToken: '${env:WORK_TOKEN}' } },
    });
    const env = { WORK_TOKEN: idToken };
    for (const server of ['keyed', 'vouched'])
      expect(await portolan(machine, ['call', server, 'secret'], env)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('behind the lock'),
      });
    const commands = [
      ['list', '--json'],
      ['list', '--json', '--all'],
      ['why', 'keyed', '--json'],
      ['why', 'vouched'],
      ['status', '--json'],
      ['audit', '--json'],
    ];
    const shown = await Promise.all(commands.map((words) => portolan(machine, words, env)));
    expect(shown.map(({ stdout }) => stdout.length > 0)).toEqual(commands.map(() => true));
    const kept = filesUnder(machine.home).filter((path) => !/key\.pem$|mcp\.json$/.test(path));
    expect(kept.length).toBeGreaterThan(2);
    const private_ = [...linesOf(PKCS8), ...idToken.split('.').slice(1)];
    const tokens = JSON.parse(readFileSync(kept.find((path) => path.endsWith('credentials.json')) ?? '', 'utf8'));
    const access = tokens.credentials.map((one: { accessToken: string }) => one.accessToken);
    const texts = shown.map(({ stdout, stderr }) => `${stdout}${stderr}`);
    const leaked = (secrets: readonly string[], where: readonly string[]) =>
      secrets.filter((secret) => where.some((text) => text.includes(secret)));
    expect(leaked([...private_, ...access, AT_WORK.client_secret, IDP_CLIENT.secret], texts)).toEqual([]);
    expect(
      leaked(
        [...private_, IDP_CLIENT.secret],
        kept.map((path) => readFileSync(path, 'latin1')),
      ),
    ).toEqual([]);
    const others = kept.filter((path) => !path.endsWith('credentials.json'));
    expect(
      leaked(
        [...access, AT_WORK.client_secret],
        others.map((path) => readFileSync(path, 'latin1')),
      ),
    ).toEqual([]);
  });
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
