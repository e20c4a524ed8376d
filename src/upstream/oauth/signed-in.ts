import { maskUrl } from '../../base/index.js';
import type { Credential } from './credential.js';
import type { CredentialStore } from './credential-store.js';

/** A sign-in for display, without secrets. */
export interface SignedIn {
  readonly server: string;
  readonly resource: string;
  readonly issuer: string;
  readonly who?: string;
  readonly scope?: string;
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Whether it is renewed without user interaction. */
  readonly renews: boolean;
}

export function signedIn(store: CredentialStore): readonly SignedIn[] {
  return store.list().map(signedInAs);
}

export function signedInAs(credential: Credential): SignedIn {
  const { server, resource, issuer, who, scope, expiresAt, refreshToken, grant } = credential;
  return {
    server,
    resource: maskUrl(resource),
    issuer,
    ...(who !== undefined && { who }),
    ...(scope !== undefined && { scope }),
    ...(expiresAt !== undefined && { expiresAt }),
    renews: refreshToken !== undefined || grant !== undefined,
  };
}
