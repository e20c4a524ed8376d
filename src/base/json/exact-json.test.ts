import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepDigits, readJson, restoreDigits, writeJson } from './exact-json.js';

const LONG = '12345678901234567891';

describe('readJson and writeJson', () => {
  it.each([
    { title: 'a number that JavaScript rounds', text: `{"id":${LONG}}` },
    { title: 'one that it holds and writes otherwise', text: '{"id":1152921504606846976}' },
    { title: 'one below zero', text: `{"id":-${LONG}}` },
    { title: 'the first that it cannot hold', text: '{"id":9007199254740993}' },
    { title: 'many digits', text: `{"id":1${'0'.repeat(300)}7}` },
    { title: 'one in a list', text: `[1,${LONG},"a",${LONG}]` },
    { title: 'several, deep inside', text: `{"a":[{"b":{"c":${LONG}}}],"d":9007199254740995}` },
    {
      title: 'one under a key that has a meaning',
      text: `{"__proto__":${LONG},"constructor":{"__proto__":[${LONG}]}}`,
    },
    { title: 'one beside a text that looks like one', text: `{"a":"${LONG}","b":"\\"${LONG}","c":${LONG}}` },
  ])('write $title as it was read', ({ text }) => {
    expect(writeJson(readJson(text))).toBe(text);
    expect(restoreDigits(JSON.stringify(keepDigits(readJson(`{"x":${text}}`) as Record<string, unknown>)))).toBe(
      `{"x":${text}}`,
    );
  });

  it('give numbers to whoever looks, as JSON.parse does', () => {
    expect(readJson(LONG)).toBe(JSON.parse(LONG));
    const text = `{"id":${LONG},"of":[${LONG}],"__proto__":${LONG}}`;
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  it('leave spaces out, and take the last of two members of one name', () => {
    expect(writeJson(readJson(`{ "a" : ${LONG} , "a" : 12345678901234567892 }`))).toBe('{"a":12345678901234567892}');
    expect(writeJson(readJson(`{"a":${LONG},"a":1}`))).toBe('{"a":1}');
  });

  it('write the number that somebody has put in the place of another', () => {
    const value = readJson(`{"a":${LONG},"b":${LONG}}`) as Record<string, unknown>;
    value.a = 1;
    expect(writeJson(value)).toBe(`{"a":1,"b":${LONG}}`);
    expect(writeJson({ ...value, b: 2 })).toBe('{"a":1,"b":2}');
  });

  it('leave alone what is no whole number, and what is beyond all numbers', () => {
    const text = '{"a":0.12345678901234567891,"b":1e21,"c":12345678901234567891.5}';
    expect(writeJson(readJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    expect(readJson(`{"a":1${'0'.repeat(400)}}`)).toEqual({ a: Number.POSITIVE_INFINITY });
  });

  it.each([`{${LONG}:1}`, `{"a":0${LONG}}`, `[${LONG}`, `{"a":${LONG}a}`, `"${LONG}`])('refuse %s', (text) => {
    expect(() => readJson(text)).toThrow(SyntaxError);
  });

  it('round the numbers of a text in which there may be too many to look at each', () => {
    const text = `{"a":${LONG},"b":"${' '.repeat(300_000)}"}`;
    expect(writeJson(readJson(text))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('read a long piece of digits in linear time', () => {
    const digits = '1'.repeat(100_000);
    expect(readJson(`{"a":${digits},"b":"${digits}"}`)).toEqual({ a: Number.POSITIVE_INFINITY, b: digits });
  });

  it('do with all else what JSON.parse and JSON.stringify do', () => {
    readJson(`[${LONG}]`); // from here on it looks for such numbers
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readJson(text)).toEqual(JSON.parse(text));
        expect(writeJson(readJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
    expect([writeJson(undefined), writeJson({ a: undefined })]).toEqual([undefined, '{}']);
  });
});
