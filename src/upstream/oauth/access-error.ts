import { PortolanError } from '../../base/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { CredentialStore } from './credential-store.js';
import { signInNeeded } from './sign-in-needed.js';
import { remoteOf } from './sign-in-target.js';

/** Longer than any real list of scopes. */
const MAX_SCOPE_CHARACTERS = 2_000;

/**
 * Turns an error that needs a sign-in into one with a hint; undefined for other errors. Missing scopes are stored, so that
 * the next sign-in requests them.
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
    return signInNeeded(server.name, 'needs a new sign-in with more scopes');
  }
  if (error instanceof sdk.UnauthorizedError) return signInNeeded(server.name);
  const isRefused = error instanceof sdk.SdkHttpError && error.code === sdk.SdkErrorCode.ClientHttpAuthentication;
  return isRefused ? signInNeeded(server.name, 'rejected the token of its sign-in') : undefined;
}

async function want(server: AdmittedServer, store: CredentialStore, scope: string | undefined): Promise<void> {
  const credential = store.find(remoteOf(server).resource);
  if (!credential || scope === undefined || scope.length > MAX_SCOPE_CHARACTERS) return;
  const wanted = [...new Set(`${credential.wanted ?? ''} ${scope}`.split(/\s+/))].filter((one) => one !== '').join(' ');
  if (wanted === credential.wanted || wanted.length > MAX_SCOPE_CHARACTERS) return;
  // A failed write only costs another sign-in later.
  await store.save({ ...credential, wanted }, credential).catch(() => undefined);
}
