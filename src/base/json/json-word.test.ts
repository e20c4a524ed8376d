import { expect, it } from 'vitest';
import { jsonWord } from './json-word.js';

it('agrees with JSON.stringify on the first and on later calls', () => {
  const words = ['tools/call', 'a "b"\n', 'ä\u2028', '', '__proto__', 'x'.repeat(101)];
  const many = Array.from({ length: 3_000 }, (_, n) => `tool ${n}`);
  for (const word of [...words, ...words, ...many, ...words]) expect(jsonWord(word)).toBe(JSON.stringify(word));
});
