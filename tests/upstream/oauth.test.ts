import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PortolanError } from '../../src/base/index.js';
import { accessError, signedIn, signOut } from '../../src/upstream/oauth/index.js';
import { startAuthorizationServer } from '../fixtures/oauth/authorization-server.js';
import { allAtOnce, bundled } from '../fixtures/oauth/processes.js';
import { startResourceServer } from '../fixtures/oauth/resource-server.js';
import { admitted, callSecret, connected, signInWith } from '../fixtures/oauth/signing-in.js';
import { aged, world } from '../fixtures/oauth/world.js';

const BEHIND = [{ type: 'text', text: 'behind the lock' }];
const SIGN_IN_HINT = 'ask the user to run: portolan login locked';

describe('signing in at a real authorization server', () => {
  it('lets a person in, keeps the tokens where only they can read them, and opens the server', async () => {
    await using here = await world();
    const { store, server, resource, authorization } = here;
    const { outcome, pages, printed } = await signInWith(
      admitted(resource.mcp, { oauth: { scopes: 'openid email mcp:read' } }),
      store,
    );
    expect(outcome).toEqual({
      server: 'locked',
      resource: resource.mcp,
      issuer: authorization.issuer,
      who: 'ada@example.com',
      scope: 'mcp:read',
      expiresAt: expect.any(Number),
      renews: true,
    });
    const page = pages[0]?.searchParams;
    expect(Object.fromEntries(page ?? [])).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      resource: resource.mcp,
    });
    expect(printed).toEqual([{ page: expect.stringContaining(authorization.issuer), opened: true }]);
    if (process.platform !== 'win32') {
      expect([store.path, dirname(store.path)].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
    }
    expect(await callSecret(server, store)).toEqual(BEHIND);
    expect(signedIn(store)).toEqual([outcome]);
    expect(JSON.stringify([outcome, signedIn(store)])).not.toContain(store.find(resource.mcp)?.accessToken);
  });

  it('says in an error that a model can act on that nobody is signed in, and opens no browser', async () => {
    await using here = await world();
    const error = await callSecret(here.server, here.store);
    expect(error).toMatchObject({ code: 'CONNECTION_ERROR', message: 'locked needs a sign-in', hint: SIGN_IN_HINT });
    expect(here.authorization.paths).toEqual([]);
  });

  it('renews an expired token once for ten calls at the same time', async () => {
    await using here = await world();
    await signInWith(here.server, here.store);
    const before = here.store.find(here.resource.mcp);
    await using client = await connected(here.server, here.store);
    await aged(here, 'expired');
    expect(await Promise.all(Array.from({ length: 10 }, () => client.call()))).toEqual(Array(10).fill(BEHIND));
    expect(here.authorization.grants).toEqual(['authorization_code given', 'refresh_token given']);
    const after = here.store.find(here.resource.mcp);
    expect(after?.refreshToken).not.toBe(before?.refreshToken);
    expect(after).toMatchObject({ issuer: before?.issuer, client: before?.client, audience: here.resource.mcp });
  });

  it('renews a token that the server refuses once for ten calls at the same time', async () => {
    await using here = await world();
    await signInWith(here.server, here.store);
    await using client = await connected(here.server, here.store);
    await aged(here, 'revoked');
    expect(await Promise.all(Array.from({ length: 10 }, () => client.call()))).toEqual(Array(10).fill(BEHIND));
    expect(here.authorization.grants).toEqual(['authorization_code given', 'refresh_token given']);
  });

  it('renews it once for six gateways in processes of their own', async () => {
    await using here = await world();
    await signInWith(here.server, here.store);
    await aged(here, 'expired');
    const program = await bundled('token-of');
    const said = await allAtOnce(program, [here.store.path, here.resource.mcp], 6);
    expect(said).toEqual(Array(6).fill(JSON.stringify(BEHIND)));
    expect(here.authorization.grants).toEqual(['authorization_code given', 'refresh_token given']);
  });

  it('asks for a new sign-in when the refresh token is known no more, and does not offer it again', async () => {
    await using here = await world();
    await signInWith(here.server, here.store);
    const credential = here.store.find(here.resource.mcp);
    if (!credential) throw new Error('nobody is signed in');
    await here.store.save({ ...credential, refreshToken: 'a-refresh-token-of-old', expiresAt: Date.now() - 1 });
    const error = await callSecret(here.server, here.store);
    expect(error).toMatchObject({ message: 'locked needs a new sign-in', hint: SIGN_IN_HINT });
    expect(String((error as Error).stack)).not.toContain('a-refresh-token-of-old');
    expect(here.store.find(here.resource.mcp)).not.toHaveProperty('refreshToken');
    await callSecret(here.server, here.store);
    expect(here.authorization.grants).toEqual(['authorization_code given', 'refresh_token refused']);
  });

  it('takes what another process wrote while its own refresh was refused', async () => {
    await using here = await world();
    await signInWith(here.server, here.store);
    const good = here.store.find(here.resource.mcp);
    if (!good) throw new Error('nobody is signed in');
    const stale = { ...good, accessToken: 'stale', refreshToken: 'used-up', expiresAt: Date.now() - 1 };
    // One without our lock: it writes between our question and the refusal.
    const racing = { ...here.store, find: () => (here.authorization.grants.length > 1 ? good : stale) };
    expect(await callSecret(here.server, racing)).toEqual(BEHIND);
    expect(here.store.find(here.resource.mcp)).toEqual(good);
    expect(here.authorization.grants).toEqual(['authorization_code given', 'refresh_token refused']);
  });

  it('goes on with a token that still lives while the authorization server is down', async () => {
    await using here = await world();
    await signInWith(here.server, here.store);
    const credential = here.store.find(here.resource.mcp);
    if (!credential) throw new Error('nobody is signed in');
    await here.store.save({ ...credential, issuer: 'http://127.0.0.1:9', expiresAt: Date.now() + 10_000 });
    expect(await callSecret(here.server, here.store)).toEqual(BEHIND);
    await here.store.save({ ...credential, issuer: 'http://127.0.0.1:9', expiresAt: Date.now() - 1 });
    expect(await callSecret(here.server, here.store)).toMatchObject({
      code: 'CONNECTION_ERROR',
      message: expect.stringContaining('could not be reached'),
    });
    expect(here.store.find(here.resource.mcp)?.refreshToken).toBe(credential.refreshToken);
  });

  it('forgets on logout, here and there', async () => {
    await using here = await world();
    await signInWith(here.server, here.store);
    const credential = here.store.find(here.resource.mcp);
    if (!credential) throw new Error('nobody is signed in');
    expect(await signOut(here.resource.mcp, here.store)).toEqual({ kind: 'signed-out', revoked: true });
    expect(readFileSync(here.store.path, 'utf8')).not.toContain(credential.accessToken);
    expect(await signOut(here.resource.mcp, here.store)).toEqual({ kind: 'was-not' });
    await here.store.save({ ...credential, expiresAt: Date.now() - 1 });
    expect(await callSecret(here.server, here.store)).toMatchObject({ message: 'locked needs a new sign-in' });
  });
});

describe('what comes back from the browser', () => {
  it.each([
    { title: 'another issuer (RFC 9207)', change: (url: URL) => url.searchParams.set('iss', 'https://evil.example') },
    { title: 'no issuer, though one was promised', change: (url: URL) => url.searchParams.delete('iss') },
  ])('is refused with $title, before the code is given to anybody', async ({ change }) => {
    await using here = await world();
    const { outcome } = await signInWith(here.server, here.store, { callback: change });
    expect(outcome).toMatchObject({
      code: 'CONNECTION_ERROR',
      message: expect.stringContaining('from a different authorization server'),
    });
    expect(here.authorization.grants).toEqual([]);
    expect(existsSync(here.store.path)).toBe(false);
  });

  it('is not listened to with another state, and the waiting goes on', async () => {
    await using here = await world();
    const ending = new AbortController();
    const { outcome } = await signInWith(here.server, here.store, {
      signal: ending.signal,
      callback: (url) => {
        url.searchParams.set('state', '0'.repeat(64));
        setTimeout(() => ending.abort(), 500);
      },
    });
    expect(outcome).toMatchObject({ code: 'CANCELLED' });
    expect(here.authorization.grants).toEqual([]);
  });

  it('is an error if the person said no', async () => {
    await using here = await world();
    const { outcome } = await signInWith(here.server, here.store, {
      callback: (url) => {
        url.searchParams.delete('code');
        url.searchParams.set('error', 'access_denied');
      },
    });
    expect(outcome).toMatchObject({ message: 'the authorization server answered access_denied' });
  });

  it('is of no use with a code that was made for another sign-in', async () => {
    await using here = await world();
    const { outcome } = await signInWith(here.server, here.store, {
      callback: (url) => url.searchParams.set('code', 'a-code-of-somebody-else'),
    });
    expect(outcome).toMatchObject({ code: 'CONNECTION_ERROR', message: expect.stringContaining('invalid_grant') });
    expect(String((outcome as PortolanError).message)).not.toContain('a-code-of-somebody-else');
  });
});

describe('a token', () => {
  it('is not asked for where the server says that it is another (audience)', async () => {
    await using here = await world({ resource: new URL('https://bank.example/mcp') });
    const { outcome, pages } = await signInWith(here.server, here.store);
    expect(outcome).toMatchObject({ message: 'the OAuth metadata of locked names a different resource than its URL' });
    expect([pages, here.authorization.paths]).toEqual([[], expect.not.arrayContaining(['POST /reg'])]);
  });

  it('is never sent to another server, nor to another place of the same one', async () => {
    await using here = await world();
    await using other = await startResourceServer(here.authorization);
    await signInWith(here.server, here.store);
    const elsewhere = [admitted(other.mcp), admitted(new URL('/other', here.resource.url).href)];
    for (const server of elsewhere)
      expect(await callSecret(server, here.store)).toMatchObject({ message: 'locked needs a sign-in' });
    const seen = [...other.requests, ...here.resource.requests].map((request) => request.headers.get('authorization'));
    expect(seen.filter((one) => one !== null)).toEqual([]);
  });

  it('is not brought to an authorization server that the server names later', async () => {
    await using here = await world();
    await using second = await startAuthorizationServer();
    await signInWith(here.server, here.store);
    await using moved = await startResourceServer(here.authorization, { issuers: [second.issuer] });
    const credential = here.store.find(here.resource.mcp);
    if (!credential) throw new Error('nobody is signed in');
    await here.store.save({ ...credential, resource: moved.mcp, accessToken: 'refused', obtainedAt: 0 });
    expect(await callSecret(admitted(moved.mcp), here.store)).toMatchObject({
      message: 'locked has a new authorization server and needs a new sign-in',
    });
    expect([here.authorization.grants, second.paths]).toEqual([['authorization_code given'], []]);
  });

  it('with too few rights leads to a sign-in that asks for more and loses none', async () => {
    await using here = await world({ scopes: ['mcp:write'] });
    await signInWith(admitted(here.resource.mcp, { oauth: { scopes: ['mcp:read'] } }), here.store);
    const error = await callSecret(here.server, here.store);
    expect(await accessError(here.server, here.store, error)).toMatchObject({
      message: 'locked needs a new sign-in with more scopes',
      hint: SIGN_IN_HINT,
    });
    const { pages } = await signInWith(here.server, here.store);
    expect(pages[0]?.searchParams.get('scope')?.split(' ')).toEqual(expect.arrayContaining(['mcp:read', 'mcp:write']));
    expect(await callSecret(here.server, here.store)).toEqual(BEHIND);
    expect(here.store.find(here.resource.mcp)).not.toHaveProperty('wanted');
  });
});

const CLIENT = {
  client_id: 'registered-by-hand',
  client_secret: 'a-secret-that-nobody-may-see',
  redirect_uris: ['http://127.0.0.1/callback'],
  application_type: 'native',
  grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'client_secret_basic',
  scope: 'mcp:read offline_access',
};
const BY_HAND = { clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret };

describe('a client that was registered by hand', () => {
  it('signs in without registering another', async () => {
    await using here = await world({ clients: [CLIENT] });
    const server = admitted(here.resource.mcp, { oauth: BY_HAND });
    await signInWith(server, here.store);
    expect(here.authorization.paths).not.toContain('POST /reg');
    expect(await callSecret(server, here.store)).toEqual(BEHIND);
  });

  it('gets its own token with the client credentials grant, and nobody has to sign in', async () => {
    await using here = await world({ clients: [CLIENT] });
    const server = admitted(here.resource.mcp, { oauth: { ...BY_HAND, grant_type: 'client_credentials' } });
    expect(await callSecret(server, here.store)).toEqual(BEHIND);
    expect(here.authorization.grants).toEqual(['client_credentials given']);
  });

  it.each(['browser', 'client_credentials'])(
    'does not hand its secret to an authorization server that comes later (%s)',
    async (grant_type) => {
      await using here = await world({ clients: [CLIENT] });
      await using second = await startAuthorizationServer({ clients: [CLIENT] });
      const oauth = { ...BY_HAND, grant_type };
      await signInWith(admitted(here.resource.mcp, { oauth }), here.store);
      await using moved = await startResourceServer(here.authorization, { issuers: [second.issuer] });
      const credential = here.store.find(here.resource.mcp);
      if (!credential) throw new Error('nobody is signed in');
      await here.store.save({ ...credential, resource: moved.mcp });
      const { outcome } = await signInWith(admitted(moved.mcp, { oauth }), here.store);
      expect(outcome).toMatchObject({
        message: expect.stringContaining('a different authorization server than before'),
      });
      expect(second.paths.filter((path) => path.startsWith('POST'))).toEqual([]);
    },
  );
});
