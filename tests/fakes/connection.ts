import { PassThrough } from 'node:stream';
import type { PortolanError } from '../../src/base/index.js';
import { StreamChannel } from '../../src/rpc/index.js';
import { type CallOptions, Connection } from '../../src/upstream/connection/connection.js';

export type Json = Record<string, unknown>;
export interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: Json;
}

export const INITIALIZE_RESULT = {
  protocolVersion: '2025-11-25',
  serverInfo: { name: 's', version: '1' },
  capabilities: {},
};
export const SHORT: CallOptions = { timeoutMs: 50, totalMs: 50 };
export const LONG: CallOptions = { timeoutMs: 10_000, totalMs: 10_000 };
export const MAX_LINE_BYTES = 10_000;

/** A connection to a server that is a function from request to result. */
export function connectTo(serve: (request: Request, say: (message: Json | string) => void) => unknown) {
  const [toServer, fromServer] = [new PassThrough(), new PassThrough()];
  const got: Request[] = [];
  const events = { noise: 0, notified: [] as string[], closings: [] as (string | undefined)[] };
  const say = (message: Json | string) => {
    fromServer.write(`${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  toServer.on('data', async (chunk: Buffer) => {
    // A real server does not respond before the write has returned.
    await new Promise((resolve) => setImmediate(resolve));
    for (const line of String(chunk).split('\n').filter(Boolean)) {
      const request: Request = JSON.parse(line);
      got.push(request);
      const result = serve(request, say);
      if (result !== undefined && request.id !== undefined) say({ id: request.id, result });
    }
  });
  const limits = { maxLineBytes: MAX_LINE_BYTES, maxDepth: 64 };
  const connection = new Connection(new StreamChannel(fromServer, toServer, () => limits), {
    onNotification: (method) => events.notified.push(method),
    onClose: (reason) => events.closings.push(reason),
    onInvalidMessage: () => {
      events.noise += 1;
    },
    stderrTail: () => 'ouch',
    redact: (text) => text.replaceAll('hunter22', '[secret]'),
  });
  return { connection, got, events, say, end: () => fromServer.end() };
}

export const failureOf = async (promise: Promise<unknown>): Promise<PortolanError> =>
  promise.then(
    () => Promise.reject(new Error('the promise did not reject')),
    (error) => error,
  );
export const tick = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));
