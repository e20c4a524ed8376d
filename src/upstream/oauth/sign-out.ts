import type { Fetch } from '../remote/remote-fetch.js';
import { checkedFetch } from './checked-fetch.js';
import { type Credential, resourceOf } from './credential.js';
import type { CredentialStore } from './credential-store.js';
import type { Sdk } from './sign-in-target.js';

/** Whether there was a credential to remove, and whether the authorization server revoked it. */
export type SignedOut = { readonly kind: 'not-signed-in' } | { readonly kind: 'signed-out'; readonly revoked: boolean };

const REVOKE_MS = 10_000;

/** Removes the credentials for a URL. Needs no admitted server, so that it also works for denied ones. */
export async function signOut(url: string, store: CredentialStore): Promise<SignedOut> {
  const removed = await store.remove(resourceOf(url));
  if (removed.length === 0) return { kind: 'not-signed-in' };
  const fetch = checkedFetch({ written: [new URL(url)], signal: AbortSignal.timeout(REVOKE_MS) });
  const sdk = await import('@modelcontextprotocol/client');
  // The local credential is removed already, whether or not the revocation succeeds.
  const revoked = await Promise.all(removed.map((one) => revoke(sdk, one, fetch).catch(() => false)));
  return { kind: 'signed-out', revoked: revoked.every(Boolean) };
}

/** RFC 7009: revoking a refresh token also revokes its access tokens. */
async function revoke(sdk: Sdk, credential: Credential, fetch: Fetch): Promise<boolean> {
  const { issuer, client, accessToken, refreshToken } = credential;
  const metadata = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  const endpoint = metadata && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  if (!metadata || typeof endpoint !== 'string') return false;
  const body = new URLSearchParams({
    token: refreshToken ?? accessToken,
    token_type_hint: refreshToken === undefined ? 'access_token' : 'refresh_token',
  });
  const headers = new Headers({ accept: 'application/json' });
  const method = sdk.selectClientAuthMethod(client, metadata.token_endpoint_auth_methods_supported ?? []);
  const { client_id, client_secret = '' } = client;
  if (method === 'client_secret_basic')
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${form(client_id)}:${form(client_secret)}`).toString('base64')}`,
    );
  else {
    body.set('client_id', client_id);
    if (method === 'client_secret_post') body.set('client_secret', client_secret);
  }
  const { ok } = await fetch(endpoint, { method: 'POST', headers, body });
  return ok;
}

/** The encoding of client id and secret in RFC 6749 §2.3.1. */
function form(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
