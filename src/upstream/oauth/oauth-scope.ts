import type { Challenge } from './auth-challenge.js';
import type { Credential } from './credential.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';

/** What the entry says, else what the server asks for; what was granted before stays when more is wanted. */
export function scopeFor(
  sdk: Sdk,
  { settings }: Pick<SignInTarget, 'settings'>,
  challenge: Challenge,
  before: Credential | undefined,
): string | undefined {
  const asked = settings.scope ?? challenge.scope;
  return before?.wanted === undefined ? asked : sdk.computeScopeUnion(before.scope, asked, before.wanted);
}
