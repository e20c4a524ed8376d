import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDeeperThan, isValueDeeperThan, PassingId } from './json-scan.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('isDeeperThan', () => {
  it.each([
    { json: '1', limit: 0, deeper: false },
    { json: '{}', limit: 0, deeper: true },
    { json: '{}', limit: 1, deeper: false },
    { json: '[[[]]]', limit: 3, deeper: false },
    { json: '[[[]]]', limit: 2, deeper: true },
    { json: '[[],[],[]]', limit: 2, deeper: false },
    { json: '["[[[["]', limit: 1, deeper: false },
    { json: '["\\"[[[["]', limit: 1, deeper: false },
    { json: '["\\\\",[[]]]', limit: 2, deeper: true },
    { json: '["\\\\\\"[[[["]', limit: 1, deeper: false },
    { json: '{"a":{"b":[{}]}}', limit: 4, deeper: false },
    { json: '{"a":{"b":[{}]}}', limit: 3, deeper: true },
    { json: ']]]]]][[', limit: 2, deeper: false },
    { json: '["never closed [[[[', limit: 1, deeper: false },
  ])('returns $deeper for $json and limit $limit', ({ json, limit, deeper }) => {
    expect(isDeeperThan(Buffer.from(json), limit)).toBe(deeper);
  });

  it('agrees with JSON.parse and with isValueDeeperThan', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), (value, limit) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        const expected = depthOf(plain) > limit;
        expect([isDeeperThan(Buffer.from(JSON.stringify(plain)), limit), isValueDeeperThan(plain, limit)]).toEqual([
          expected,
          expected,
        ]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('handles a million levels without overflowing the stack', () => {
    const levels = 1_000_000;
    expect(isDeeperThan(Buffer.from('['.repeat(levels)), 128)).toBe(true);
    let value: unknown = [];
    for (let n = 0; n < 10_000; n += 1) value = [value];
    expect(isValueDeeperThan(value, 128)).toBe(true);
  });

  it('scans a megabyte of escaped quotes in linear time', () => {
    const timeFor = (count: number) => {
      const json = Buffer.from(`["${'\\"'.repeat(count)}"]`);
      const start = performance.now();
      expect(isDeeperThan(json, 1)).toBe(false);
      return performance.now() - start;
    };
    // The fastest of several runs, because another process can occupy the core during any of them.
    const fastest = (count: number) => Math.min(...Array.from({ length: 8 }, () => timeFor(count)));
    timeFor(1_000);
    expect(fastest(500_000) / Math.max(1, fastest(50_000))).toBeLessThan(50);
  });
});

describe('PassingId', () => {
  const idOf = (text: string, cut = text.length) => {
    const passing = new PassingId();
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += cut) passing.push(bytes.subarray(at, at + cut));
    return passing.id;
  };

  it.each([
    { title: 'a number', text: '{"jsonrpc":"2.0","id":42,"result":{}}', id: 42 },
    { title: 'a number at the end', text: '{"result":{"id":1},"jsonrpc":"2.0","id":42}', id: 42 },
    { title: 'a text', text: '{"id":"a-1","result":1}', id: 'a-1' },
    { title: 'a text with escapes', text: '{"id":"a\\"\\u0041","result":1}', id: 'a"A' },
    { title: 'spaces around it', text: '{ "id" : 7 , "result" : 1 }', id: 7 },
    { title: 'the last of two', text: '{"id":1,"id":2}', id: 2 },
    { title: 'none if an earlier id follows a nested one', text: '{"id":5,"result":[1,2', id: 5 },
    { title: 'none', text: '{"result":{"id":5}}', id: undefined },
    { title: 'none inside a list', text: '[{"id":5}]', id: undefined },
    { title: 'none inside a string', text: '"{\\"id\\":5}"', id: undefined },
    { title: 'none inside a string value', text: '{"x":"\\"id\\":5"}', id: undefined },
    { title: 'none if it is null', text: '{"id":null}', id: undefined },
    { title: 'none if it is an object', text: '{"id":{"id":5},"x":1}', id: undefined },
    { title: 'none if it is true', text: '{"id":true}', id: undefined },
    { title: 'none if only a value is called id', text: '{"x":"id","y":3}', id: undefined },
    { title: 'none if the text is too long', text: `{"id":"${'x'.repeat(100)}"}`, id: undefined },
    { title: 'none if the number is too long', text: `{"id":0.${'0'.repeat(100)}5}`, id: undefined },
    { title: 'none in invalid bytes', text: '\0\u001f}}}]]]{{{"', id: undefined },
  ])('finds $title, in one chunk or byte by byte', ({ text, id }) => {
    expect([idOf(text), idOf(text, 1), idOf(text, 3)]).toEqual([id, id, id]);
  });

  it('finds the id of every message that JSON.parse accepts', () => {
    const message = fc.record({ result: fc.jsonValue({ maxDepth: 4 }), more: fc.string(), after: fc.boolean() });
    fc.assert(
      fc.property(message, fc.nat(1_000_000), fc.integer({ min: 1, max: 9 }), ({ result, more, after }, id, cut) => {
        const text = JSON.stringify(after ? { result, more, id } : { id, result, more });
        expect(idOf(text, cut)).toBe(id);
      }),
      { numRuns: 500 },
    );
  });
});
