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

/** Each level refers to the level below twice, thirty times: a billion values when serialized. */
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
      title: 'integers with all their digits',
      value: readJson('{"id": 12345678901234567891, "more": [{"id": -9007199254740993}]}'),
      text: '{"id":12345678901234567891,"more":[{"id":-9007199254740993}]}',
    },
  ])('serializes $title', ({ value, text }) => {
    expect(checkArguments(value, LIMITS)).toEqual({ text });
  });

  it.each([
    { title: 'one byte too many', value: { a: 'x'.repeat(93) }, limit: 'maxArgumentBytes' },
    { title: 'few characters with many bytes', value: { a: '€'.repeat(31) }, limit: 'maxArgumentBytes' },
    { title: 'keys', value: { ['k'.repeat(200)]: 1 }, limit: 'maxArgumentBytes' },
    { title: 'escapes', value: { a: '\u0001'.repeat(20) }, limit: 'maxArgumentBytes' },
    { title: 'a long string alone', value: 'x'.repeat(101), limit: 'maxArgumentBytes' },
    { title: 'one level too deep', value: nested(6), limit: 'maxDepth' },
    { title: 'too deep for any stack', value: nested(1_000_000), limit: 'maxDepth' },
    { title: 'a cyclic value', value: holdsItself(), limit: 'maxDepth' },
  ])('refuses $title and names $limit', ({ value, limit }) => {
    expect(() => checkArguments(value, LIMITS)).toThrow(
      expect.objectContaining({ code: ErrorCode.LimitExceeded, hint: expect.stringContaining(`limits.${limit}`) }),
    );
  });

  it.each([
    { title: 'an infinite number', value: JSON.parse('{"n":1e400}') },
    { title: 'a nested infinite number', value: { a: [{ n: Number.NEGATIVE_INFINITY }] } },
    { title: 'NaN', value: { a: { n: Number.NaN } } },
    { title: 'a bigint', value: { n: 5n } },
    { title: 'a nested bigint', value: { a: [{ n: 5n }] } },
  ])('refuses $title, which JSON cannot represent', ({ value }) => {
    expect(() => checkArguments(value, LIMITS)).toThrow(/: n is a number that JSON cannot represent/);
  });

  it('does not serialize a value that is referred to many times', () => {
    expect(() => checkArguments(doubled(), { maxArgumentBytes: 4 * 1024 * 1024, maxDepth: 128 })).toThrow(
      expect.objectContaining({ code: ErrorCode.LimitExceeded }),
    );
  });
});
