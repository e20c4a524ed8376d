import { PortolanError } from '../../base/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { CredentialStore } from './credential-store.js';
import { signInNeeded } from './sign-in-needed.js';
import { remoteOf } from './sign-in-target.js';

/** More rights than any server has names for. */
const MAX_SCOPE_CHARACTERS = 2_000;

/**
 * What a failed request means for somebody who can sign in; undefined if it has nothing to do with that. Rights that
 * the server found missing are remembered, so that the next sign-in asks for them.
 */
export async function accessError(
  server: AdmittedServer,
  store: CredentialStore,
  error: unknown,
): Promise<PortolanError | undefined> {
  if (error instanceof PortolanError) return error;
  const sdk = await import('@modelcontextprotocol/client');
  if (error instanceof sdk.InsufficientScopeError) {
    await want(server, store, error.requiredScope);
    return signInNeeded(server.name, 'needs a sign-in with more rights');
  }
  if (error instanceof sdk.UnauthorizedError) return signInNeeded(server.name);
  const isRefused = error instanceof sdk.SdkHttpError && error.code === sdk.SdkErrorCode.ClientHttpAuthentication;
  return isRefused ? signInNeeded(server.name, 'does not take the token it was signed in with') : undefined;
}

async function want(server: AdmittedServer, store: CredentialStore, scope: string | undefined): Promise<void> {
  const credential = store.find(remoteOf(server).resource);
  if (!credential || scope === undefined || scope.length > MAX_SCOPE_CHARACTERS) return;
  const wanted = [...new Set(`${credential.wanted ?? ''} ${scope}`.split(/\s+/))].filter((one) => one !== '').join(' ');
  if (wanted === credential.wanted || wanted.length > MAX_SCOPE_CHARACTERS) return;
  // That it could not be remembered costs a second sign-in, not this answer.
  await store.save({ ...credential, wanted }, credential).catch(() => undefined);
}
