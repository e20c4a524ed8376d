import type { OAuthServerInfo } from '@modelcontextprotocol/client';
import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Challenge } from './challenge.js';
import type { Fetch } from './checked-fetch.js';
import type { Credential } from './credential.js';
import type { CredentialStore } from './credential-store.js';
import type { Remote, Sdk } from './remote.js';
import { toClient, toCredential } from './to-credential.js';

/** A token for a program that has an id and a secret of its own: nobody has to sit at a browser. */
export async function signInAsMachine(
  sdk: Sdk,
  remote: Remote,
  store: CredentialStore,
  issuer: OAuthServerInfo,
  challenge: Challenge,
  fetchFn: Fetch,
): Promise<Credential> {
  const { clientId, clientSecret } = remote.settings;
  if (clientId === undefined || clientSecret === undefined)
    throw new PortolanError(ErrorCode.SettingsInvalid, `${remote.name} has no client id and secret to sign in with`, {
      hint: 'write `clientId` and `clientSecret` under `oauth` in its entry',
    });
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = issuer;
  const named = metadata?.issuer ?? authorizationServerUrl;
  const before = store.find(remote.resource);
  // The secret goes to the authorization server that got it first, whatever the server says later.
  const expectedIssuer = before?.client.client_id === clientId ? before.issuer : named;
  const provider = new sdk.ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer });
  const scope = remote.settings.scope ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(' ');
  const resource = await sdk.selectResourceURL(remote.url, provider, resourceMetadata);
  const tokens = await sdk.fetchToken(provider, authorizationServerUrl, {
    fetchFn,
    ...(metadata && { metadata }),
    ...(resource && { resource }),
    ...(scope !== undefined && { scope }),
  });
  const known = {
    resource: remote.resource,
    issuer: named,
    server: remote.name,
    client: toClient(provider.clientInformation()),
    ...(resource && { audience: resource.href }),
  };
  return toCredential(known, tokens, Date.now());
}
