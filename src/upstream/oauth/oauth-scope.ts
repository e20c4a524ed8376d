import type { Challenge } from './auth-challenge.js';
import type { Credential } from './credential.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';

/** The scope of the entry or else of the server, together with granted and newly required scopes. */
export function scopeFor(
  sdk: Sdk,
  { settings }: Pick<SignInTarget, 'settings'>,
  challenge: Challenge,
  before: Credential | undefined,
): string | undefined {
  const asked = settings.scope ?? challenge.scope;
  return before?.wanted === undefined ? asked : sdk.computeScopeUnion(before.scope, asked, before.wanted);
}
