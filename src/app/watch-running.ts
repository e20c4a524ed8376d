import type { Log } from '../base/index.js';
import type { Discovery } from '../discovery/index.js';
import { readRunning, runningSignature } from '../discovery/index.js';

/** No file tells of a server that was killed: so late it is missed. A look at folders that are not there costs microseconds. */
const LOOK_MS = 2_000;

export interface WatchRunningOptions {
  /** What was last found. */
  readonly discovery: () => Discovery;
  /** Called when a server came, went or is reached in another way. */
  readonly changed: () => Promise<unknown>;
  readonly log: Log;
}

/** Looks now and then who runs, until it is disposed of. */
export function watchRunning({ discovery, changed, log }: WatchRunningOptions): Disposable {
  let tried: string | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const now = runningSignature(await readRunning(discovery().host));
    // Against what holds and not what was seen last: a file may have told of one that came and went between two looks.
    if (now === runningSignature(discovery().running)) tried = undefined;
    // Noted before it is acted upon: what cannot be read again is not tried at every look.
    else if (now !== tried) await act(now);
  };
  const act = async (now: string): Promise<void> => {
    tried = now;
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
