import { assertNever } from '../../base/index.js';
import type { Outcome, SavedFile, StopReason, Truncated } from '../../sandbox/index.js';

/** An exception in a program, or the reason it was stopped. */
export interface PythonError {
  readonly type: string;
  readonly message: string;
  /** The line in the submitted code. */
  readonly line?: number;
  /** The error code of an `mcp.ToolError`. */
  readonly code?: string;
}

/** The result of a program; empty parts are left out. */
export interface PythonAnswer {
  readonly engine: string;
  readonly guarantees: readonly string[];
  readonly stdout?: string;
  readonly stderr?: string;
  /** The value of the last expression: as JSON if that loses nothing, otherwise its Python `repr`. */
  readonly result?: unknown;
  readonly error?: PythonError;
  readonly files?: readonly SavedFile[];
  /** The parts that were cut at a limit. */
  readonly truncated?: readonly Truncated[];
  /** The variables of earlier programs of this session were lost. */
  readonly stateLost?: true;
}

/** The error type for a stopped program, where possible the name of a Python exception. */
const STOPPED: Partial<Record<StopReason, string>> = {
  timeoutMs: 'TimeoutError',
  memoryBytes: 'MemoryError',
  cancelled: 'CancelledError',
  died: 'InterpreterDied',
};

/** The answer for an outcome, and the result's Python `repr`, which is easier to read than its JSON. */
export function answerTo(
  outcome: Outcome,
  wasLost: boolean,
): { readonly answer: PythonAnswer; readonly resultText?: string } {
  const { engine, guarantees, stdout, stderr, files, truncated, stateLost } = outcome.output;
  const value = outcome.kind === 'value' ? outcome.value : undefined;
  const error = errorOf(outcome);
  return {
    answer: {
      engine,
      guarantees,
      ...(stdout !== '' && { stdout }),
      ...(stderr !== '' && { stderr }),
      ...(value && { result: 'json' in value ? value.json : value.text }),
      ...(error && { error }),
      ...(files.length > 0 && { files }),
      ...(truncated.length > 0 && { truncated }),
      ...((stateLost || wasLost) && { stateLost: true }),
    },
    ...(value && { resultText: value.text }),
  };
}

function errorOf(outcome: Outcome): PythonError | undefined {
  switch (outcome.kind) {
    case 'value':
      return undefined;
    case 'threw': {
      const { type, message, line, code } = outcome.error;
      return { type, message, ...(line !== undefined && { line }), ...(code !== undefined && { code }) };
    }
    case 'stopped':
      return { type: STOPPED[outcome.limit] ?? 'Stopped', message: outcome.message };
    default:
      return assertNever(outcome);
  }
}
