import { describe, expect, it } from 'vitest';
import { StartQueue } from './start-queue.js';

const NEVER_SLOW_MS = 60_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('StartQueue', () => {
  it('limits concurrent starts and runs the others in order', async () => {
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

  it('frees the place of a failed start', async () => {
    const turns = new StartQueue(1, NEVER_SLOW_MS);
    const failing = turns.take(() => Promise.reject(new Error('no')));
    const next = turns.take(async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('frees the place of a slow start, and only once', async () => {
    const turns = new StartQueue(1, 20);
    let end: () => void = () => undefined;
    const hanging = turns.take(() => new Promise<void>((resolve) => (end = resolve)));
    const begun: string[] = [];
    const quick = (name: string) => turns.take(async () => void begun.push(name));
    await Promise.all([quick('first'), quick('second')]);
    expect(begun).toEqual(['first', 'second']);
    end();
    await hanging;
    // The end of the slow start frees no second place: still one at a time.
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
