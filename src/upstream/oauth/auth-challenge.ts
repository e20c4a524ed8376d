import { deadline, ErrorCode, PortolanError } from '../../base/index.js';
import { dnsLookup } from '../remote/address-rules.js';
import { EntryHeaders } from '../remote/entry-headers.js';
import { remoteFetch } from '../remote/remote-fetch.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';

/** The content of a WWW-Authenticate header. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

const ASK_MS = 15_000;
/** A request without effect, in case the server answers it. */
const QUESTION = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** Sends a request without a token, to learn the metadata URL and scope from the refusal. */
export async function challengeOf(
  sdk: Sdk,
  { name, url, headers }: SignInTarget,
  signal: AbortSignal,
): Promise<Challenge> {
  const address = { url, headers: await EntryHeaders.open(headers), lookup: dnsLookup };
  // The same address checks as for a call.
  using remote = remoteFetch(address, () => true);
  using limit = deadline(ASK_MS, signal);
  try {
    const response = await remote.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: QUESTION,
      signal: limit.signal,
    });
    const challenge = readChallenge(sdk, response);
    await response.body?.cancel();
    return challenge;
  } catch (error) {
    if (error instanceof PortolanError) throw error;
    throw new PortolanError(ErrorCode.ConnectionError, `${name} could not be reached`, {
      hint: 'check your network connection and the URL in its entry',
      cause: error,
    });
  }
}

export function readChallenge(sdk: Sdk, response: Response): Challenge {
  const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}
