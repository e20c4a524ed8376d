import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesWildcard } from './wildcard.js';

describe('matchesWildcard', () => {
  it.each([
    { pattern: '', text: '', matches: true },
    { pattern: '', text: 'a', matches: false },
    { pattern: '*', text: '', matches: true },
    { pattern: '*', text: 'a/b', matches: true },
    { pattern: '**', text: 'ab', matches: true },
    { pattern: 'a', text: 'a', matches: true },
    { pattern: 'a', text: 'A', matches: false },
    { pattern: 'a', text: 'ab', matches: false },
    { pattern: '*.json', text: 'a.json', matches: true },
    { pattern: '*.json', text: '.json', matches: true },
    { pattern: '*.json', text: 'a.json5', matches: false },
    { pattern: 'a*a', text: 'a', matches: false },
    { pattern: 'a*a', text: 'aa', matches: true },
    { pattern: 'ab*ba', text: 'aba', matches: false },
    { pattern: 'a*b*c', text: 'a-b-b-c', matches: true },
    { pattern: 'a*b*c', text: 'a-c-b', matches: false },
    { pattern: '*ab*', text: 'aab', matches: true },
    { pattern: 'a.c', text: 'abc', matches: false },
    { pattern: 'a[b]*', text: 'a[b]c', matches: true },
    { pattern: 'a\n*', text: 'a\nb\nc', matches: true },
  ])('returns $matches for $pattern and $text', ({ pattern, text, matches }) => {
    expect(matchesWildcard(pattern, text)).toBe(matches);
  });

  it.each([1, 100, 199, 200, 201, 5_000])('finds a part of %i characters at its exact position only', (length) => {
    const part = `${'a'.repeat(length)}b${'a'.repeat(length)}`;
    const text = `x${'a'.repeat(length)}${part}${'a'.repeat(length)}y`;
    expect(matchesWildcard(`x*${part}*y`, text)).toBe(true);
    expect(matchesWildcard(`x*${part}*${'a'.repeat(length)}y`, text)).toBe(true);
    expect(matchesWildcard(`x*${part}*${'a'.repeat(length + 1)}y`, text)).toBe(false);
    expect(matchesWildcard(`x*${part}b*y`, text)).toBe(false);
  });

  it('agrees with a regular expression on every short pattern', () => {
    const letters = fc.constantFrom('a', 'b', '*', '.');
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 6 }),
        fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 8 }),
        (p, t) => {
          const pattern = p.join('');
          const text = t.join('');
          const regex = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's');
          expect(matchesWildcard(pattern, text)).toBe(regex.test(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
