import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PortolanError } from '../../src/base/index.js';
import { accessError, signedIn, signOut } from '../../src/upstream/oauth/index.js';
import { startAuthorizationServer } from '../fixtures/oauth/authorization-server.js';
import { ageToken, makeOAuthSetup } from '../fixtures/oauth/oauth-setup.js';
import { bundled, runTogether } from '../fixtures/oauth/processes.js';
import { startResourceServer } from '../fixtures/oauth/resource-server.js';
import { admitted, callSecret, connectClient, signInWith } from '../fixtures/oauth/sign-in-client.js';

const SECRET_CONTENT = [{ type: 'text', text: 'protected content' }];
const SIGN_IN_HINT = 'ask the user to run: portolan login locked';

describe('a sign-in at a real authorization server', () => {
  it('stores the tokens in a private file and opens the server', async () => {
    await using oauthWorld = await makeOAuthSetup();
    const { store, server, resource, authorization } = oauthWorld;
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
    expect(await callSecret(server, store)).toEqual(SECRET_CONTENT);
    expect(signedIn(store)).toEqual([outcome]);
    expect(JSON.stringify([outcome, signedIn(store)])).not.toContain(store.find(resource.mcp)?.accessToken);
  });

  it('is required by an error with a hint, without opening a browser', async () => {
    await using oauthWorld = await makeOAuthSetup();
    const error = await callSecret(oauthWorld.server, oauthWorld.store);
    expect(error).toMatchObject({ code: 'CONNECTION_ERROR', message: 'locked needs a sign-in', hint: SIGN_IN_HINT });
    expect(oauthWorld.authorization.paths).toEqual([]);
  });

  it('renews an expired token once for ten concurrent calls', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await signInWith(oauthWorld.server, oauthWorld.store);
    const before = oauthWorld.store.find(oauthWorld.resource.mcp);
    await using client = await connectClient(oauthWorld.server, oauthWorld.store);
    await ageToken(oauthWorld, 'expired');
    expect(await Promise.all(Array.from({ length: 10 }, () => client.call()))).toEqual(Array(10).fill(SECRET_CONTENT));
    expect(oauthWorld.authorization.grants).toEqual(['authorization_code given', 'refresh_token given']);
    const after = oauthWorld.store.find(oauthWorld.resource.mcp);
    expect(after?.refreshToken).not.toBe(before?.refreshToken);
    expect(after).toMatchObject({ issuer: before?.issuer, client: before?.client, audience: oauthWorld.resource.mcp });
  });

  it('renews a token that the server refuses once for ten concurrent calls', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await signInWith(oauthWorld.server, oauthWorld.store);
    await using client = await connectClient(oauthWorld.server, oauthWorld.store);
    await ageToken(oauthWorld, 'revoked');
    expect(await Promise.all(Array.from({ length: 10 }, () => client.call()))).toEqual(Array(10).fill(SECRET_CONTENT));
    expect(oauthWorld.authorization.grants).toEqual(['authorization_code given', 'refresh_token given']);
  });

  it('renews an expired token once for six gateway processes', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await signInWith(oauthWorld.server, oauthWorld.store);
    await ageToken(oauthWorld, 'expired');
    const program = await bundled('call-with-stored-token');
    const outputs = await runTogether(program, [oauthWorld.store.path, oauthWorld.resource.mcp], 6);
    expect(outputs).toEqual(Array(6).fill(JSON.stringify(SECRET_CONTENT)));
    expect(oauthWorld.authorization.grants).toEqual(['authorization_code given', 'refresh_token given']);
  });

  it('is required again if the refresh token is invalid, which is not sent twice', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await signInWith(oauthWorld.server, oauthWorld.store);
    const credential = oauthWorld.store.find(oauthWorld.resource.mcp);
    if (!credential) throw new Error('no credential is stored');
    await oauthWorld.store.save({ ...credential, refreshToken: 'an-old-refresh-token', expiresAt: Date.now() - 1 });
    const error = await callSecret(oauthWorld.server, oauthWorld.store);
    expect(error).toMatchObject({ message: 'locked needs a new sign-in', hint: SIGN_IN_HINT });
    expect(String((error as Error).stack)).not.toContain('an-old-refresh-token');
    expect(oauthWorld.store.find(oauthWorld.resource.mcp)).not.toHaveProperty('refreshToken');
    await callSecret(oauthWorld.server, oauthWorld.store);
    expect(oauthWorld.authorization.grants).toEqual(['authorization_code given', 'refresh_token refused']);
  });

  it('uses the credential that another process stored while the refresh was refused', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await signInWith(oauthWorld.server, oauthWorld.store);
    const good = oauthWorld.store.find(oauthWorld.resource.mcp);
    if (!good) throw new Error('no credential is stored');
    const stale = { ...good, accessToken: 'stale', refreshToken: 'used-up', expiresAt: Date.now() - 1 };
    // A process without the lock stores its credential between the request and the refusal.
    const racing = { ...oauthWorld.store, find: () => (oauthWorld.authorization.grants.length > 1 ? good : stale) };
    expect(await callSecret(oauthWorld.server, racing)).toEqual(SECRET_CONTENT);
    expect(oauthWorld.store.find(oauthWorld.resource.mcp)).toEqual(good);
    expect(oauthWorld.authorization.grants).toEqual(['authorization_code given', 'refresh_token refused']);
  });

  it('uses a valid token while the authorization server is unreachable', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await signInWith(oauthWorld.server, oauthWorld.store);
    const credential = oauthWorld.store.find(oauthWorld.resource.mcp);
    if (!credential) throw new Error('no credential is stored');
    await oauthWorld.store.save({ ...credential, issuer: 'http://127.0.0.1:9', expiresAt: Date.now() + 10_000 });
    expect(await callSecret(oauthWorld.server, oauthWorld.store)).toEqual(SECRET_CONTENT);
    await oauthWorld.store.save({ ...credential, issuer: 'http://127.0.0.1:9', expiresAt: Date.now() - 1 });
    expect(await callSecret(oauthWorld.server, oauthWorld.store)).toMatchObject({
      code: 'CONNECTION_ERROR',
      message: expect.stringContaining('could not be reached'),
    });
    expect(oauthWorld.store.find(oauthWorld.resource.mcp)?.refreshToken).toBe(credential.refreshToken);
  });

  it('is revoked and deleted by logout', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await signInWith(oauthWorld.server, oauthWorld.store);
    const credential = oauthWorld.store.find(oauthWorld.resource.mcp);
    if (!credential) throw new Error('no credential is stored');
    expect(await signOut(oauthWorld.resource.mcp, oauthWorld.store)).toEqual({ kind: 'signed-out', revoked: true });
    expect(readFileSync(oauthWorld.store.path, 'utf8')).not.toContain(credential.accessToken);
    expect(await signOut(oauthWorld.resource.mcp, oauthWorld.store)).toEqual({ kind: 'not-signed-in' });
    await oauthWorld.store.save({ ...credential, expiresAt: Date.now() - 1 });
    expect(await callSecret(oauthWorld.server, oauthWorld.store)).toMatchObject({
      message: 'locked needs a new sign-in',
    });
  });
});

describe('the callback of the browser', () => {
  it.each([
    { title: 'another issuer (RFC 9207)', change: (url: URL) => url.searchParams.set('iss', 'https://evil.example') },
    { title: 'no issuer, although the server announced one', change: (url: URL) => url.searchParams.delete('iss') },
  ])('is rejected with $title, before the code is sent', async ({ change }) => {
    await using oauthWorld = await makeOAuthSetup();
    const { outcome } = await signInWith(oauthWorld.server, oauthWorld.store, { callback: change });
    expect(outcome).toMatchObject({
      code: 'CONNECTION_ERROR',
      message: expect.stringContaining('from a different authorization server'),
    });
    expect(oauthWorld.authorization.grants).toEqual([]);
    expect(existsSync(oauthWorld.store.path)).toBe(false);
  });

  it('is ignored with another state, and the sign-in continues to wait', async () => {
    await using oauthWorld = await makeOAuthSetup();
    const ending = new AbortController();
    const { outcome } = await signInWith(oauthWorld.server, oauthWorld.store, {
      signal: ending.signal,
      callback: (url) => {
        url.searchParams.set('state', '0'.repeat(64));
        setTimeout(() => ending.abort(), 500);
      },
    });
    expect(outcome).toMatchObject({ code: 'CANCELLED' });
    expect(oauthWorld.authorization.grants).toEqual([]);
  });

  it('is an error if the user denied access', async () => {
    await using oauthWorld = await makeOAuthSetup();
    const { outcome } = await signInWith(oauthWorld.server, oauthWorld.store, {
      callback: (url) => {
        url.searchParams.delete('code');
        url.searchParams.set('error', 'access_denied');
      },
    });
    expect(outcome).toMatchObject({ message: 'the authorization server answered access_denied' });
  });

  it('is rejected with the code of another sign-in', async () => {
    await using oauthWorld = await makeOAuthSetup();
    const { outcome } = await signInWith(oauthWorld.server, oauthWorld.store, {
      callback: (url) => url.searchParams.set('code', 'a-code-of-another-sign-in'),
    });
    expect(outcome).toMatchObject({ code: 'CONNECTION_ERROR', message: expect.stringContaining('invalid_grant') });
    expect(String((outcome as PortolanError).message)).not.toContain('a-code-of-another-sign-in');
  });
});

describe('a token', () => {
  it('is not requested if the OAuth metadata names another resource (audience)', async () => {
    await using oauthWorld = await makeOAuthSetup({ resource: new URL('https://bank.example/mcp') });
    const { outcome, pages } = await signInWith(oauthWorld.server, oauthWorld.store);
    expect(outcome).toMatchObject({ message: 'the OAuth metadata of locked names a different resource than its URL' });
    expect([pages, oauthWorld.authorization.paths]).toEqual([[], expect.not.arrayContaining(['POST /reg'])]);
  });

  it('is never sent to another server or to another path of the same server', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await using other = await startResourceServer(oauthWorld.authorization);
    await signInWith(oauthWorld.server, oauthWorld.store);
    const elsewhere = [admitted(other.mcp), admitted(new URL('/other', oauthWorld.resource.url).href)];
    for (const server of elsewhere)
      expect(await callSecret(server, oauthWorld.store)).toMatchObject({ message: 'locked needs a sign-in' });
    const seen = [...other.requests, ...oauthWorld.resource.requests].map((request) =>
      request.headers.get('authorization'),
    );
    expect(seen.filter((one) => one !== null)).toEqual([]);
  });

  it('is not sent to an authorization server that the server names later', async () => {
    await using oauthWorld = await makeOAuthSetup();
    await using second = await startAuthorizationServer();
    await signInWith(oauthWorld.server, oauthWorld.store);
    await using moved = await startResourceServer(oauthWorld.authorization, { issuers: [second.issuer] });
    const credential = oauthWorld.store.find(oauthWorld.resource.mcp);
    if (!credential) throw new Error('no credential is stored');
    await oauthWorld.store.save({ ...credential, resource: moved.mcp, accessToken: 'refused', obtainedAt: 0 });
    expect(await callSecret(admitted(moved.mcp), oauthWorld.store)).toMatchObject({
      message: 'locked has a new authorization server and needs a new sign-in',
    });
    expect([oauthWorld.authorization.grants, second.paths]).toEqual([['authorization_code given'], []]);
  });

  it('with too few scopes leads to a sign-in with all scopes', async () => {
    await using oauthWorld = await makeOAuthSetup({ scopes: ['mcp:write'] });
    await signInWith(admitted(oauthWorld.resource.mcp, { oauth: { scopes: ['mcp:read'] } }), oauthWorld.store);
    const error = await callSecret(oauthWorld.server, oauthWorld.store);
    expect(await accessError(oauthWorld.server, oauthWorld.store, error)).toMatchObject({
      message: 'locked needs a new sign-in with more scopes',
      hint: SIGN_IN_HINT,
    });
    const { pages } = await signInWith(oauthWorld.server, oauthWorld.store);
    expect(pages[0]?.searchParams.get('scope')?.split(' ')).toEqual(expect.arrayContaining(['mcp:read', 'mcp:write']));
    expect(await callSecret(oauthWorld.server, oauthWorld.store)).toEqual(SECRET_CONTENT);
    expect(oauthWorld.store.find(oauthWorld.resource.mcp)).not.toHaveProperty('wanted');
  });
});

const CLIENT = {
  client_id: 'registered-by-hand',
  client_secret: 'a-secret-that-must-not-leak',
  redirect_uris: ['http://127.0.0.1/callback'],
  application_type: 'native',
  grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'client_secret_basic',
  scope: 'mcp:read offline_access',
};
const PREREGISTERED = { clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret };

describe('a pre-registered client', () => {
  it('signs in without dynamic registration', async () => {
    await using oauthWorld = await makeOAuthSetup({ clients: [CLIENT] });
    const server = admitted(oauthWorld.resource.mcp, { oauth: PREREGISTERED });
    await signInWith(server, oauthWorld.store);
    expect(oauthWorld.authorization.paths).not.toContain('POST /reg');
    expect(await callSecret(server, oauthWorld.store)).toEqual(SECRET_CONTENT);
  });

  it('gets a token with the client credentials grant, without a sign-in', async () => {
    await using oauthWorld = await makeOAuthSetup({ clients: [CLIENT] });
    const server = admitted(oauthWorld.resource.mcp, { oauth: { ...PREREGISTERED, grant_type: 'client_credentials' } });
    expect(await callSecret(server, oauthWorld.store)).toEqual(SECRET_CONTENT);
    expect(oauthWorld.authorization.grants).toEqual(['client_credentials given']);
  });

  it.each(['browser', 'client_credentials'])(
    'does not send its secret to an authorization server that the server names later (%s)',
    async (grant_type) => {
      await using oauthWorld = await makeOAuthSetup({ clients: [CLIENT] });
      await using second = await startAuthorizationServer({ clients: [CLIENT] });
      const oauth = { ...PREREGISTERED, grant_type };
      await signInWith(admitted(oauthWorld.resource.mcp, { oauth }), oauthWorld.store);
      await using moved = await startResourceServer(oauthWorld.authorization, { issuers: [second.issuer] });
      const credential = oauthWorld.store.find(oauthWorld.resource.mcp);
      if (!credential) throw new Error('no credential is stored');
      await oauthWorld.store.save({ ...credential, resource: moved.mcp });
      const { outcome } = await signInWith(admitted(moved.mcp, { oauth }), oauthWorld.store);
      expect(outcome).toMatchObject({
        message: expect.stringContaining('a different authorization server than before'),
      });
      expect(second.paths.filter((path) => path.startsWith('POST'))).toEqual([]);
    },
  );
});
