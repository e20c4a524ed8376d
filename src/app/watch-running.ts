import type { Log } from '../base/index.js';
import type { Discovery } from './discover.js';
import { readRunning, runningSignature } from './running.js';

/** No file tells of a server that was killed: so late it is missed. A look at folders that are not there costs microseconds. */
const LOOK_MS = 2_000;

export interface WatchRunningOptions {
  /** What was last found. */
  readonly discovery: () => Discovery;
  /** Called when a server came, went or is reached in another way. */
  readonly changed: () => Promise<void>;
  readonly log: Log;
}

/** Looks now and then who runs, until it is disposed of. */
export function watchRunning({ discovery, changed, log }: WatchRunningOptions): Disposable {
  let seen = runningSignature(discovery().running);
  let isLooking = false;
  const look = async (): Promise<void> => {
    const now = runningSignature(await readRunning(discovery().host));
    if (now === seen) return;
    // Noted before it is acted upon: what cannot be read again is not tried at every look.
    seen = now;
    log('debug', 'running servers came or went');
    await changed();
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch((error: unknown) => log('warn', 'running servers not looked for', { error: String(error) }))
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
