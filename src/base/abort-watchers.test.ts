import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { lastingController, unwatchAbort, watchAbort } from './abort-watchers.js';

function countUp(this: { notified: number }): void {
  this.notified += 1;
}

describe.each([
  { title: 'an ordinary signal', make: () => new AbortController() },
  { title: 'a lasting signal', make: lastingController },
])('watchAbort on $title', ({ make }) => {
  it('calls all registered watchers and none that was removed', () => {
    const controller = make();
    const notified: string[] = [];
    const acts = ['one', 'two', 'three'].map((name) => () => void notified.push(name));
    for (const act of acts) watchAbort(controller.signal, act);
    for (const act of acts.slice(1, 2)) unwatchAbort(controller.signal, act);
    controller.abort();
    expect(notified).toEqual(['one', 'three']);
  });

  it('calls handleEvent of an object', () => {
    const controller = make();
    const watchers = [1, 2].map(() => ({ notified: 0, handleEvent: countUp }));
    for (const watcher of watchers) watchAbort(controller.signal, watcher);
    for (const watcher of watchers.slice(1)) unwatchAbort(controller.signal, watcher);
    controller.abort();
    expect(watchers.map(({ notified }) => notified)).toEqual([1, 0]);
  });
});

describe('watchAbort', () => {
  it('has one listener for a thousand calls on a lasting signal, even if calls end while watchers run', () => {
    const controller = lastingController();
    const { signal } = controller;
    let notified = 0;
    for (let n = 0; n < 1_000; n += 1) {
      const act = () => {
        notified += 1;
        unwatchAbort(signal, act);
      };
      watchAbort(signal, act);
      if (n % 2 === 0) unwatchAbort(signal, act);
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort();
    expect(notified).toBe(500);
  });

  it('leaves no listener on an ordinary signal, which would keep it alive', () => {
    const { signal } = new AbortController();
    const composed = AbortSignal.any([signal]);
    const act = () => undefined;
    watchAbort(composed, act);
    unwatchAbort(composed, act);
    expect(getEventListeners(composed, 'abort')).toEqual([]);
  });
});
