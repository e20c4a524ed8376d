import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { ToolResult } from '../../model/index.js';
import { AnswerTooLarge, ChannelClosed, RpcError } from '../../rpc/index.js';

export interface Explaining {
  /** Masks secrets. */
  redact(text: string): string;
  /** An error for a lost connection, with the last stderr of the server. */
  lost(why: string): PortolanError;
}

/** Turns an error into one whose code tells a server error, a timeout and a lost connection apart. */
export function explained(error: unknown, { redact, lost }: Explaining): unknown {
  if (error instanceof RpcError) {
    const { code, message, data } = error.fault;
    // Mask the cause too, because clients may receive it as the server's own error.
    const cause = new RpcError(code, redact(message), redactedValue(data, redact));
    return new PortolanError(ErrorCode.ToolExecutionError, cause.message, { cause });
  }
  if (error instanceof AnswerTooLarge) {
    return new PortolanError(ErrorCode.ResultTooLarge, `the result has ${error.bytes} bytes, more than the limit`, {
      hint: 'ask for less at once, or raise limits.maxResultBytes',
    });
  }
  if (!(error instanceof ChannelClosed)) return error;
  const { cause, message } = error;
  // A more specific error keeps its code and hint.
  if (cause instanceof PortolanError) {
    const { code, hint } = cause;
    return new PortolanError(code, redact(cause.message), { cause: error, ...(hint !== undefined && { hint }) });
  }
  const failure = lost(redact(cause instanceof Error ? cause.message : message));
  failure.cause = error;
  return failure;
}

export function cancelled(): PortolanError {
  return new PortolanError(ErrorCode.Cancelled, 'the call was cancelled');
}

export function notReading(): PortolanError {
  return new PortolanError(ErrorCode.LimitExceeded, 'the server does not read its input', {
    hint: 'wait for the calls in progress, or close the clients that use it, so that it is started again',
  });
}

export function inUse(timeoutMs: number): PortolanError {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return new PortolanError(ErrorCode.ToolExecutionTimeout, `another client used the server for ${seconds} s`, {
    hint: 'the server asks its clients questions, so it serves one client at a time: try again later',
  });
}

/** Requests during the start of a server use the start timeout. */
const STARTING: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'tools/list']);

/** Names the limit that was reached: `spentMs` is set if it was the total limit. */
export function timedOut(method: string, timeoutMs: number, spentMs?: number): PortolanError {
  const isStart = STARTING.has(method);
  const reachedMs = isStart ? timeoutMs : (spentMs ?? timeoutMs);
  const within = `within ${Math.round(reachedMs / 100) / 10} s`;
  const [more, hint] = isStart
    ? ['', 'try again, or raise timeouts.startMs; a start timeout in the entry of the server takes precedence']
    : spentMs === undefined
      ? [
          '',
          'try again, ask for less at once, or raise timeouts.callMs; a timeout in the entry of the server takes precedence',
        ]
      : [' in total, although the server was active', 'ask for less at once, or raise timeouts.totalMs'];
  return new PortolanError(ErrorCode.ToolExecutionTimeout, `no answer to ${method} ${within}${more}`, { hint });
}

/** Masks secrets in the result of a failed tool or task. Any other result is passed on unchanged. */
export function shownResult(result: ToolResult, redact: (text: string) => string): ToolResult {
  if (result.value.isError !== true && result.value.status !== 'failed') return result;
  const value = redactedValue(result.value, redact);
  // If nothing was masked, pass on the server's original JSON text, which keeps all digits of its numbers.
  return value === result.value || !isObject(value) ? result : { value };
}

/** Masks all strings in a value; returns the same object if nothing changes. */
function redactedValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((one) => redactedValue(one, redact));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => [
    redact(key),
    redactedValue(one, redact),
  ]);
  const isSame = Object.entries(value).every(([key, one], at) => entries[at]?.[0] === key && entries[at]?.[1] === one);
  return isSame ? value : Object.fromEntries(entries);
}
