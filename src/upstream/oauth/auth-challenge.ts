import { deadline, ErrorCode, PortolanError } from '../../base/index.js';
import { dnsLookup } from '../remote/address-rules.js';
import { EntryHeaders } from '../remote/entry-headers.js';
import { remoteFetch } from '../remote/remote-fetch.js';
import type { Sdk, SignInTarget } from './sign-in-target.js';

/** What a server says when it refuses. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

const ASK_MS = 15_000;
/** A question that changes nothing, should the server answer it. */
const QUESTION = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** Asks a server without a key, to hear where one is to be had and what for. */
export async function challengeOf(
  sdk: Sdk,
  { name, url, headers }: SignInTarget,
  signal: AbortSignal,
): Promise<Challenge> {
  const address = { url, headers: await EntryHeaders.open(headers), lookup: dnsLookup };
  // The same checks as for a call: an entry may name a place where no server is.
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
      hint: 'see that you are online and that its address is right',
      cause: error,
    });
  }
}

export function readChallenge(sdk: Sdk, response: Response): Challenge {
  const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}
