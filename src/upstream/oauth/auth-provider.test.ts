import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Loopback, serveOnLoopback } from '../../../tests/fixtures/oauth/loopback.js';
import { admitted, makeStore } from '../../../tests/fixtures/oauth/sign-in-client.js';
import { authProviderFor } from './auth-provider.js';
import type { Credential } from './credential.js';
import type { CredentialStore } from './credential-store.js';

const URL_OF = 'http://127.0.0.1:1/mcp';
const refusal = { response: new Response(null, { status: 401 }) };

/** An authorization server that answers every refresh with a new token. */
async function renewing(seconds = 3600): Promise<Loopback> {
  let count = 0;
  return serveOnLoopback(async (request) => {
    const { origin, pathname } = new URL(request.url);
    if (pathname !== '/token')
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
      });
    count += 1;
    return Response.json({
      access_token: `new-${count}`,
      refresh_token: `r-${count}`,
      token_type: 'Bearer',
      expires_in: seconds,
    });
  });
}

function credential(issuer: string, said: Partial<Credential> = {}): Credential {
  return {
    resource: URL_OF,
    issuer,
    server: 'locked',
    client: { client_id: 'c' },
    accessToken: 'old',
    refreshToken: 'r-0',
    obtainedAt: Date.now() - 60_000,
    ...said,
  };
}

function provider(store: CredentialStore, oauth = {}) {
  const made = authProviderFor(admitted(URL_OF, { oauth }), store);
  if (!made?.onUnauthorized) throw new Error('there is no provider');
  return {
    token: () => made.token(),
    refused: () => made.onUnauthorized?.({ ...refusal, serverUrl: new URL(URL_OF), fetchFn: fetch }),
  };
}

const refreshTokens = async ({ requests }: Loopback): Promise<(string | null)[]> => {
  const bodies = await Promise.all(requests.filter(({ method }) => method === 'POST').map((one) => one.clone().text()));
  return bodies.map((body) => new URLSearchParams(body).get('refresh_token'));
};

describe('authProviderFor', () => {
  it('is undefined for a server with its own key', () => {
    using store = makeStore();
    expect(authProviderFor(admitted(URL_OF, { headers: { authorization: 'Bearer x' } }), store)).toBeUndefined();
  });

  it('repeats a refused call with a fresh token without renewing it', async () => {
    await using server = await renewing();
    using store = makeStore();
    await store.save(credential(server.url.origin, { obtainedAt: Date.now() }));
    const { token, refused } = provider(store);
    await refused();
    expect([await token(), await refreshTokens(server)]).toEqual(['old', []]);
  });

  it('renews a token in the last quarter of its lifetime and not before', async () => {
    await using server = await renewing();
    using store = makeStore();
    const lives = (gone: number, left: number) =>
      credential(server.url.origin, { obtainedAt: Date.now() - gone, expiresAt: Date.now() + left });
    const { token } = provider(store);
    await store.save(lives(50_000, 50_000));
    expect(await token()).toBe('old');
    await store.save(lives(90_000, 10_000));
    expect(await token()).toBe('new-1');
  });

  it('ignores a token of another client than the one in the entry', async () => {
    using store = makeStore();
    await store.save(credential('http://127.0.0.1:2'));
    expect([
      await provider(store, { clientId: 'c' }).token(),
      await provider(store, { clientId: 'd' }).token(),
    ]).toEqual(['old', undefined]);
  });

  it('asks a failing authorization server once for all waiting calls', async () => {
    await using server = await serveOnLoopback(async () => new Response(null, { status: 503 }));
    using store = makeStore();
    await store.save(credential(server.url.origin, { expiresAt: Date.now() - 1 }));
    const { token } = provider(store);
    for (let n = 0; n < 5; n += 1) await expect(token()).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
    expect(server.requests).toHaveLength(1);
  });

  it('keeps a token in memory if the disk is full, and writes it later', async () => {
    await using server = await renewing(2);
    using store = makeStore();
    await store.save(credential(server.url.origin, { expiresAt: Date.now() - 1 }));
    let isFull = true;
    const full: CredentialStore = {
      ...store,
      save: (...words) => (isFull ? Promise.reject(new Error('ENOSPC')) : store.save(...words)),
    };
    const { token } = provider(full);
    expect([await token(), store.find(URL_OF)?.accessToken]).toEqual(['new-1', 'old']);
    isFull = false;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_600 }); // the last quarter of two seconds
    onTestFinished(() => void vi.useRealTimers());
    expect([await token(), store.find(URL_OF)?.accessToken]).toEqual(['new-2', 'new-2']);
    expect(await refreshTokens(server)).toEqual(['r-0', 'r-1']);
  });

  it('completes a sign-in without browser if the disk is full', async () => {
    await using server = await renewing();
    using store = makeStore();
    const oauth = { grantType: 'client_credentials', clientId: 'c', clientSecret: 's' };
    const metadata = new URL('/.well-known/oauth-authorization-server', server.url).href;
    const full = { ...store, save: () => Promise.reject(new Error('ENOSPC')) };
    const { token, refused } = provider(full, { ...oauth, authServerMetadataUrl: metadata });
    await refused();
    expect([await token(), store.list()]).toEqual(['new-1', []]);
  });

  it('drops an unsaved token after a sign-out', async () => {
    await using server = await renewing();
    using store = makeStore();
    await store.save(credential(server.url.origin, { expiresAt: Date.now() - 1 }));
    const { token } = provider({ ...store, save: () => Promise.reject(new Error('ENOSPC')) });
    expect(await token()).toBe('new-1');
    await store.remove(URL_OF);
    expect(await token()).toBeUndefined();
  });
});
