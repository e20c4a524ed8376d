import { ErrorCode, PortolanError } from '../../base/index.js';
import type { Remote, Sdk } from './remote.js';

/** What a server says when it refuses. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

const ASK_MS = 15_000;
/** A question that changes nothing, should the server answer it. */
const QUESTION = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** Asks a server without a key, to hear where one is to be had and what for. */
export async function challengeOf(sdk: Sdk, { name, url, headers }: Remote, signal: AbortSignal): Promise<Challenge> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: QUESTION,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]),
    });
    const challenge = readChallenge(sdk, response);
    await response.body?.cancel();
    return challenge;
  } catch (error) {
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
