import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepDigits, readJson, restoreDigits, writeJson } from './exact-json.js';

const LONG = '12345678901234567891';

describe('readJson and writeJson', () => {
  it.each([
    { title: 'a number that JavaScript rounds', text: `{"id":${LONG}}` },
    { title: 'one that JavaScript holds exactly and formats differently', text: '{"id":1152921504606846976}' },
    { title: 'a negative number', text: `{"id":-${LONG}}` },
    { title: 'the first unsafe integer', text: '{"id":9007199254740993}' },
    { title: 'many digits', text: `{"id":1${'0'.repeat(300)}7}` },
    { title: 'a number in a list', text: `[1,${LONG},"a",${LONG}]` },
    { title: 'several nested numbers', text: `{"a":[{"b":{"c":${LONG}}}],"d":9007199254740995}` },
    {
      title: 'a number under a special key',
      text: `{"__proto__":${LONG},"constructor":{"__proto__":[${LONG}]}}`,
    },
    { title: 'a number beside a text that looks like one', text: `{"a":"${LONG}","b":"\\"${LONG}","c":${LONG}}` },
  ])('keep the digits of $title', ({ text }) => {
    expect(writeJson(readJson(text))).toBe(text);
    expect(restoreDigits(JSON.stringify(keepDigits(readJson(`{"x":${text}}`) as Record<string, unknown>)))).toBe(
      `{"x":${text}}`,
    );
  });

  it('expose numbers as JSON.parse does', () => {
    expect(readJson(LONG)).toBe(JSON.parse(LONG));
    const text = `{"id":${LONG},"of":[${LONG}],"__proto__":${LONG}}`;
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  it('drop spaces and keep the last of two members with the same name', () => {
    expect(writeJson(readJson(`{ "a" : ${LONG} , "a" : 12345678901234567892 }`))).toBe('{"a":12345678901234567892}');
    expect(writeJson(readJson(`{"a":${LONG},"a":1}`))).toBe('{"a":1}');
  });

  it('write a replaced number with its new value', () => {
    const value = readJson(`{"a":${LONG},"b":${LONG}}`) as Record<string, unknown>;
    value.a = 1;
    expect(writeJson(value)).toBe(`{"a":1,"b":${LONG}}`);
    expect(writeJson({ ...value, b: 2 })).toBe('{"a":1,"b":2}');
  });

  it('leave fractions and numbers out of range unchanged', () => {
    const text = '{"a":0.12345678901234567891,"b":1e21,"c":12345678901234567891.5}';
    expect(writeJson(readJson(text))).toBe(JSON.stringify(JSON.parse(text)));
    expect(readJson(`{"a":1${'0'.repeat(400)}}`)).toEqual({ a: Number.POSITIVE_INFINITY });
  });

  it.each([`{${LONG}:1}`, `{"a":0${LONG}}`, `[${LONG}`, `{"a":${LONG}a}`, `"${LONG}`])('reject %s', (text) => {
    expect(() => readJson(text)).toThrow(SyntaxError);
  });

  it('round the numbers of a text beyond the search limit', () => {
    const text = `{"a":${LONG},"b":"${' '.repeat(300_000)}"}`;
    expect(writeJson(readJson(text))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('read a long run of digits in linear time', () => {
    const digits = '1'.repeat(100_000);
    expect(readJson(`{"a":${digits},"b":"${digits}"}`)).toEqual({ a: Number.POSITIVE_INFINITY, b: digits });
  });

  it('otherwise agree with JSON.parse and JSON.stringify', () => {
    readJson(`[${LONG}]`); // from here on it searches for long numbers
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readJson(text)).toEqual(JSON.parse(text));
        expect(writeJson(readJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
    expect([writeJson(undefined), writeJson({ a: undefined })]).toEqual([undefined, '{}']);
  });
});
