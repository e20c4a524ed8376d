import { describe, expect, it } from 'vitest';
import { seal, unseal } from './sealed.js';

const KEY = 'k'.repeat(64);
const PURPOSE = { kind: 'cursor', bound: ['client', 'server'] };
const sealed = seal(KEY, PURPOSE, { page: 2 }, 1_000);

describe('a sealed text', () => {
  it('returns its value', () => {
    expect(unseal(KEY, PURPOSE, sealed, 999)).toEqual({ kind: 'open', value: { page: 2 } });
  });

  it('expires', () => {
    expect(unseal(KEY, PURPOSE, sealed, 1_000)).toEqual({ kind: 'expired' });
  });

  it.each([
    { title: 'with another key', key: 'x'.repeat(64), purpose: PURPOSE, text: sealed },
    { title: 'for another kind', key: KEY, purpose: { ...PURPOSE, kind: 'state' }, text: sealed },
    { title: 'for another client', key: KEY, purpose: { ...PURPOSE, bound: ['other', 'server'] }, text: sealed },
    { title: 'for another server', key: KEY, purpose: { ...PURPOSE, bound: ['client', 'other'] }, text: sealed },
    {
      title: 'for names with the same concatenation',
      key: KEY,
      purpose: { ...PURPOSE, bound: ['clients', 'erver'] },
      text: sealed,
    },
    { title: 'with extra text at the end', key: KEY, purpose: PURPOSE, text: `${sealed}-TAMPERED` },
    { title: 'with another payload', key: KEY, purpose: PURPOSE, text: `${sealed}.x` },
    { title: 'without a signature', key: KEY, purpose: PURPOSE, text: sealed.split('.')[0] ?? '' },
    { title: 'that is empty', key: KEY, purpose: PURPOSE, text: '' },
    { title: 'in another format', key: KEY, purpose: PURPOSE, text: 'bm8.bm8' },
  ])('is rejected as forged $title', ({ key, purpose, text }) => {
    expect(unseal(key, purpose, text, 0)).toEqual({ kind: 'forged' });
  });

  it('is rejected after any change of one character', () => {
    const opened = [...sealed].map((character, at) => {
      const other = character === 'A' ? 'B' : 'A';
      return unseal(KEY, PURPOSE, `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`, 0).kind;
    });
    expect(new Set(opened)).toEqual(new Set(['forged']));
  });
});
