import { describe, expect, it } from 'vitest';
import { firstBytes, Printed } from './printed-output.js';

describe('Printed', () => {
  it.each([
    { title: 'all that fits', parts: ['ab', 'c'], limit: 3, text: 'abc', cut: false, bytes: 3 },
    {
      title: 'what fits, with a mark',
      parts: ['ab', 'cd'],
      limit: 3,
      text: 'abc\n[cut here: more than 3 bytes]',
      cut: true,
      bytes: 4,
    },
    {
      title: 'no half of a character',
      parts: ['aé'],
      limit: 2,
      text: 'a\n[cut here: more than 2 bytes]',
      cut: true,
      bytes: 3,
    },
    {
      title: 'nothing after the limit',
      parts: ['abc', 'd', 'e'],
      limit: 3,
      text: 'abc\n[cut here: more than 3 bytes]',
      cut: true,
      bytes: 5,
    },
  ])('keeps $title', ({ parts, limit, text, cut, bytes }) => {
    const printed = new Printed(limit);
    for (const part of parts) printed.add(part);
    expect({ text: printed.toString(), cut: printed.cut, bytes: printed.bytes }).toEqual({ text, cut, bytes });
  });

  it('says that it was cut when the guest did the cutting', () => {
    const printed = new Printed(10);
    printed.add('abc');
    printed.markCut();
    expect(printed.toString()).toBe('abc\n[cut here: more than 10 bytes]');
  });

  it.each([
    ['日本', 4, '日'],
    ['😀', 3, ''],
    ['abc', 9, 'abc'],
  ])('cuts %j at %i bytes to %j', (text, limit, first) => {
    expect(firstBytes(text, limit)).toBe(first);
  });
});
