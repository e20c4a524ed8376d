import type { OAuthTokens, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import { cleanText, isObject } from '../../base/index.js';
import type { Credential, OAuthClient } from './credential.js';

const MAX_WHO_CHARACTERS = 100;

/** Makes a credential from a token response. Without a new refresh token, the old one stays valid. */
export function toCredential(
  before: Pick<Credential, 'resource' | 'issuer' | 'server' | 'client'> & Partial<Credential>,
  tokens: OAuthTokens,
  now: number,
): Credential {
  const { resource, issuer, server, client, audience, grant } = before;
  const refreshToken = tokens.refresh_token ?? before.refreshToken;
  const scope = tokens.scope ?? before.scope;
  const who = accountName(tokens.id_token, issuer, client.client_id) ?? before.who;
  return {
    resource,
    issuer,
    server,
    client,
    accessToken: tokens.access_token,
    obtainedAt: now,
    ...(tokens.expires_in !== undefined && { expiresAt: now + tokens.expires_in * 1000 }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(who !== undefined && { who }),
    ...(grant !== undefined && { grant }),
    ...(before.wanted !== undefined && { wanted: before.wanted }),
  };
}

export function toClient(information: StoredOAuthClientInformation): OAuthClient {
  const { client_id, client_secret } = information;
  const method = 'token_endpoint_auth_method' in information ? information.token_endpoint_auth_method : undefined;
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
}

/** The user's name for display. The id token came directly over TLS, so its signature is not checked. */
function accountName(idToken: string | undefined, issuer: string, clientId: string): string | undefined {
  const claims = idToken === undefined ? undefined : claimsOf(idToken);
  if (!claims || claims.iss !== issuer || ![claims.aud].flat().includes(clientId)) return undefined;
  const name = [claims.email, claims.preferred_username, claims.name, claims.sub].find(
    (one) => typeof one === 'string',
  );
  return typeof name === 'string' && name !== '' ? cleanText(name, MAX_WHO_CHARACTERS).text : undefined;
}

function claimsOf(idToken: string): Record<string, unknown> | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
    return isObject(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}
