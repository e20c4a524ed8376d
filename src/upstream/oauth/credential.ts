import { isObject } from '../../base/index.js';

/** Our client registration at an authorization server. */
export interface OAuthClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method?: string;
}

/** The tokens for one server from one authorization server; they are sent to no other. */
export interface Credential {
  /** The URL of the server, as returned by `resourceOf`. */
  readonly resource: string;
  readonly issuer: string;
  /** The name of the server at sign-in, for display. */
  readonly server: string;
  readonly client: OAuthClient;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** The resource that the token is bound to (RFC 8707). */
  readonly audience?: string;
  readonly obtainedAt: number;
  readonly expiresAt?: number;
  readonly who?: string;
  /** The grant of a sign-in without browser, which is repeated for a new token. */
  readonly grant?: 'client-credentials' | 'cross-app-access';
  /** Scopes that the server required later; the next sign-in requests them. */
  readonly wanted?: string;
}

/** The URL of a server without the fragment, as the key of its credential. */
export function resourceOf(url: string | URL): string {
  const resource = new URL(url);
  resource.hash = '';
  return resource.href;
}

/** Longer than any token that fits into a header. */
const MAX_CHARACTERS = 64 * 1024;

/** Parses one entry of the file; undefined if it is invalid. */
export function parseCredential(value: unknown): Credential | undefined {
  if (!isObject(value) || !isObject(value.client)) return undefined;
  const { resource, issuer, server, accessToken, obtainedAt, client } = value;
  if (!isText(resource) || !isText(issuer) || !isText(server) || !isText(accessToken) || !isTime(obtainedAt))
    return undefined;
  const { client_id, client_secret, token_endpoint_auth_method } = client;
  if (!isText(client_id)) return undefined;
  return {
    resource,
    issuer,
    server,
    client: {
      client_id,
      ...(isText(client_secret) && { client_secret }),
      ...(isText(token_endpoint_auth_method) && { token_endpoint_auth_method }),
    },
    accessToken,
    obtainedAt,
    ...(isText(value.refreshToken) && { refreshToken: value.refreshToken }),
    ...(isText(value.scope) && { scope: value.scope }),
    ...(isText(value.audience) && { audience: value.audience }),
    ...(isTime(value.expiresAt) && { expiresAt: value.expiresAt }),
    ...(isText(value.who) && { who: value.who }),
    ...(isGrant(value.grant) && { grant: value.grant }),
    ...(isText(value.wanted) && { wanted: value.wanted }),
  };
}

function isGrant(value: unknown): value is NonNullable<Credential['grant']> {
  return value === 'client-credentials' || value === 'cross-app-access';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
