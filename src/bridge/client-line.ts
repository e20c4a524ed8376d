import { isDeeperThan, writeJson } from '../base/index.js';
import { parseLine, type RpcFault } from '../rpc/index.js';
import { parsed } from './parse-bytes.js';
import { MAX_READ_DEPTH, TOO_DEEP } from './rpc-faults.js';

/** The largest line a client may send. The daemon's own limit is at most this, so a longer line is not forwarded. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export type ClientLine =
  | { readonly kind: 'messages'; readonly messages: readonly ClientMessage[] }
  | { readonly kind: 'refused'; readonly id: unknown; readonly fault: RpcFault; readonly isAnswer: boolean };

/** A parsed message and the bytes that are forwarded for it. */
interface ClientMessage {
  readonly message: unknown;
  readonly bytes: Buffer;
}

/**
 * Parses one line from the client. The result is `refused` if the daemon would not receive the whole line (a batch is
 * forwarded message by message) and so could not reject it itself.
 */
export function readClientLine(bytes: Buffer): ClientLine {
  if (isDeeperThan(bytes, MAX_READ_DEPTH)) {
    const [read] = parseLine(bytes, MAX_READ_DEPTH);
    const id = read?.kind === 'invalid' ? read.id : undefined;
    return { kind: 'refused', id, fault: TOO_DEEP, isAnswer: !bytes.includes('"method"') };
  }
  const message = parsed(bytes);
  if (!Array.isArray(message)) return { kind: 'messages', messages: [{ message, bytes }] };
  const [first, ...others] = parseLine(bytes, MAX_READ_DEPTH);
  // A single fault for an empty or oversized batch concerns the batch as a whole, so it is rejected here.
  if (message.length !== 1 && others.length === 0 && first?.kind === 'invalid')
    return { kind: 'refused', id: first.id, fault: first.fault, isAnswer: false };
  const messages = message.map((one) => ({ message: one, bytes: Buffer.from(writeJson(one)) }));
  return { kind: 'messages', messages };
}
