import { isObject } from '../../base/index.js';

/** The client as which an authorization server knows us, with what it gave us to prove it. */
export interface OAuthClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method?: string;
}

/** What one authorization server gave us for one server, and nobody else may get. */
export interface Credential {
  /** The address of the server, as `resourceOf` writes it. */
  readonly resource: string;
  readonly issuer: string;
  /** The name under which somebody signed in; for people. */
  readonly server: string;
  readonly client: OAuthClient;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** What the token is bound to (RFC 8707), as it was said to the authorization server. */
  readonly audience?: string;
  readonly obtainedAt: number;
  readonly expiresAt?: number;
  readonly who?: string;
  /** How a program signed in by itself; a new token is had in the same way. */
  readonly grant?: 'client-credentials' | 'cross-app-access';
  /** Rights that the server asked for later; the next sign-in asks for them too. */
  readonly wanted?: string;
}

/** The server's address as the key of its credential: everything but the fragment. */
export function resourceOf(url: string | URL): string {
  const resource = new URL(url);
  resource.hash = '';
  return resource.href;
}

/** Longer than any token that a server could be sent in a header. */
const MAX_CHARACTERS = 64 * 1024;

/** One entry of the file; undefined if it is none of ours. */
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
