import { ErrorCode, isObject, PortolanError } from '../../base/index.js';
import type { ToolResult } from '../../model/index.js';
import { AnswerTooLarge, ChannelClosed, RpcError } from '../../rpc/index.js';

export interface Explaining {
  /** Takes out what may not be shown. */
  redact(text: string): string;
  /** An error for a connection that is gone, with the last words of the server. */
  lost(why: string): PortolanError;
}

/** What went wrong with a call, with a code that says whether the server, the time or the connection failed. */
export function explained(error: unknown, { redact, lost }: Explaining): unknown {
  if (error instanceof RpcError) {
    const { code, message, data } = error.fault;
    // The cause may be passed on as the server's own words: it is shown no less than our text.
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
  // Whoever knows better what it means and what to do has said so.
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
  return new PortolanError(ErrorCode.LimitExceeded, 'the server does not read what it is sent', {
    hint: 'wait for the calls that are under way, or restart it',
  });
}

export function inUse(timeoutMs: number): PortolanError {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return new PortolanError(ErrorCode.ToolExecutionTimeout, `another client used the server for ${seconds} s`, {
    hint: 'it asks questions and so serves one client at a time: try again later',
  });
}

/** What we ask for ourselves when a server starts has the time of a start. */
const STARTING: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'tools/list']);

/** With the limit that was reached: `spentMs` is the whole time of a call, where it was not silence that ended it. */
export function timedOut(method: string, timeoutMs: number, spentMs?: number): PortolanError {
  const isStart = STARTING.has(method);
  const reachedMs = isStart ? timeoutMs : (spentMs ?? timeoutMs);
  const within = `within ${Math.round(reachedMs / 100) / 10} s`;
  const [more, hint] = isStart
    ? ['', 'try again, or raise timeouts.startMs; a time for the start in the entry of the server goes before it']
    : spentMs === undefined
      ? [
          '',
          'try again, ask for less at once, or raise timeouts.callMs; a timeout in the entry of the server goes before it',
        ]
      : [' in all, with signs of life', 'ask for less at once, or raise timeouts.totalMs'];
  return new PortolanError(ErrorCode.ToolExecutionTimeout, `no answer to ${method} ${within}${more}`, { hint });
}

/** The result of a failed tool or task is an error of the server, shown without secrets. Any other is passed on as it came. */
export function shownResult(result: ToolResult, redact: (text: string) => string): ToolResult {
  if (result.value.isError !== true && result.value.status !== 'failed') return result;
  const value = redactedValue(result.value, redact);
  // Unchanged, the text of the server stays what is passed on, with its numbers to the last digit.
  return value === result.value || !isObject(value) ? result : { value };
}

/** The same value without what may not be shown, also in what nests in it; the very same object if nothing changes. */
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
