import { maskUrl } from '../../base/index.js';
import type { Credential } from './credential.js';
import type { CredentialStore } from './credential-store.js';

/** Who is signed in where, without anything that would let somebody else in. */
export interface SignedIn {
  readonly server: string;
  readonly resource: string;
  readonly issuer: string;
  readonly who?: string;
  readonly scope?: string;
  /** When the token ends, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** It is renewed without anybody being asked. */
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
