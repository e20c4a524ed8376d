import type { Readable, Writable } from 'node:stream';
import { StreamChannel, type StreamLimits } from '../../rpc/index.js';
import { Session, type SessionOptions } from './session.js';

export interface StdioOptions extends SessionOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly limits: () => StreamLimits;
}

/** Serves one client over stdio. */
export function serveStdio({ input, output, limits, ...options }: StdioOptions): Session {
  return new Session(new StreamChannel(input, output, limits), options);
}
