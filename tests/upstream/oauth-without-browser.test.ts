import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Definition } from '../../src/model/index.js';
import { signedIn } from '../../src/upstream/oauth/index.js';
import { startAuthorizationServer } from '../fixtures/oauth/authorization-server.js';
import { IDP_CLIENT, startIdentityProvider } from '../fixtures/oauth/identity-provider.js';
import { makeOAuthSetup } from '../fixtures/oauth/oauth-setup.js';
import { startResourceServer } from '../fixtures/oauth/resource-server.js';
import { admitted, callSecret, signInWith } from '../fixtures/oauth/sign-in-client.js';
import { configure, portolan } from '../support/client-over-stdio.js';
import { makeMachine } from '../support/machine.js';

const SECRET_CONTENT = [{ type: 'text', text: 'protected content' }];

/** A client that authenticates with a signed JWT. */
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

/** The secret lines of a PEM key. */
const linesOf = (pem: string) => pem.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));

describe('client credentials with a private key', () => {
  it.each([
    { title: 'EC as PKCS#8', pair: EC, pem: PKCS8 },
    { title: 'EC as SEC1', pair: EC, pem: EC.privateKey.export({ type: 'sec1', format: 'pem' }).toString() },
    { title: 'RSA as PKCS#1', pair: RSA, pem: RSA.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString() },
    { title: 'Ed25519', pair: ED, pem: ED.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
    { title: 'EC with escaped line breaks', pair: EC, pem: PKCS8.replaceAll('\n', '\\n') },
  ])('get a token without a browser: $title', async ({ pair, pem }) => {
    await using oauthWorld = await makeOAuthSetup({ clients: [keyClient(pair.publicKey)] });
    const server = admitted(oauthWorld.resource.mcp, { oauth: { ...BY_KEY, privateKey: pem } });
    expect(await callSecret(server, oauthWorld.store)).toEqual(SECRET_CONTENT);
    expect(oauthWorld.authorization.grants).toEqual(['client_credentials given']);
    expect(signedIn(oauthWorld.store)).toEqual([
      expect.objectContaining({ server: 'locked', issuer: oauthWorld.authorization.issuer, renews: true }),
    ]);
    const stored = readFileSync(oauthWorld.store.path, 'utf8');
    expect(linesOf(pem).filter((line) => stored.includes(line))).toEqual([]);
  });

  it('read the key file again for each token, relative to the entry', async () => {
    using machine = makeMachine();
    const second = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const client = keyClient(EC.publicKey);
    const keys = [EC, second].map(({ publicKey }) => publicKey.export({ format: 'jwk' }));
    await using oauthWorld = await makeOAuthSetup({ clients: [{ ...client, jwks: { keys } }] });
    const oauth = { ...BY_KEY, privateKeyFile: 'key.pem' };
    const server = admitted(oauthWorld.resource.mcp, { oauth, source: join(machine.home, 'mcp.json') });
    expect(await callSecret(server, oauthWorld.store)).toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining('the file for its private key does not exist: key.pem'),
    });
    for (const { privateKey } of [EC, second]) {
      writeFileSync(join(machine.home, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
      await oauthWorld.store.remove(oauthWorld.resource.mcp);
      expect((await signInWith(server, oauthWorld.store)).outcome).toMatchObject({ server: 'locked' });
    }
    expect(oauthWorld.authorization.grants).toEqual(['client_credentials given', 'client_credentials given']);
  });

  it('get a new token after the old one expired, once for ten calls', async () => {
    await using oauthWorld = await makeOAuthSetup({ clients: [keyClient(EC.publicKey)] });
    const server = admitted(oauthWorld.resource.mcp, { oauth: { ...BY_KEY, privateKey: PKCS8 } });
    await callSecret(server, oauthWorld.store);
    const credential = oauthWorld.store.find(oauthWorld.resource.mcp);
    if (!credential) throw new Error('no credential is stored');
    await oauthWorld.store.save({ ...credential, obtainedAt: Date.now() - 60_000, expiresAt: Date.now() - 1 });
    const all = await Promise.all(Array.from({ length: 10 }, () => callSecret(server, oauthWorld.store)));
    expect(all).toEqual(Array(10).fill(SECRET_CONTENT));
    expect(oauthWorld.authorization.grants).toEqual(['client_credentials given', 'client_credentials given']);
  });

  it('request more scopes with the next sign-in after the server required them', async () => {
    await using oauthWorld = await makeOAuthSetup({ clients: [keyClient(EC.publicKey)], scopes: ['mcp:write'] });
    const server = admitted(oauthWorld.resource.mcp, { oauth: { ...BY_KEY, privateKey: PKCS8 } });
    await signInWith(
      admitted(oauthWorld.resource.mcp, { oauth: { ...BY_KEY, privateKey: PKCS8, scope: 'mcp:read' } }),
      oauthWorld.store,
    );
    const before = oauthWorld.store.find(oauthWorld.resource.mcp);
    if (!before) throw new Error('no credential is stored');
    await oauthWorld.store.save({ ...before, wanted: 'mcp:write' });
    const { outcome } = await signInWith(server, oauthWorld.store);
    expect(outcome).toMatchObject({ scope: expect.stringMatching(/^(mcp:read mcp:write|mcp:write mcp:read)$/) });
    expect(await callSecret(server, oauthWorld.store)).toEqual(SECRET_CONTENT);
  });

  it.each<{ title: string; more: Definition['oauth']; message: string }>([
    { title: 'no key', more: {}, message: 'locked has no secret or key to sign in with' },
    {
      title: 'no client',
      more: { clientId: '', privateKey: PKCS8 },
      message: 'locked has no client id to sign in with',
    },
    { title: 'text that is not a key', more: { privateKey: 'hidden-text' }, message: 'cannot be read as PEM' },
    {
      title: 'a key with a passphrase',
      more: {
        privateKey: EC.privateKey
          .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
          .toString(),
      },
      message: 'its private key has a passphrase',
    },
    { title: 'a missing variable', more: { privateKey: '${NO_KEY}' }, message: 'no value: ${NO_KEY}' },
    {
      title: 'an algorithm that does not fit the key',
      more: { privateKey: PKCS8, signingAlgorithm: 'RS256' },
      message: 'supported: ES256',
    },
  ])('fail with $title before any request', async ({ more, message }) => {
    await using oauthWorld = await makeOAuthSetup({ clients: [keyClient(EC.publicKey)] });
    const error = await callSecret(
      admitted(oauthWorld.resource.mcp, { oauth: { ...BY_KEY, ...more } }),
      oauthWorld.store,
    );
    expect(error).toMatchObject({ code: 'SETTINGS_INVALID', message: expect.stringContaining(message) });
    expect(JSON.stringify([String((error as Error).stack), error])).not.toContain('hidden-text');
    expect(oauthWorld.authorization.grants).toEqual([]);
  });

  it('cannot name a key file in an entry of a project, which could send any file to any server', async () => {
    await using oauthWorld = await makeOAuthSetup({ clients: [keyClient(EC.publicKey)] });
    const oauth = { ...BY_KEY, privateKeyFile: '~/.ssh/id_ed25519' };
    expect(
      await callSecret(admitted(oauthWorld.resource.mcp, { oauth, scope: 'project' }), oauthWorld.store),
    ).toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining('an entry of a project may not name a file for its private key'),
    });
  });

  it('use no other authorization server than the issuer of the entry', async () => {
    await using oauthWorld = await makeOAuthSetup({ clients: [keyClient(EC.publicKey)] });
    const of = (issuer: string) =>
      admitted(oauthWorld.resource.mcp, { oauth: { ...BY_KEY, privateKey: PKCS8, issuer } });
    expect(await callSecret(of('https://login.company.example'), oauthWorld.store)).toMatchObject({
      code: 'CONNECTION_ERROR',
      message: 'locked names a different authorization server than its entry',
    });
    expect(oauthWorld.authorization.grants).toEqual([]);
    expect(await callSecret(of(`${oauthWorld.authorization.issuer}/`), oauthWorld.store)).toEqual(SECRET_CONTENT);
  });
});

const REGISTERED_CLIENT = {
  client_id: 'known-at-the-server',
  client_secret: 'a-secret-that-must-not-leak',
  redirect_uris: [],
  response_types: [],
  grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
  token_endpoint_auth_method: 'client_secret_basic',
  scope: 'mcp:read',
};

/** An identity provider, an authorization server that trusts it, and a server that this protects. */
async function startCompany(client = REGISTERED_CLIENT.client_id) {
  const provider = await startIdentityProvider(client);
  const oauthWorld = await makeOAuthSetup({ clients: [REGISTERED_CLIENT], trusts: provider });
  return {
    ...oauthWorld,
    provider,
    oauth: {
      grantType: 'cross_app_access',
      clientId: REGISTERED_CLIENT.client_id,
      clientSecret: REGISTERED_CLIENT.client_secret,
      idpIssuer: provider.issuer,
      idpClientId: IDP_CLIENT.id,
      idpClientSecret: IDP_CLIENT.secret,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([oauthWorld[Symbol.asyncDispose](), provider[Symbol.asyncDispose]()]);
    },
  };
}

describe('cross-app access', () => {
  it('gets a token with an id token of the identity provider', async () => {
    await using oauthWorld = await startCompany();
    const { provider, resource, authorization, store } = oauthWorld;
    const server = admitted(resource.mcp, { oauth: { ...oauthWorld.oauth, idpIdToken: provider.idToken() } });
    expect(await callSecret(server, store)).toEqual(SECRET_CONTENT);
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

  it('uses the token endpoint of the entry', async () => {
    await using oauthWorld = await startCompany();
    const { idpIssuer, grantType: _, ...oauth } = oauthWorld.oauth;
    const more = { idpTokenEndpoint: `${idpIssuer}/token`, idpIdToken: oauthWorld.provider.idToken() };
    expect(
      await callSecret(admitted(oauthWorld.resource.mcp, { oauth: { ...oauth, ...more } }), oauthWorld.store),
    ).toEqual(SECRET_CONTENT);
  });

  it('fails with an expired id token, which no message contains', async () => {
    using machine = makeMachine();
    await using oauthWorld = await startCompany();
    const path = join(machine.home, 'id-token');
    const [expired, good] = [oauthWorld.provider.idToken(-60), oauthWorld.provider.idToken()];
    const server = admitted(oauthWorld.resource.mcp, { oauth: { ...oauthWorld.oauth, idpIdTokenFile: path } });
    writeFileSync(path, `${expired}\n`);
    const { outcome } = await signInWith(server, oauthWorld.store);
    expect(outcome).toMatchObject({
      code: 'CONNECTION_ERROR',
      message: expect.stringMatching(/^sign-in to locked failed: .*issued no grant: .*invalid_grant/),
      hint: expect.stringContaining('get a new one'),
    });
    const shown = `${JSON.stringify(outcome)} ${(outcome as Error).stack}`;
    const parts = [...expired.split('.').slice(1), IDP_CLIENT.secret, REGISTERED_CLIENT.client_secret];
    expect(parts.filter((part) => shown.includes(part.slice(0, 20)))).toEqual([]);
    expect(oauthWorld.authorization.grants).toEqual([]);
    writeFileSync(path, `${good}\n`);
    expect((await signInWith(server, oauthWorld.store)).outcome).toMatchObject({ server: 'locked' });
  });

  it('fails with an id token for another client, which no message contains', async () => {
    await using oauthWorld = await startCompany('another-client');
    const server = admitted(oauthWorld.resource.mcp, {
      oauth: { ...oauthWorld.oauth, idpIdToken: oauthWorld.provider.idToken() },
    });
    const { outcome } = await signInWith(server, oauthWorld.store);
    expect(outcome).toMatchObject({ message: expect.stringContaining('invalid_grant: cannot use [secret]') });
    expect(`${JSON.stringify(outcome)} ${(outcome as Error).stack}`).not.toContain('eyJ');
  });

  it('sends no grant to an authorization server that the server names later', async () => {
    await using oauthWorld = await startCompany();
    await using second = await startAuthorizationServer({ clients: [REGISTERED_CLIENT], trusts: oauthWorld.provider });
    const oauth = { ...oauthWorld.oauth, idpIdToken: oauthWorld.provider.idToken() };
    await callSecret(admitted(oauthWorld.resource.mcp, { oauth }), oauthWorld.store);
    await using moved = await startResourceServer(oauthWorld.authorization, { issuers: [second.issuer] });
    const credential = oauthWorld.store.find(oauthWorld.resource.mcp);
    if (!credential) throw new Error('no credential is stored');
    await oauthWorld.store.save({ ...credential, resource: moved.mcp });
    const { outcome } = await signInWith(admitted(moved.mcp, { oauth }), oauthWorld.store);
    expect(outcome).toMatchObject({ message: expect.stringContaining('a different authorization server than before') });
    expect([oauthWorld.provider.exchanges.length, second.grants]).toEqual([1, []]);
  });

  it.each<{ title: string; without: string; message: string }>([
    { title: 'client id at the identity provider', without: 'idpClientId', message: 'an identity provider needs' },
    { title: 'id token', without: 'idpIdToken', message: 'an identity provider needs' },
    { title: 'secret', without: 'clientSecret', message: 'locked has no secret to sign in with' },
  ])('fails if the entry has no $title', async ({ without, message }) => {
    await using oauthWorld = await startCompany();
    const all = Object.entries({ ...oauthWorld.oauth, idpIdToken: oauthWorld.provider.idToken() });
    const oauth = Object.fromEntries(all.filter(([name]) => name !== without));
    const { outcome } = await signInWith(admitted(oauthWorld.resource.mcp, { oauth }), oauthWorld.store).catch(
      (error: unknown) => ({
        outcome: error,
      }),
    );
    expect(outcome).toMatchObject({ code: 'SETTINGS_INVALID', message: expect.stringContaining(message) });
    expect(oauthWorld.provider.exchanges).toEqual([]);
  });
});

describe('the program with a key file and an id token in a variable', () => {
  it('calls the tool, and prints and stores no secret outside of the credentials file', async () => {
    using machine = makeMachine();
    await using oauthWorld = await startCompany();
    await using keyed = await makeOAuthSetup({ clients: [keyClient(EC.publicKey)] });
    const idToken = oauthWorld.provider.idToken();
    machine.write({ '~/key.pem': PKCS8 });
    configure(machine, {
      keyed: { url: keyed.resource.mcp, oauth: { ...BY_KEY, privateKeyFile: '~/key.pem' } },
      vouched: { url: oauthWorld.resource.mcp, auth: { ...oauthWorld.oauth, idpIdToken: '${env:WORK_TOKEN}' } },
    });
    const env = { WORK_TOKEN: idToken };
    for (const server of ['keyed', 'vouched'])
      expect(await portolan(machine, ['call', server, 'secret'], env)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('protected content'),
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
    const stored = filesUnder(machine.home).filter((path) => !/key\.pem$|mcp\.json$/.test(path));
    expect(stored.length).toBeGreaterThan(2);
    const secrets = [...linesOf(PKCS8), ...idToken.split('.').slice(1)];
    const tokens = JSON.parse(readFileSync(stored.find((path) => path.endsWith('credentials.json')) ?? '', 'utf8'));
    const access = tokens.credentials.map((one: { accessToken: string }) => one.accessToken);
    const texts = shown.map(({ stdout, stderr }) => `${stdout}${stderr}`);
    const leaked = (secrets: readonly string[], where: readonly string[]) =>
      secrets.filter((secret) => where.some((text) => text.includes(secret)));
    expect(leaked([...secrets, ...access, REGISTERED_CLIENT.client_secret, IDP_CLIENT.secret], texts)).toEqual([]);
    expect(
      leaked(
        [...secrets, IDP_CLIENT.secret],
        stored.map((path) => readFileSync(path, 'latin1')),
      ),
    ).toEqual([]);
    const others = stored.filter((path) => !path.endsWith('credentials.json'));
    expect(
      leaked(
        [...access, REGISTERED_CLIENT.client_secret],
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
