import type { Log } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { readRunning, runningSignature } from '../discovery/index.js';

/** The delay until a killed server is noticed. Polling missing directories costs microseconds. */
const POLL_MS = 2_000;

export interface WatchRunningOptions {
  /** The running servers of the latest scan. */
  readonly discovery: () => Discovery;
  /** Called when a server starts, stops or changes its address. */
  readonly changed: () => Promise<unknown>;
  readonly log: Log;
}

/** Polls for running servers until it is disposed of. */
export function watchRunning({ discovery, changed, log }: WatchRunningOptions): Disposable {
  let tried: string | undefined;
  let isLooking = false;
  const poll = async (): Promise<void> => {
    const now = runningSignature(await readRunning(discovery().host));
    // Compared with the active state, because a server may start and stop between two polls and be in it nevertheless.
    if (now === runningSignature(discovery().running)) tried = undefined;
    // Recorded before acting, so that an unreadable entry is not retried at every poll.
    else if (now !== tried) await act(now);
  };
  const act = async (now: string): Promise<void> => {
    tried = now;
    log('debug', 'the running servers changed');
    await changed();
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void poll()
      .catch((error: unknown) => log('warn', 'cannot scan for running servers', { error: String(error) }))
      .finally(() => {
        isLooking = false;
      });
  }, POLL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
