import type { WatchClock } from '../../src/app/watch-files.js';

/** A clock that only `advance` moves. */
export interface ManualClock extends WatchClock {
  /** Moves the time and runs the due timers. */
  advance(ms: number): void;
  /** Resolves when a timer is due within this time. */
  due(withinMs: number): Promise<void>;
}

export function manualClock(): ManualClock {
  const timers = new Map<symbol, { readonly at: number; readonly run: () => void }>();
  const waiting = new Set<{ readonly at: number; readonly resolve: () => void }>();
  let time = 0;
  const isDue = (at: number) => [...timers.values()].some((timer) => timer.at <= at);
  return {
    now: () => time,
    after: (ms, run) => {
      const key = Symbol('timer');
      timers.set(key, { at: time + ms, run });
      for (const one of waiting) {
        if (!isDue(one.at)) continue;
        waiting.delete(one);
        one.resolve();
      }
      return () => timers.delete(key);
    },
    advance: (ms) => {
      time += ms;
      for (const [key, timer] of timers) {
        if (timer.at > time) continue;
        timers.delete(key);
        timer.run();
      }
    },
    due: (withinMs) =>
      new Promise((resolve) => {
        if (isDue(time + withinMs)) resolve();
        else waiting.add({ at: time + withinMs, resolve });
      }),
  };
}
