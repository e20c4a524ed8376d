import type { CrossAppAccessContext } from '@modelcontextprotocol/client';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { checkedFetch } from './checked-fetch.js';
import type { IdentityProvider } from './oauth-settings.js';
import { readSecret } from './read-secret.js';
import { firstWords } from './sign-in-needed.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';

/** What the identity provider signs for one authorization server and one server: that this person may come in. */
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
    // Only the address of the identity provider was written for this: whatever the server names is not reached by it.
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
    const said = firstWords(error, [idToken, clientSecret ?? '']);
    throw new PortolanError(
      ErrorCode.ConnectionError,
      `${remote.name} could not be signed in to: its identity provider did not vouch for you: ${said}`,
      { hint: 'the id token may be over: get a new one from your identity provider, and try again' },
    );
  }
}
