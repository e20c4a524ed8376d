import type { AuthProvider } from '@modelcontextprotocol/client';
import type { AdmittedServer } from '../../policy/index.js';
import { readChallenge } from './auth-challenge.js';
import { checkedFetch } from './checked-fetch.js';
import type { Credential } from './credential.js';
import type { CredentialStore } from './credential-store.js';
import { findIssuer, metadataOf, withoutSlash } from './find-issuer.js';
import { signInAsMachine } from './machine-sign-in.js';
import { secretsIn } from './oauth-settings.js';
import { oauthFault, signInNeeded } from './sign-in-needed.js';
import { bringsOwnKey, remoteOf, type Sdk, type SignInTarget } from './sign-in-target.js';
import { toCredential } from './to-credential.js';

/** A token is renewed this long before its end, or in the last quarter of a short life. */
const RENEW_BEFORE_MS = 30_000;
/** Calls sent with the old token may fail for this long after a renewal; they are only repeated. */
const FRESH_MS = 5_000;
/** After a failed renewal, waiting calls fail with the same error instead of repeating it. */
const FAILURE_HOLDS_MS = 5_000;

/** Provides the token of a server and renews it once for all processes. It never opens a browser. */
export function authProviderFor(server: AdmittedServer, store: CredentialStore): AuthProvider | undefined {
  const remote = remoteOf(server);
  // A key in the entry takes precedence over a token.
  return bringsOwnKey(remote) ? undefined : new Tokens(remote, store);
}

class Tokens implements AuthProvider {
  readonly #remote: SignInTarget;
  readonly #store: CredentialStore;
  /** A credential that could not be saved, and the stored one that it replaces. The old token is no longer valid. */
  #unsaved: { readonly credential: Credential; readonly instead: Credential | undefined } | undefined;
  #failure: { readonly until: number; readonly of: string | undefined; readonly error: unknown } | undefined;

  constructor(remote: SignInTarget, store: CredentialStore) {
    this.#remote = remote;
    this.#store = store;
  }

  async token(): Promise<string | undefined> {
    const credential = this.#credential();
    if (!credential || !isEnding(credential)) return credential?.accessToken;
    if (credential.refreshToken !== undefined)
      await this.#renew(credential).catch((error: unknown) => {
        // The old token is still valid, so ignore the failed renewal.
        if (isOver(credential)) throw error;
      });
    const now = this.#credential();
    return now && !isOver(now) ? now.accessToken : undefined;
  }

  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    const credential = this.#credential();
    if (credential && !isOver(credential) && Date.now() - credential.obtainedAt < FRESH_MS) return;
    await this.#renew(credential, response);
  }

  /** Ignores a stored credential of another client than the one in the entry. */
  #credential(): Credential | undefined {
    const { resource, settings } = this.#remote;
    const stored = this.#store.find(resource);
    const unsaved = this.#unsaved;
    const found = unsaved && stored?.accessToken === unsaved.instead?.accessToken ? unsaved.credential : stored;
    return settings.clientId === undefined || found?.client.client_id === settings.clientId ? found : undefined;
  }

  async #renew(seen: Credential | undefined, refusal?: Response): Promise<void> {
    const failure = this.#failure;
    if (failure && failure.of === seen?.accessToken && Date.now() < failure.until) throw failure.error;
    const sdk = await import('@modelcontextprotocol/client');
    try {
      await this.#store.alone(this.#remote.resource, async () => {
        const now = this.#credential();
        // Another process renewed the token while we waited for the lock.
        if (now && now.accessToken !== seen?.accessToken && !isOver(now)) return;
        await this.#renewAlone(sdk, now, refusal);
      });
      this.#failure = undefined;
    } catch (error) {
      const secrets = [
        ...secretsIn(this.#remote.settings),
        seen?.accessToken ?? '',
        seen?.refreshToken ?? '',
        seen?.client.client_secret ?? '',
      ];
      const fault = oauthFault(sdk, this.#remote.name, error, secrets);
      this.#failure = { until: Date.now() + FAILURE_HOLDS_MS, of: seen?.accessToken, error: fault };
      throw fault;
    }
  }

  async #renewAlone(sdk: Sdk, now: Credential | undefined, refusal: Response | undefined): Promise<void> {
    const { name, settings, written } = this.#remote;
    const fetch = checkedFetch({ written });
    if (settings.grant !== 'browser') {
      const challenge = refusal ? readChallenge(sdk, refusal) : {};
      const issuer = await findIssuer(sdk, this.#remote, challenge, fetch);
      const [remote, store] = [this.#remote, this.#store];
      const attempt = { remote, store, issuer, challenge, fetch };
      await this.#keep(await signInAsMachine(sdk, settings.grant, attempt), now, (credential) =>
        store.save(credential),
      );
      return;
    }
    if (now?.refreshToken === undefined) throw signInNeeded(name, now ? 'needs a new sign-in' : undefined);
    if (refusal && (await this.#hasMoved(sdk, now, refusal)))
      throw signInNeeded(name, 'has a new authorization server and needs a new sign-in');
    await this.#refresh(sdk, now, now.refreshToken);
  }

  async #refresh(sdk: Sdk, now: Credential, refreshToken: string): Promise<void> {
    const fetchFn = checkedFetch({ written: this.#remote.written });
    const metadata = await metadataOf(sdk, now.issuer, this.#remote, fetchFn);
    try {
      const tokens = await sdk.refreshAuthorization(now.issuer, {
        clientInformation: now.client,
        refreshToken,
        fetchFn,
        ...(metadata && { metadata }),
        ...(now.audience !== undefined && { resource: now.audience }),
      });
      // Not saved after a sign-in or sign-out in the meantime.
      await this.#keep(toCredential(now, tokens, Date.now()), now, (credential, instead) =>
        this.#store.save(credential, instead),
      );
    } catch (error) {
      if (!(error instanceof sdk.OAuthError) || !LOST.includes(error.code)) throw error;
      // A process without our lock may have renewed first; then its token is in the file.
      if (this.#credential()?.accessToken !== now.accessToken) return;
      const { refreshToken: _dead, ...rest } = now;
      await this.#store.save(rest, now);
      throw signInNeeded(this.#remote.name, 'needs a new sign-in');
    }
  }

  async #keep(
    credential: Credential,
    before: Credential | undefined,
    save: (credential: Credential, instead: Credential | undefined) => Promise<boolean>,
  ): Promise<void> {
    const instead = this.#unsaved && this.#unsaved.credential === before ? this.#unsaved.instead : before;
    try {
      await save(credential, instead);
      this.#unsaved = undefined;
    } catch {
      // If the disk is full, keep the credential in memory and try to write it again with the next refresh.
      this.#unsaved = { credential, instead };
    }
  }

  /** Whether the server now names another authorization server. False if its metadata cannot be read. */
  async #hasMoved(sdk: Sdk, { issuer }: Credential, refusal: Response): Promise<boolean> {
    if (this.#remote.settings.metadataUrl) return false;
    const { url, written } = this.#remote;
    const { resourceMetadataUrl } = readChallenge(sdk, refusal);
    try {
      const where = resourceMetadataUrl ? { resourceMetadataUrl } : {};
      const found = await sdk.discoverOAuthProtectedResourceMetadata(url, where, checkedFetch({ written }));
      const named = found.authorization_servers ?? [];
      return named.length > 0 && !named.some((one) => withoutSlash(one) === withoutSlash(issuer));
    } catch {
      return false;
    }
  }
}

/** Error codes for an unknown refresh token or client. */
const LOST: readonly string[] = ['invalid_grant', 'invalid_client', 'unauthorized_client'];

function isOver({ expiresAt }: Credential): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}

function isEnding({ expiresAt, obtainedAt }: Credential): boolean {
  if (expiresAt === undefined) return false;
  return Date.now() >= expiresAt - Math.min(RENEW_BEFORE_MS, (expiresAt - obtainedAt) / 4);
}
