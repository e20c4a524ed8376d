import { unwatchAbort, watchAbort } from './abort-watchers.js';

/** Node treats a longer delay as 1 ms. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A signal that aborts after a time limit or with one of other signals. Disposing of it is optional, but releases its
 * timer early.
 */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

// Node 20: a signal composed of others and a timeout may never abort, because garbage collection can remove its timer.
/** A signal that aborts after `ms`, or with one of `others`. */
export function deadline(ms: number, ...others: readonly (AbortSignal | null | undefined)[]): Deadline {
  const controller = new AbortController();
  const timeOut = () => controller.abort(new DOMException('it took too long', 'TimeoutError'));
  const timer = setTimeout(timeOut, Math.min(ms, LONGEST_TIMER_MS)).unref();
  const followed = others.flatMap((signal) => {
    if (!signal) return [];
    const follow = () => controller.abort(signal.reason);
    if (signal.aborted) follow();
    else watchAbort(signal, follow);
    return [{ signal, follow }];
  });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      for (const { signal, follow } of followed) unwatchAbort(signal, follow);
    },
  };
}
