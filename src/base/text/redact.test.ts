import { describe, expect, it } from 'vitest';
import { redactor } from './redact.js';

describe('redactor', () => {
  it.each([
    { title: 'a value', values: ['hunter22'], text: 'it is hunter22!', shown: 'it is [secret]!' },
    {
      title: 'every occurrence of a value',
      values: ['hunter22'],
      text: 'hunter22hunter22',
      shown: '[secret][secret]',
    },
    {
      title: 'the longer of two values first',
      values: ['secret-1', 'secret-1-and-more'],
      text: 'secret-1-and-more',
      shown: '[secret]',
    },
    { title: 'no ordinary word', values: ['a', 'true', '', '12345'], text: 'a true 12345', shown: 'a true 12345' },
    { title: 'no scheme of a header', values: ['Bearer', 'abc-def'], text: 'Bearer abc-def', shown: 'Bearer [secret]' },
    { title: 'regular expression characters', values: ['$&.*+(x'], text: 'got $&.*+(x', shown: 'got [secret]' },
    { title: 'nothing without values', values: [], text: 'plain', shown: 'plain' },
  ])('redacts $title', ({ values, text, shown }) => {
    expect(redactor(values)(text)).toBe(shown);
  });
});
