import { describe, expect, it } from 'vitest';
import type { Era, SupportedEras } from '../model/index.js';
import { eraToTry, readEras, recentEras, withFound } from './server-eras.js';

const DAY = 24 * 3_600_000;
const NOW = 100 * DAY;
const fact = (supported: boolean, at = NOW) => ({ supported, at });

describe('eraToTry', () => {
  it.each<{ known: SupportedEras; wanted: Era | undefined; expected: Era | undefined }>([
    { known: {}, wanted: 'legacy', expected: undefined },
    { known: {}, wanted: 'modern', expected: undefined },
    { known: { legacy: true, modern: true }, wanted: 'legacy', expected: 'legacy' },
    { known: { legacy: true, modern: true }, wanted: 'modern', expected: 'modern' },
    { known: { legacy: true, modern: true }, wanted: undefined, expected: 'modern' },
    { known: { legacy: true, modern: false }, wanted: 'modern', expected: 'legacy' },
    { known: { legacy: true }, wanted: 'legacy', expected: undefined },
    { known: { legacy: false, modern: true }, wanted: 'legacy', expected: 'modern' },
    { known: { modern: true }, wanted: 'legacy', expected: undefined },
    { known: { modern: true }, wanted: 'modern', expected: 'modern' },
    { known: { legacy: false, modern: false }, wanted: 'legacy', expected: undefined },
  ])('with $known and a client that uses $wanted is $expected', ({ known, wanted, expected }) => {
    expect(eraToTry(known, wanted)).toBe(expected);
  });
});

describe('the known eras', () => {
  it('are forgotten after a week, and if their time is in the future', () => {
    const known = { legacy: fact(true, NOW - 8 * DAY), modern: fact(false, NOW - 6 * DAY) };
    expect(recentEras(known, NOW)).toEqual({ modern: false });
    expect(recentEras({ legacy: fact(true, NOW + 8 * DAY) }, NOW)).toEqual({});
    expect(recentEras(undefined, NOW)).toEqual({});
  });

  it('change only by news, and are renewed after a day', () => {
    const known = { legacy: fact(true, NOW - DAY / 2), modern: fact(false, NOW - 2 * DAY) };
    expect(withFound(known, { legacy: true }, NOW)).toBe(known);
    expect(withFound(known, {}, NOW)).toBe(known);
    expect(withFound(known, { modern: false }, NOW)).toEqual({ ...known, modern: fact(false) });
    expect(withFound(known, { legacy: false }, NOW)).toEqual({ ...known, legacy: fact(false) });
    expect(withFound(undefined, { legacy: true, modern: false }, NOW)).toEqual({
      legacy: fact(true),
      modern: fact(false),
    });
  });

  it.each([
    undefined,
    null,
    7,
    'legacy',
    [],
    { legacy: true },
    { legacy: { supported: 1, at: 1 } },
    { other: fact(true) },
  ])('are not read from %j', (stored) => {
    expect(readEras(stored)).toBeUndefined();
  });
});
