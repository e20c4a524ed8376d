import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { unwatchAbort, watchAbort } from './abort-watchers.js';

describe('watchAbort', () => {
  it('tells all who watch, and nobody who has taken it back', () => {
    const controller = new AbortController();
    const told: string[] = [];
    const [one, two, three] = ['one', 'two', 'three'].map((name) => () => void told.push(name));
    for (const act of [one, two, three]) if (act) watchAbort(controller.signal, act);
    if (two) unwatchAbort(controller.signal, two);
    controller.abort();
    expect(told).toEqual(['one', 'three']);
  });

  it('has one listener for a thousand calls, also one that tells of its end while others are told', () => {
    const controller = new AbortController();
    const { signal } = controller;
    let told = 0;
    for (let n = 0; n < 1_000; n += 1) {
      const act = () => {
        told += 1;
        unwatchAbort(signal, act);
      };
      watchAbort(signal, act);
      if (n % 2 === 0) unwatchAbort(signal, act);
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort();
    expect(told).toBe(500);
  });
});
