import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdTable } from './id-table.js';

/** Ids that meet at one place, beside those that clients count up, and what a hostile one may send. */
const ids = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 12 }).map((n) => n * 64 + 63),
  fc.constantFrom(-1, -64, 0.5, 1.5, 63.5, 2 ** 31, 2 ** 53, 1e300, -1e300),
  fc.constantFrom('1', 'a', '', '63'),
);
const steps = fc.array(fc.tuple(fc.constantFrom('set', 'delete', 'clear', 'set', 'delete', 'set'), ids), {
  maxLength: 400,
});

describe('IdTable', () => {
  it('holds what a Map would hold, whatever comes and goes', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const table = new IdTable<{ readonly n: number }>();
        const model = new Map<string | number, { readonly n: number }>();
        for (const [n, [step, id]] of taken.entries()) {
          if (step === 'set') {
            table.set(id, { n });
            model.set(id, { n });
          } else if (step === 'delete') {
            table.delete(id);
            model.delete(id);
          } else if (n % 50 === 0) {
            table.clear();
            model.clear();
          }
          expect(table.get(id)).toEqual(model.get(id));
          expect(table.size).toBe(model.size);
        }
        for (const [id, value] of model) expect(table.get(id)).toEqual(value);
        const inOrder = (values: { readonly n: number }[]) => values.map(({ n }) => n).sort((a, b) => a - b);
        expect(inOrder(table.values())).toEqual(inOrder([...model.values()]));
        const isThere = (_: unknown, n: number) => table.some((value) => value.n === n);
        const isKnown = (_: unknown, n: number) => [...model.values()].some((value) => value.n === n);
        expect(taken.map(isThere)).toEqual(taken.map(isKnown));
      }),
      { numRuns: 300 },
    );
  });

  it.each([1, 4_096, 65_536, 1 << 24])('finds numbers that are %i apart without a long search', (step) => {
    const ids = new Set(Array.from({ length: 5_000 }, (_, n) => (n * step) | 0));
    // Where a number is at home depends on chance: every one of many tables has to find it soon.
    const longest = Math.max(
      ...Array.from({ length: 50 }, () => looksToEmpty(ids) / looksToEmpty(new Set([0])) / ids.size),
    );
    // One look for itself, and one for each who stands behind it: a few.
    expect(longest).toBeGreaterThanOrEqual(1);
    expect(longest).toBeLessThan(4);
  });

  it('grows with a crowd and is of use after it', () => {
    const table = new IdTable<string>();
    for (let id = 0; id < 20_000; id += 1) table.set(id * 3, `${id}`);
    expect(table.size).toBe(20_000);
    expect(table.get(3 * 19_999)).toBe('19999');
    for (let id = 0; id < 20_000; id += 1) table.delete(id * 3);
    expect([table.size, table.values()]).toEqual([0, []]);
    table.set(7, 'seven');
    expect(table.get(7)).toBe('seven');
  });
});

/** How often a table that holds these multiplies, which it does to look for someone, until all have left. */
function looksToEmpty(ids: ReadonlySet<number>): number {
  const table = new IdTable<number>();
  for (const id of ids) table.set(id, 1);
  const multiply = Math.imul;
  let times = 0;
  Math.imul = (a, b) => {
    times += 1;
    return multiply(a, b);
  };
  try {
    for (const id of ids) table.delete(id);
  } finally {
    Math.imul = multiply;
  }
  return times;
}
