import { describe, expect, it } from 'vitest';
import { firstBytes, Printed } from './printed-output.js';

describe('Printed', () => {
  it.each([
    { title: 'text within the limit', parts: ['ab', 'c'], limit: 3, text: 'abc', cut: false, bytes: 3 },
    {
      title: 'a truncated text with a marker',
      parts: ['ab', 'cd'],
      limit: 3,
      text: 'abc\n[truncated: more than 3 bytes]',
      cut: true,
      bytes: 4,
    },
    {
      title: 'no part of a character',
      parts: ['aé'],
      limit: 2,
      text: 'a\n[truncated: more than 2 bytes]',
      cut: true,
      bytes: 3,
    },
    {
      title: 'nothing after the limit',
      parts: ['abc', 'd', 'e'],
      limit: 3,
      text: 'abc\n[truncated: more than 3 bytes]',
      cut: true,
      bytes: 5,
    },
  ])('keeps $title', ({ parts, limit, text, cut, bytes }) => {
    const printed = new Printed(limit);
    for (const part of parts) printed.add(part);
    expect({ text: printed.toString(), cut: printed.cut, bytes: printed.bytes }).toEqual({ text, cut, bytes });
  });

  it('reports truncation that the guest has done', () => {
    const printed = new Printed(10);
    printed.add('abc');
    printed.markCut();
    expect(printed.toString()).toBe('abc\n[truncated: more than 10 bytes]');
  });

  it.each([
    ['日本', 4, '日'],
    ['😀', 3, ''],
    ['abc', 9, 'abc'],
  ])('cuts %j at %i bytes to %j', (text, limit, first) => {
    expect(firstBytes(text, limit)).toBe(first);
  });
});
