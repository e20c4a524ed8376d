import { describe, expect, it } from 'vitest';
import { StartQueue } from './start-queue.js';

const NEVER_SLOW_MS = 60_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Turns', () => {
  it('lets so many at once and the others in the order in which they came', async () => {
    const turns = new StartQueue(2, NEVER_SLOW_MS);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = Array.from({ length: 5 }, (_, n) =>
      turns.take(() => {
        begun.push(n);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    const seen: number[][] = [];
    for (let n = 0; n < 5; n += 1) {
      await settled();
      seen.push([...begun]);
      ends[n]?.();
    }
    await Promise.all(all);
    expect(seen).toEqual([
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4],
      [0, 1, 2, 3, 4],
    ]);
  });

  it('gives on the place of one who failed', async () => {
    const turns = new StartQueue(1, NEVER_SLOW_MS);
    const failing = turns.take(() => Promise.reject(new Error('no')));
    const next = turns.take(async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('keeps nobody waiting for one who takes too long, and gives its place on once', async () => {
    const turns = new StartQueue(1, 20);
    let end: () => void = () => undefined;
    const hanging = turns.take(() => new Promise<void>((resolve) => (end = resolve)));
    const begun: string[] = [];
    const quick = (name: string) => turns.take(async () => void begun.push(name));
    await Promise.all([quick('first'), quick('second')]);
    expect(begun).toEqual(['first', 'second']);
    end();
    await hanging;
    // The place that it gave up is not given a second time: one at a time, as before.
    let isBusy = false;
    const alone = () =>
      turns.take(async () => {
        expect(isBusy).toBe(false);
        isBusy = true;
        await settled();
        isBusy = false;
      });
    await Promise.all([alone(), alone(), alone()]);
  });
});
