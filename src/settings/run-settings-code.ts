import { createRequire } from 'node:module';
import { CODE_WORKER } from './code-worker.js';

/** More than any settings need, and not enough to harm the machine. */
const MAX_MEMORY_MB = 256;

/** Settings that are code: the text that was read and, in a project, approved. */
export interface Code {
  readonly path: string;
  readonly text: string;
  /** Use only these keys of the export. A file shared with another program may export functions under others. */
  readonly keys?: readonly string[];
  /** Allow only imports of Node's own modules, because the approval covers this text only. */
  readonly alone: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

export type CodeResult =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly line?: number };

/**
 * Runs settings that are code in a worker thread, which can be terminated at any time. Never rejects because of the
 * code.
 */
export async function runCode({ path, text, keys, alone, env, timeoutMs }: Code): Promise<CodeResult> {
  const { Worker } = await import('node:worker_threads');
  // Resolved from our own directory: the thread would resolve the bare name from the working directory.
  const jiti = createRequire(import.meta.url).resolve('jiti');
  const worker = new Worker(CODE_WORKER, {
    eval: true,
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
    stdout: true,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    workerData: { jiti, path, text, alone, ...(keys && { keys }) },
  });
  worker.stdout.resume();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<CodeResult>((resolve) => {
      const failed = (message: string) => resolve({ kind: 'failed', message });
      timer = setTimeout(() => failed(`it did not finish within ${timeoutMs / 1000} s`), timeoutMs);
      worker.once('message', (message: unknown) => resolve(resultOf(message)));
      worker.once('error', (error) => failed(error.message));
      worker.once('exit', () => failed('it ended the process without exporting settings'));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** The code itself may have sent the message, so it is validated like any other input. */
function resultOf(message: unknown): CodeResult {
  if (typeof message !== 'object' || message === null) return { kind: 'failed', message: 'it sent an invalid message' };
  if ('json' in message && typeof message.json === 'string') {
    try {
      return { kind: 'value', value: JSON.parse(message.json) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  const line = 'line' in message && typeof message.line === 'number' ? message.line : undefined;
  const reason =
    'message' in message && typeof message.message === 'string' ? message.message : 'it sent an invalid message';
  return { kind: 'failed', message: reason, ...(line !== undefined && { line }) };
}
