import { describe, expect, it } from 'vitest';
import { isNewer } from './compare-versions.js';

describe('isNewer', () => {
  it.each([
    { one: '0.2.0', other: '0.1.9', expected: true },
    { one: '0.10.0', other: '0.9.9', expected: true },
    { one: '1.0.0', other: '1.0.0', expected: false },
    { one: '0.1.9', other: '0.2.0', expected: false },
    { one: '1.0.0', other: '1.0.0-beta.1', expected: true },
    { one: '1.0.0-beta.2', other: '1.0.0-beta.1', expected: false },
    { one: '1.0.1-beta.1', other: '1.0.0', expected: true },
    { one: 'latest', other: '1.0.0', expected: false },
    { one: '1.0.0', other: '', expected: false },
  ])('$one after $other: $expected', ({ one, other, expected }) => {
    expect(isNewer(one, other)).toBe(expected);
  });
});
