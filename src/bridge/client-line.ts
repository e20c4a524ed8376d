import { isDeeperThan, writeJson } from '../base/index.js';
import { parseLine, type RpcFault } from '../rpc/index.js';
import { parsed } from './parse-bytes.js';
import { MAX_READ_DEPTH, TOO_DEEP } from './rpc-faults.js';

/** What a client may say in one message before the daemon refuses it; more than that is not even passed on. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export type ClientLine =
  | { readonly kind: 'messages'; readonly messages: readonly ClientMessage[] }
  | { readonly kind: 'refused'; readonly id: unknown; readonly fault: RpcFault; readonly isAnswer: boolean };

/** One message, read and as it is passed on. */
interface ClientMessage {
  readonly message: unknown;
  readonly bytes: Buffer;
}

/** What a client says in one line; refused is what the daemon would never see as a whole and so could not refuse itself. */
export function readClientLine(bytes: Buffer): ClientLine {
  if (isDeeperThan(bytes, MAX_READ_DEPTH)) {
    const [read] = parseLine(bytes, MAX_READ_DEPTH);
    const id = read?.kind === 'invalid' ? read.id : undefined;
    return { kind: 'refused', id, fault: TOO_DEEP, isAnswer: !bytes.includes('"method"') };
  }
  const message = parsed(bytes);
  if (!Array.isArray(message)) return { kind: 'messages', messages: [{ message, bytes }] };
  const [first, ...others] = parseLine(bytes, MAX_READ_DEPTH);
  // One verdict over none or many is about the batch, which the daemon gets in pieces: an empty one has none to answer.
  if (message.length !== 1 && others.length === 0 && first?.kind === 'invalid')
    return { kind: 'refused', id: first.id, fault: first.fault, isAnswer: false };
  const messages = message.map((one) => ({ message: one, bytes: Buffer.from(writeJson(one)) }));
  return { kind: 'messages', messages };
}
