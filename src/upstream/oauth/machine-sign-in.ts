import type {
  AuthorizationServerMetadata,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  OAuthServerInfo,
  PrivateKeyJwtProvider,
} from '@modelcontextprotocol/client';
import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Fetch } from '../remote/remote-fetch.js';
import type { Challenge } from './auth-challenge.js';
import type { Credential } from './credential.js';
import type { CredentialStore } from './credential-store.js';
import { grantOfIdentityProvider } from './cross-app-access.js';
import { scopeFor } from './oauth-scope.js';
import { readSecret, resolved } from './read-secret.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';
import { signingKey } from './signing-key.js';
import { toClient, toCredential } from './to-credential.js';

/** Grants that need no browser. */
export type MachineGrant = Exclude<SignInTarget['settings']['grant'], 'browser'>;

export interface MachineAttempt {
  readonly remote: SignInTarget;
  readonly store: CredentialStore;
  readonly issuer: OAuthServerInfo;
  readonly challenge: Challenge;
  readonly fetch: Fetch;
}

/** Obtains a token with a client secret, a private key, or a grant of an identity provider. */
export async function signInAsMachine(sdk: Sdk, grant: MachineGrant, attempt: MachineAttempt): Promise<Credential> {
  const { remote, store, issuer, challenge, fetch: fetchFn } = attempt;
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = issuer;
  const named = metadata?.issuer ?? authorizationServerUrl;
  const before = store.find(remote.resource);
  const { clientId } = remote.settings;
  if (clientId === undefined) throw lacking(remote, 'client id', '`clientId`');
  // Client credentials go only to the authorization server that first received them.
  const expectedIssuer = before?.client.client_id === clientId ? before.issuer : named;
  const known: Known = { clientId, expectedIssuer, named, resource: resourceMetadata?.resource ?? remote.resource };
  const provider = providerFor(sdk, remote, grant, known, metadata);
  const scope = scopeFor(sdk, remote, challenge, before) ?? resourceMetadata?.scopes_supported?.join(' ');
  const resource = await sdk.selectResourceURL(remote.url, provider, resourceMetadata);
  const tokens = await sdk.fetchToken(provider, authorizationServerUrl, {
    fetchFn,
    ...(metadata && { metadata }),
    ...(resource && { resource }),
    ...(scope !== undefined && { scope }),
  });
  return toCredential(
    {
      resource: remote.resource,
      issuer: named,
      server: remote.name,
      client: toClient(provider.clientInformation()),
      grant,
      ...(resource && { audience: resource.href }),
    },
    tokens,
    Date.now(),
  );
}

interface Known {
  readonly clientId: string;
  readonly expectedIssuer: string;
  /** The issuer in the metadata of the authorization server. */
  readonly named: string;
  /** The resource in the metadata of the server. */
  readonly resource: string;
}

type MachineProvider = ClientCredentialsProvider | CrossAppAccessProvider | PrivateKeyJwtProvider;

function providerFor(
  sdk: Sdk,
  remote: SignInTarget,
  grant: MachineGrant,
  known: Known,
  metadata: AuthorizationServerMetadata | undefined,
): MachineProvider {
  const { clientId, expectedIssuer, named, resource } = known;
  const { clientSecret, privateKey, signingAlgorithm, identityProvider } = remote.settings;
  const secret = clientSecret === undefined ? undefined : resolved(remote.name, 'client secret', clientSecret);
  switch (grant) {
    case 'client-credentials': {
      if (privateKey) {
        const pem = readSecret(remote, 'private key', privateKey);
        const accepted = metadata?.token_endpoint_auth_signing_alg_values_supported;
        const { key, algorithm } = signingKey(remote.name, pem, signingAlgorithm, accepted);
        return new sdk.PrivateKeyJwtProvider({ clientId, privateKey: key, algorithm, expectedIssuer });
      }
      if (secret === undefined)
        throw lacking(remote, 'secret or key', '`clientSecret`, `privateKeyFile` or `privateKey`');
      return new sdk.ClientCredentialsProvider({ clientId, clientSecret: secret, expectedIssuer });
    }
    case 'cross-app-access': {
      if (!identityProvider)
        throw lacking(remote, 'identity provider', '`idpIssuer`, `idpClientId` and `idpIdTokenFile`');
      if (secret === undefined) throw lacking(remote, 'secret', '`clientSecret`');
      const provider = new sdk.CrossAppAccessProvider({
        clientId,
        clientSecret: secret,
        expectedIssuer,
        assertion: (context) => grantOfIdentityProvider(sdk, remote, identityProvider, context),
      });
      provider.saveAuthorizationServerUrl(named);
      provider.saveResourceUrl?.(resource);
      return provider;
    }
  }
}

function lacking({ name }: SignInTarget, what: string, fields: string): PortolanError {
  return new PortolanError(ErrorCode.SettingsInvalid, `${name} has no ${what} to sign in with`, {
    hint: `write ${fields} under \`oauth\` in its entry`,
  });
}
