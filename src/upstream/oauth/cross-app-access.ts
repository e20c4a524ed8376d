import type { CrossAppAccessContext } from '@modelcontextprotocol/client';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { checkedFetch } from './checked-fetch.js';
import type { IdentityProvider } from './oauth-settings.js';
import { readSecret } from './read-secret.js';
import { firstWords } from './sign-in-needed.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';

/** Requests a signed grant (ID-JAG) for one authorization server and one server from the identity provider. */
export async function grantOfIdentityProvider(
  sdk: Sdk,
  remote: SignInTarget,
  { where, clientId, clientSecret, idToken: source }: IdentityProvider,
  { authorizationServerUrl, resourceUrl, scope }: CrossAppAccessContext,
): Promise<string> {
  const idToken = readSecret(remote, 'id token', source);
  const request = {
    audience: authorizationServerUrl,
    resource: resourceUrl,
    idToken,
    clientId,
    ...(clientSecret !== undefined && { clientSecret }),
    ...(scope !== undefined && { scope }),
    // Allows only the identity provider from the entry, and no private address that the server names.
    fetchFn: checkedFetch({ written: [where.url] }),
  };
  try {
    const { jwtAuthGrant } =
      where.kind === 'token-endpoint'
        ? await sdk.requestJwtAuthorizationGrant({ ...request, tokenEndpoint: where.url })
        : await sdk.discoverAndRequestJwtAuthGrant({ ...request, idpUrl: where.url.href });
    return jwtAuthGrant;
  } catch (error) {
    if (error instanceof PortolanError) throw error;
    const reason = firstWords(error, [idToken, clientSecret ?? '']);
    throw new PortolanError(
      ErrorCode.ConnectionError,
      `sign-in to ${remote.name} failed: its identity provider issued no grant: ${reason}`,
      { hint: 'the id token may have expired: get a new one from your identity provider, and try again' },
    );
  }
}
