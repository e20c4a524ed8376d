import { isUtf8 } from 'node:buffer';
import { ErrorCode, hasLineEnd, isDeeperThan, isObject, MAX_PASSED_TEXT, PassingId, readJson } from '../base/index.js';

export type Id = string | number;

export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A parsed incoming message. */
export type Incoming =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  /** `json` is the unparsed result, if it can be forwarded: as text, or as bytes if it is long. */
  | { readonly kind: 'result'; readonly id: Id; readonly result: unknown; readonly json?: string | Buffer }
  | { readonly kind: 'fault'; readonly id: Id | undefined; readonly fault: RpcFault }
  /** Not valid JSON-RPC. `id` is set if an error response is possible. */
  | {
      readonly kind: 'invalid';
      readonly id: Id | undefined;
      readonly fault: RpcFault;
      /**
       * It has no method and is not a valid response, so the request with this id fails: no other response will arrive.
       */
      readonly isAnswer?: true;
      /** It has an id and no method, so it is a response if a request with this id is pending. */
      readonly mayAnswer?: true;
    };

export type Params = Readonly<Record<string, unknown>> | undefined;

/** The error codes of JSON-RPC. */
export const RpcCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** The maximum number of messages in a batch. */
const MAX_BATCH = 256;
/** The maximum length of an `id`, because it is repeated in the response. */
const MAX_ID_CHARACTERS = 1_024;

/**
 * The two orders in which common servers write the fields of a result. Our own ids are numbers of at most 15 digits, so
 * other ids do not match.
 */
const RESULT_LAST = /^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}),"result":/;
const RESULT_FIRST = '{"result":';
const RESULT_FIRST_END = /,"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14})\}$/;
/** Longer than any match of the two patterns. */
const FRAME_BYTES = 64;
const CLOSE_BRACE = 0x7d;
const REPLACEMENT = '\uFFFD';

/** Parses one line: a message, or a batch. Rejects deep nesting before it parses. */
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
    return [invalid(RpcCode.invalidRequest, `a batch must have 1 to ${MAX_BATCH} messages`)];
  return value.map(readMessage);
}

/**
 * A result in one of the usual orders, with its original text. Only the value is parsed: if it is a single JSON value,
 * the frame around it is correct, and the value can be forwarded unchanged.
 */
function parseForwardable(line: Buffer): Incoming | undefined {
  const frame = resultFrame(line);
  if (!frame) return undefined;
  const bytes = line.subarray(frame.from, frame.to);
  const text = bytes.toString();
  // Decoding replaces invalid UTF-8; forwarding the bytes would not.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) return undefined;
  try {
    const result: unknown = JSON.parse(text);
    // Some programs treat these characters as line ends and would read a forged message after them. Serializing the
    // value again escapes them.
    return hasLineEnd(text)
      ? { kind: 'result', id: frame.id, result }
      : { kind: 'result', id: frame.id, result, json: text.length <= MAX_PASSED_TEXT ? text : bytes };
  } catch {
    return undefined; // another order of fields: the caller parses the whole line
  }
}

/** The id of a result in one of the usual orders, and the range of its value in the line. The value is not parsed. */
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

/** Some programs begin their output with a UTF-8 byte order mark. */
function withoutMark(line: Buffer): Buffer {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
}

/** Interprets a parsed JSON value as a message. */
export function readMessage(value: unknown): Incoming {
  if (!isObject(value)) return invalid(RpcCode.invalidRequest, 'a message must be an object');
  const id = readId(value.id);
  // For example a line of a log: it fails no request, whatever its id is.
  if (value.jsonrpc !== '2.0') return invalid(RpcCode.invalidRequest, '"jsonrpc" is not "2.0"', id);
  if (value.method !== undefined) return readCall(value, id);
  const { error = null } = value;
  const hasResult = Object.hasOwn(value, 'result');
  // JSON-RPC 1.0 writes both members and sets the one that does not apply to null.
  if (hasResult && value.result !== null && error !== null)
    return { kind: 'invalid', id, fault: BOTH, ...(id !== undefined && { isAnswer: true }) };
  if (hasResult && error === null && id !== undefined) return { kind: 'result', id, result: value.result };
  if (isObject(value.error)) return { kind: 'fault', id, fault: readFault(value.error) };
  const neither = invalid(RpcCode.invalidRequest, 'neither a request nor a response', id);
  return id === undefined ? neither : { ...neither, mayAnswer: true };
}

function readCall(value: Record<string, unknown>, id: Id | undefined): Incoming {
  const { method, params } = value;
  if (typeof method !== 'string') return invalid(RpcCode.invalidRequest, '"method" is not a string', id);
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

/** The `id`, if a response can repeat it exactly. */
export function readId(id: unknown): Id | undefined {
  // Larger integers are rounded, so the response would have another id.
  if (typeof id === 'number') return Math.abs(id) <= Number.MAX_SAFE_INTEGER ? id : undefined;
  return typeof id === 'string' && id.length <= MAX_ID_CHARACTERS ? id : undefined;
}

/** For a request whose id a response could not repeat. */
export const NO_ID: RpcFault = {
  code: RpcCode.invalidRequest,
  message: '"id" must be a short string or an integer up to 2^53',
};

/** For a response that could be a success or an error. */
const BOTH: RpcFault = { code: RpcCode.invalidRequest, message: 'it has both "result" and "error"' };

/** For a message that is too large. Most of these have large arguments, so the hint is about those. */
export function tooLarge(bytes: number): RpcFault {
  return {
    code: RpcCode.invalidRequest,
    message: `a message of ${bytes} bytes is too large`,
    data: {
      code: ErrorCode.LimitExceeded,
      hint: 'send less data, or split it over several calls; limits.maxArgumentBytes sets the limit',
    },
  };
}

/** The facts about a message that can be found without parsing it. */
export interface LargeMessage {
  readonly id: Id | undefined;
  /** It has a method, so it is a request or a notification; otherwise it is a response. */
  readonly isRequest: boolean;
}

/** Reads these facts from a whole message or from its beginning. */
export function largeMessage(line: Buffer): LargeMessage {
  const passing = new PassingId();
  passing.push(line);
  return { id: readId(passing.id), isRequest: passing.isRequest };
}

/** Reports a message that is nested too deeply, with its id, so that the pending request fails instead of hanging. */
function tooDeep(line: Buffer, maxDepth: number): Incoming {
  const fault = { code: RpcCode.invalidRequest, message: `nested deeper than ${maxDepth}` };
  const { id, isRequest } = largeMessage(line);
  return { kind: 'invalid', id, fault, ...(id !== undefined && !isRequest && { isAnswer: true }) };
}

function invalid(code: number, message: string, id?: Id): Extract<Incoming, { kind: 'invalid' }> {
  return { kind: 'invalid', id, fault: { code, message } };
}
