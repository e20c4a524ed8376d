import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Turns', () => {
  it('lets so many at once and the others in the order in which they came', async () => {
    const turns = new Turns(2);
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
    const turns = new Turns(1);
    const failing = turns.take(() => Promise.reject(new Error('no')));
    const next = turns.take(async () => 'yes');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
