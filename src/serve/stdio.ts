import type { Readable, Writable } from 'node:stream';
import { StreamChannel, type StreamLimits } from '../base/index.js';
import { Session, type SessionOptions } from './session.js';

/** What a client may say in one line beside the arguments of a call. */
const ENVELOPE_BYTES = 64 * 1024;

export interface StdioOptions extends SessionOptions {
  readonly input: Readable;
  readonly output: Writable;
}

/** Serves one client over a pair of pipes. */
export function serveStdio({ input, output, ...options }: StdioOptions): Session {
  const limits = (): StreamLimits => {
    const { maxArgumentBytes, maxDepth } = options.gateway.view.settings.limits;
    return { maxLineBytes: maxArgumentBytes + ENVELOPE_BYTES, maxDepth };
  };
  return new Session(new StreamChannel(input, output, limits), options);
}
