import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { IdleTimer } from './idle-timer.js';

function timed(): { timer: IdleTimer; rings: number[] } {
  const rings: number[] = [];
  return { timer: new IdleTimer(() => rings.push(performance.now())), rings };
}

describe('IdleTimer', () => {
  it('fires once, the given time after the last use', async () => {
    const { timer, rings } = timed();
    for (let n = 0; n < 5; n += 1) {
      timer.used(80);
      await pause(20);
    }
    const last = performance.now();
    timer.used(80);
    await expect.poll(() => rings.length).toBe(1);
    expect((rings[0] ?? 0) - last).toBeGreaterThanOrEqual(79);
    await pause(200);
    expect(rings).toHaveLength(1);
  });

  it('applies a shorter or longer time at once', async () => {
    const { timer, rings } = timed();
    timer.used(60_000);
    timer.used(20);
    await expect.poll(() => rings.length).toBe(1);
    timer.used(20);
    timer.used(60_000);
    await pause(60);
    expect(rings).toHaveLength(1);
    timer.stop();
  });

  it('supports waits over the maximum of setTimeout', async () => {
    const { timer, rings } = timed();
    timer.used(2 ** 33);
    await pause(50);
    timer.stop();
    expect(rings).toEqual([]);
  });

  it('fires again after a new use, and not after a stop', async () => {
    const { timer, rings } = timed();
    timer.used(10);
    await expect.poll(() => rings.length).toBe(1);
    timer.used(10);
    await expect.poll(() => rings.length).toBe(2);
    timer.used(10);
    timer.stop();
    await pause(40);
    expect(rings).toHaveLength(2);
  });
});
