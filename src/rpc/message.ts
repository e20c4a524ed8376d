import { isUtf8 } from 'node:buffer';
import { ErrorCode, hasLineEnd, isDeeperThan, isObject, MAX_PASSED_TEXT, PassingId, readJson } from '../base/index.js';

export type Id = string | number;

export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A message as it came in. */
export type Incoming =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  /** `json` is the result as it was written, where it can be passed on: a text that was read anyway, or bytes where it is long. */
  | { readonly kind: 'result'; readonly id: Id; readonly result: unknown; readonly json?: string | Buffer }
  | { readonly kind: 'fault'; readonly id: Id | undefined; readonly fault: RpcFault }
  /** Nothing that JSON-RPC knows; `id` where one can be answered. */
  | {
      readonly kind: 'invalid';
      readonly id: Id | undefined;
      readonly fault: RpcFault;
      /** It names no method and cannot be read as an answer: the request with this id gets no other one. */
      readonly isAnswer?: true;
    };

export type Params = Readonly<Record<string, unknown>> | undefined;

/** The codes of JSON-RPC itself. */
export const RpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** As many messages as one batch may hold. */
const MAX_BATCH = 256;
/** An `id` is repeated in every answer: a longer one is not. */
const MAX_ID_CHARACTERS = 1_024;

/** The two orders in which common servers write a result. The id is a number because ours are; a longer one is not ours. */
const RESULT_LAST = /^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}),"result":/;
const RESULT_FIRST = '{"result":';
const RESULT_FIRST_END = /,"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14})\}$/;
/** Both patterns are shorter. */
const FRAME_BYTES = 64;
const CLOSE_BRACE = 0x7d;
const REPLACEMENT = '\uFFFD';

/** What one line says: usually one message, several where it is a batch. Deep nesting is refused before it is parsed. */
export function parseLine(line: Buffer, maxDepth: number): readonly Incoming[] {
  if (isDeeperThan(line, maxDepth)) return [tooDeep(line, maxDepth)];
  const forwardable = parseForwardable(line);
  return forwardable ? [forwardable] : parseWhole(withoutMark(line).toString());
}

function parseWhole(text: string): readonly Incoming[] {
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    return [invalid(RpcCode.parseError, 'not valid JSON')];
  }
  if (!Array.isArray(value)) return [readMessage(value)];
  if (value.length === 0 || value.length > MAX_BATCH)
    return [invalid(RpcCode.invalidRequest, `a batch holds 1 to ${MAX_BATCH} messages`)];
  return value.map(readMessage);
}

/**
 * A result in an order in which it is usually written, and as it was written. Only what stands inside is parsed: if that is
 * one JSON value, the line is what it seems to be, and the value can go into another message as it is.
 */
function parseForwardable(line: Buffer): Incoming | undefined {
  const frame = resultFrame(line);
  if (!frame) return undefined;
  const bytes = line.subarray(frame.from, frame.to);
  const text = bytes.toString();
  // What is no UTF-8 is mended by decoding it, and would not be by passing it on.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) return undefined;
  try {
    const result: unknown = JSON.parse(text);
    // Some programs end a line at these too: what follows would be a message that nobody sent. Written again, they are escaped.
    return hasLineEnd(text)
      ? { kind: 'result', id: frame.id, result }
      : { kind: 'result', id: frame.id, result, json: text.length <= MAX_PASSED_TEXT ? text : bytes };
  } catch {
    return undefined; // a line of another shape: read as a whole
  }
}

/** The id of a result in one of the usual orders, and where its value is in the line. The value itself is not read. */
export function resultFrame(
  line: Buffer,
): { readonly id: number; readonly from: number; readonly to: number } | undefined {
  const head = line.toString('latin1', 0, FRAME_BYTES);
  const last = RESULT_LAST.exec(head);
  if (last) {
    const to = line.length - 1;
    return line[to] === CLOSE_BRACE ? { id: Number(last[1]), from: last[0].length, to } : undefined;
  }
  if (!head.startsWith(RESULT_FIRST)) return undefined;
  const end = RESULT_FIRST_END.exec(line.toString('latin1', Math.max(0, line.length - FRAME_BYTES)));
  return end ? { id: Number(end[1]), from: RESULT_FIRST.length, to: line.length - end[0].length } : undefined;
}

/** Some programs put the mark of UTF-8 before the first thing they write. */
function withoutMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

/** What a parsed value says as a message. */
export function readMessage(value: unknown): Incoming {
  if (!isObject(value)) return invalid(RpcCode.invalidRequest, 'a message is an object');
  const id = readId(value.id);
  if (value.jsonrpc !== '2.0') return invalid(RpcCode.invalidRequest, '"jsonrpc" is not "2.0"', id);
  if (value.method !== undefined) return readCall(value, id);
  const { error = null } = value;
  const hasResult = Object.hasOwn(value, 'result');
  // JSON-RPC 1.0 writes both members and sets the one that does not apply to null.
  if (hasResult && value.result !== null && error !== null)
    return { kind: 'invalid', id, fault: BOTH, ...(id !== undefined && { isAnswer: true }) };
  if (hasResult && error === null && id !== undefined) return { kind: 'result', id, result: value.result };
  if (isObject(value.error)) return { kind: 'fault', id, fault: readFault(value.error) };
  return invalid(RpcCode.invalidRequest, 'neither a request nor an answer', id);
}

function readCall(value: Record<string, unknown>, id: Id | undefined): Incoming {
  const { method, params } = value;
  if (typeof method !== 'string') return invalid(RpcCode.invalidRequest, '"method" is not a text', id);
  if (params !== undefined && !isObject(params)) {
    return id === undefined
      ? invalid(RpcCode.invalidRequest, '"params" is not an object')
      : { kind: 'invalid', id, fault: { code: RpcCode.invalidParams, message: '"params" is not an object' } };
  }
  if (!Object.hasOwn(value, 'id')) return { kind: 'notification', method, params };
  return id === undefined ? { kind: 'invalid', id, fault: NO_ID } : { kind: 'request', id, method, params };
}

function readFault({ code, message, data }: Record<string, unknown>): RpcFault {
  return {
    code: typeof code === 'number' ? code : RpcCode.internalError,
    message: typeof message === 'string' ? message : 'an error without a message',
    ...(data !== undefined && { data }),
  };
}

/** An `id` under which an answer can be given. */
export function readId(id: unknown): Id | undefined {
  // Beyond these two numbers may be one to us, and would be given back as another.
  if (typeof id === 'number') return Math.abs(id) <= Number.MAX_SAFE_INTEGER ? id : undefined;
  return typeof id === 'string' && id.length <= MAX_ID_CHARACTERS ? id : undefined;
}

/** For whoever asks under what cannot be given back. */
export const NO_ID: RpcFault = {
  code: RpcCode.invalidRequest,
  message: '"id" is neither a text nor a number that can be given back',
};

/** For a response of which nobody can say whether it is a success. */
const BOTH: RpcFault = { code: RpcCode.invalidRequest, message: 'it has both "result" and "error"' };

/** For whoever sent what is too large to keep: what it holds in most cases, and what can be done about it. */
export function tooLarge(bytes: number): RpcFault {
  return {
    code: RpcCode.invalidRequest,
    message: `a message of ${bytes} bytes is too large`,
    data: {
      code: ErrorCode.LimitExceeded,
      hint: 'pass less, or several calls; limits.maxArgumentBytes sets the limit',
    },
  };
}

/** What can be told of a message that is not parsed. */
export interface LargeMessage {
  readonly id: Id | undefined;
  /** It asks or tells something; anything else is an answer. */
  readonly isRequest: boolean;
}

/** What all of a message tells, or its beginning. */
export function largeMessage(line: Buffer): LargeMessage {
  const passing = new PassingId();
  passing.push(line);
  return { id: readId(passing.id), isRequest: passing.isRequest };
}

/** Whoever waits for an answer to what is not parsed gets one. */
function tooDeep(line: Buffer, maxDepth: number): Incoming {
  const fault = { code: RpcCode.invalidRequest, message: `nested deeper than ${maxDepth}` };
  const { id, isRequest } = largeMessage(line);
  return { kind: 'invalid', id, fault, ...(id !== undefined && !isRequest && { isAnswer: true }) };
}

function invalid(code: number, message: string, id?: Id): Incoming {
  return { kind: 'invalid', id, fault: { code, message } };
}
