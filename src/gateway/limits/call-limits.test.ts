import { describe, expect, it } from 'vitest';
import { ErrorCode, readJson } from '../../base/index.js';
import { checkArguments } from './call-limits.js';

const LIMITS = { maxArgumentBytes: 100, maxDepth: 5 };

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let n = 0; n < depth; n += 1) value = n % 2 === 0 ? [value] : { a: value };
  return value;
}

function holdsItself(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

/** Twice the one before, thirty times: a billion values when it is written out. */
function doubled(): unknown {
  let value: unknown = [1];
  for (let n = 0; n < 30; n += 1) value = [value, value];
  return value;
}

describe('checkArguments', () => {
  it.each([
    { title: 'an object', value: { a: [1, 'é', null, true] }, text: '{"a":[1,"é",null,true]}' },
    { title: 'no arguments', value: undefined, text: '{}' },
    { title: 'as many bytes as allowed', value: { a: 'x'.repeat(92) }, text: `{"a":"${'x'.repeat(92)}"}` },
    { title: 'as deep as allowed', value: nested(5), text: JSON.stringify(nested(5)) },
    {
      title: 'whole numbers with all their digits',
      value: readJson('{"id": 12345678901234567891, "more": [{"id": -9007199254740993}]}'),
      text: '{"id":12345678901234567891,"more":[{"id":-9007199254740993}]}',
    },
  ])('gives the text of $title', ({ value, text }) => {
    expect(checkArguments(value, LIMITS)).toEqual({ text });
  });

  it.each([
    { title: 'one byte too many', value: { a: 'x'.repeat(93) }, limit: 'maxArgumentBytes' },
    { title: 'few characters of many bytes', value: { a: '€'.repeat(31) }, limit: 'maxArgumentBytes' },
    { title: 'keys', value: { ['k'.repeat(200)]: 1 }, limit: 'maxArgumentBytes' },
    { title: 'escapes', value: { a: '\u0001'.repeat(20) }, limit: 'maxArgumentBytes' },
    { title: 'a long text alone', value: 'x'.repeat(101), limit: 'maxArgumentBytes' },
    { title: 'one level too deep', value: nested(6), limit: 'maxDepth' },
    { title: 'too deep for any stack', value: nested(1_000_000), limit: 'maxDepth' },
    { title: 'a value that holds itself', value: holdsItself(), limit: 'maxDepth' },
  ])('refuses $title and names $limit', ({ value, limit }) => {
    expect(() => checkArguments(value, LIMITS)).toThrow(
      expect.objectContaining({ code: ErrorCode.LimitExceeded, hint: expect.stringContaining(`limits.${limit}`) }),
    );
  });

  it.each([
    { title: 'a number beyond all', value: JSON.parse('{"n":1e400}') },
    { title: 'one inside', value: { a: [{ n: Number.NEGATIVE_INFINITY }] } },
    { title: 'none at all', value: { a: { n: Number.NaN } } },
    { title: 'one that JSON has no word for', value: { n: 5n } },
    { title: 'one of those inside', value: { a: [{ n: 5n }] } },
  ])('refuses $title, which would not arrive', ({ value }) => {
    expect(() => checkArguments(value, LIMITS)).toThrow(/: n is no number that JSON can carry/);
  });

  it('does not write out a value that is there many times', () => {
    expect(() => checkArguments(doubled(), { maxArgumentBytes: 4 * 1024 * 1024, maxDepth: 128 })).toThrow(
      expect.objectContaining({ code: ErrorCode.LimitExceeded }),
    );
  });
});
