import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globsOverlap } from './glob-overlap.js';
import { matchesWildcard } from './wildcard.js';

describe('globsOverlap', () => {
  it.each([
    ['*', 'a', true],
    ['a', 'a', true],
    ['a', 'b', false],
    ['a*', '*b', true],
    ['a*', 'b*', false],
    ['*delete*', 'create_*', true],
    ['get_*', '*_issue', true],
    ['get', 'get_*', false],
    ['', '*', true],
    ['', 'a', false],
    ['**', '', true],
  ])('%j and %j: %s', (a, b, expected) => {
    expect([globsOverlap(a, b), globsOverlap(b, a)]).toEqual([expected, expected]);
  });

  it('finds every overlap for which a matching text exists', () => {
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    fc.assert(
      fc.property(glob, glob, text, (a, b, shown) => {
        if (matchesWildcard(a, shown) && matchesWildcard(b, shown)) expect(globsOverlap(a, b)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('reports no overlap without a matching text', () => {
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 4 });
    const texts = [...wordsUpTo(6)];
    fc.assert(
      fc.property(glob, glob, (a, b) => {
        const shown = texts.some((text) => matchesWildcard(a, text) && matchesWildcard(b, text));
        expect(globsOverlap(a, b)).toBe(shown);
      }),
      { numRuns: 500 },
    );
  });
});

function* wordsUpTo(length: number, head = ''): Generator<string> {
  yield head;
  if (length > 0) for (const letter of 'ab') yield* wordsUpTo(length - 1, head + letter);
}
