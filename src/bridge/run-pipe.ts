import type { Readable, Writable } from 'node:stream';
import type { Log } from '../base/index.js';
import type { BridgeSettings } from './bridge-settings.js';
import type { DaemonLine } from './daemon-line.js';
import { type FindOptions, findDaemon } from './find-daemon.js';
import { Pipe } from './pipe.js';

export interface RunPipeOptions extends FindOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly reconnect: BridgeSettings['reconnect'];
  /** Aborted when the process is told to end. */
  readonly ending: AbortSignal;
  readonly log: Log;
}

const LONGEST_DELAY_MS = 30_000;

/** Connects a client to the daemon until it leaves. Undefined where there is no daemon to be had: nothing of the client was read yet. */
export async function runPipe(options: RunPipeOptions): Promise<boolean | undefined> {
  const { input, output, ending, log, context } = options;
  const found = await findDaemon(options).catch((error: Error) => {
    log('warn', 'no daemon serves this client', { error: error.message });
    return undefined;
  });
  if (!found) return undefined;
  const pipe = new Pipe({
    input,
    output,
    log,
    hasOwnTools: context.options.expose === undefined,
    again: (isStopped) => again(options, found.id, isStopped),
  });
  ending.addEventListener('abort', () => pipe.stop(), { once: true });
  const isWell = await pipe.run(found.line);
  input.destroy();
  return isWell;
}

/** At once, then after longer and longer waits, of which chance takes a part: a thousand pipes must not come all at once. */
async function again(
  options: RunPipeOptions,
  id: string | undefined,
  isStopped: () => boolean,
): Promise<DaemonLine | undefined> {
  const { enabled, maxAttempts, initialDelayMs } = options.reconnect;
  for (let attempt = 0; enabled && attempt <= maxAttempts && !isStopped(); attempt += 1) {
    if (attempt > 0) {
      const longest = Math.min(LONGEST_DELAY_MS, initialDelayMs * 2 ** (attempt - 1));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
    }
    try {
      return (await findDaemon(options, id)).line;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      options.log('warn', 'no daemon yet', { attempt, error: message });
    }
  }
  return undefined;
}
