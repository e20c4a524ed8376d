import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { deadline, ErrorCode, PortolanError } from '../../base/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import { forbiddenAddress } from '../remote/address-rules.js';
import type { Fetch } from '../remote/remote-fetch.js';
import { type Challenge, challengeOf } from './auth-challenge.js';
import { BrowserFlow } from './browser-flow.js';
import { CallbackListener } from './callback-listener.js';
import { checkedFetch, insecure } from './checked-fetch.js';
import type { Credential } from './credential.js';
import type { CredentialStore } from './credential-store.js';
import { findIssuer } from './find-issuer.js';
import { signInAsMachine } from './machine-sign-in.js';
import { scopeFor } from './oauth-scope.js';
import { secretsIn } from './oauth-settings.js';
import { browsable } from './open-browser.js';
import { oauthFault } from './sign-in-needed.js';
import { bringsOwnKey, remoteOf, type Sdk, type SignInTarget } from './sign-in-target.js';
import { type SignedIn, signedInAs } from './signed-in.js';
import { toClient, toCredential } from './to-credential.js';

/** Timeout of a sign-in in the browser, long enough to look up a password. */
const SIGN_IN_MS = 5 * 60 * 1000;

export interface SignInOptions {
  /** Whether a browser was opened on this machine. */
  readonly openBrowser: (page: URL) => Promise<boolean>;
  /** Prints the URL of the page, in case no browser or the wrong one opens. */
  readonly print: (page: string, opened: boolean) => void;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Signs the user in to a server and stores the tokens. */
export async function signIn(
  server: AdmittedServer,
  store: CredentialStore,
  { openBrowser, print, signal, timeoutMs = SIGN_IN_MS }: SignInOptions,
): Promise<SignedIn> {
  const remote = remoteOf(server);
  if (bringsOwnKey(remote)) throw ownKey(remote);
  const sdk = await import('@modelcontextprotocol/client');
  using limit = deadline(timeoutMs, signal);
  const attempt: Attempt = { sdk, remote, store, openBrowser, print, signal: limit.signal };
  const fetch = checkedFetch({ written: remote.written, signal: attempt.signal });
  const secrets = secretsIn(remote.settings);
  try {
    const challenge = await challengeOf(sdk, remote, attempt.signal);
    const issuer = await findIssuer(sdk, remote, challenge, fetch);
    const { grant } = remote.settings;
    const credential =
      grant === 'browser'
        ? await inBrowser(attempt, issuer, challenge, fetch, secrets)
        : await signInAsMachine(sdk, grant, { remote, store, issuer, challenge, fetch });
    await store.save(credential);
    return signedInAs(credential);
  } catch (error) {
    throw oauthFault(sdk, remote.name, error, secrets);
  }
}

interface Attempt extends Pick<SignInOptions, 'openBrowser' | 'print'> {
  readonly sdk: Sdk;
  readonly remote: SignInTarget;
  readonly store: CredentialStore;
  readonly signal: AbortSignal;
}

async function inBrowser(
  { sdk, remote, store, openBrowser, print, signal }: Attempt,
  issuer: OAuthDiscoveryState,
  challenge: Challenge,
  fetchFn: Fetch,
  secrets: string[],
): Promise<Credential> {
  const before = store.find(remote.resource);
  await using listener = await CallbackListener.open(remote.redirect());
  const { redirect, state } = listener;
  const flow = new BrowserFlow({ settings: remote.settings, redirect, state, issuer, boundTo: before?.issuer });
  const scope = scopeFor(sdk, remote, challenge, before);
  const request = { serverUrl: remote.url, fetchFn, ...(scope !== undefined && { scope }) };
  await sdk.auth(flow, request).catch((error: unknown) => {
    // Without metadata the SDK guesses the endpoints. If registration fails there, the server has no sign-in.
    const isGuess = issuer.authorizationServerMetadata === undefined && issuer.resourceMetadata === undefined;
    throw isGuess && error instanceof sdk.RegistrationRejectedError ? noSignIn(remote) : error;
  });
  if (!flow.page) throw new Error('the SDK named no page to sign in on');
  await checkPage(flow.page, remote);
  print(browsable(flow.page), await openBrowser(flow.page));
  const { code, iss } = await listener.wait(signal);
  secrets.push(code, flow.codeVerifier(), flow.client?.client_secret ?? '');
  await sdk.auth(flow, { ...request, authorizationCode: code, ...(iss !== undefined && { iss }) });
  const { received, client, audience } = flow;
  if (!received || !client) throw new Error('the SDK saved no tokens');
  const known = {
    resource: remote.resource,
    issuer: received.issuer ?? issuer.authorizationServerUrl,
    server: remote.name,
    client: toClient(client),
    ...(audience !== undefined && { audience }),
    ...(scope !== undefined && { scope }),
  };
  return toCredential(known, received, Date.now());
}

/** The browser has the user's cookies and network, so check the page that the authorization server names. */
async function checkPage(page: URL, { name, written }: SignInTarget): Promise<void> {
  browsable(page);
  const found = await Promise.all(written.map((from) => forbiddenAddress(page, from)));
  const refusal = insecure(page, written) ?? (found.includes(undefined) ? undefined : found[0]);
  if (refusal === undefined) return;
  throw new PortolanError(ErrorCode.ConnectionError, `refused to open the sign-in page of ${name}: ${refusal}`, {
    hint: 'the authorization server named this page; report it to the operator of the server',
  });
}

function ownKey({ name }: SignInTarget): PortolanError {
  return new PortolanError(ErrorCode.Usage, `the entry of ${name} has its own key, so it needs no sign-in`, {
    hint: 'remove the header `Authorization` from the entry to sign in instead',
  });
}

function noSignIn({ name }: SignInTarget): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${name} offers no sign-in`, {
    hint: 'it may require a key in a header: see its documentation, and add the header to its entry',
  });
}
