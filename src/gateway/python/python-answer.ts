import { assertNever } from '../../base/index.js';
import type { Outcome, SavedFile, StopReason, Truncated } from '../../sandbox/index.js';

/** What went wrong in a program, or what ended it. */
export interface PythonError {
  readonly type: string;
  readonly message: string;
  /** In the submitted code. */
  readonly line?: number;
  /** Of an `mcp.ToolError`. */
  readonly code?: string;
}

/** How a program went. What is empty is left out. */
export interface PythonAnswer {
  readonly engine: string;
  readonly guarantees: readonly string[];
  readonly stdout?: string;
  readonly stderr?: string;
  /** The value of the last expression: itself where JSON keeps it as it is, else as Python writes it. */
  readonly result?: unknown;
  readonly error?: PythonError;
  readonly files?: readonly SavedFile[];
  /** What was cut at a limit. */
  readonly truncated?: readonly Truncated[];
  /** What earlier programs of this session left behind is gone. */
  readonly stateLost?: true;
}

/** The type that an ended program is told with: as near to Python's own as there is one. */
const STOPPED: Partial<Record<StopReason, string>> = {
  timeoutMs: 'TimeoutError',
  memoryBytes: 'MemoryError',
  cancelled: 'CancelledError',
  died: 'InterpreterDied',
};

/** The answer to an outcome, with the result as Python writes it beside: that is what a person or a model reads best. */
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
