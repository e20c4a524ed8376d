import { describe, expect, it } from 'vitest';
import { checkAgainst } from './check-value.js';

interface Rule {
  readonly title: string;
  readonly schema: unknown;
  readonly fits: readonly unknown[];
  readonly fails: readonly unknown[];
}

const json = (text: string): unknown => JSON.parse(text);

const RULES: readonly Rule[] = [
  { title: 'true', schema: true, fits: [1, null], fails: [] },
  { title: 'false', schema: false, fits: [], fails: [1, null] },
  { title: 'nothing asked', schema: {}, fits: [1, {}, undefined], fails: [] },
  { title: 'a type', schema: { type: 'integer' }, fits: [1, 1.0, -3, 1e300], fails: [1.5, '1', null, true] },
  { title: 'several types', schema: { type: ['string', 'null'] }, fits: ['', null], fails: [0, false, [], {}] },
  { title: 'object or list', schema: { type: 'object' }, fits: [{}], fails: [[], null] },
  {
    title: 'a constant',
    schema: { const: { a: [1, { b: 2 }] } },
    fits: [{ a: [1, { b: 2 }] }],
    fails: [{ a: [1] }, 1],
  },
  {
    title: 'a constant in another order',
    schema: { const: { a: 1, b: 2 } },
    fits: [{ b: 2, a: 1 }],
    fails: [{ a: 1 }],
  },
  { title: 'zero and false apart', schema: { enum: [0, ''] }, fits: [0, -0, ''], fails: [false, null, []] },
  { title: 'an empty enum', schema: { enum: [] }, fits: [], fails: [1] },
  { title: 'limits', schema: { minimum: 1, exclusiveMaximum: 3 }, fits: [1, 2.9, 'x'], fails: [0.9, 3] },
  {
    title: 'limits as in draft-04',
    schema: { minimum: 1, exclusiveMinimum: true },
    fits: [1.1],
    fails: [1],
  },
  { title: 'multiples of a decimal', schema: { multipleOf: 0.1 }, fits: [0.3, 1.1, 4.35e1, 0], fails: [0.35, 1e-9] },
  { title: 'multiples of a cent', schema: { multipleOf: 0.01 }, fits: [19.99, 4.35, 1e20], fails: [0.005] },
  { title: 'multiples far apart', schema: { multipleOf: 1e-300 }, fits: [1e300, 5e-300], fails: [1.5e-300] },
  {
    title: 'lengths in characters',
    schema: { minLength: 2, maxLength: 2 },
    fits: ['😀😀', 'ab'],
    fails: ['😀', 'abc'],
  },
  { title: 'a pattern anywhere', schema: { pattern: 'b+' }, fits: ['abc', 5], fails: ['ac'] },
  { title: 'a pattern with Unicode', schema: { pattern: '^\\p{L}\\s\\u0041$' }, fits: ['é\u00a0A'], fails: ['1 A'] },
  { title: 'a pattern with look-ahead, which nobody runs', schema: { pattern: '^(?=a)b' }, fits: ['x'], fails: [] },
  { title: 'a pattern that is none', schema: { pattern: '(' }, fits: ['x'], fails: [] },
  { title: 'a pattern of Python', schema: { pattern: '^a\\Z' }, fits: ['a', 'x'], fails: [] },
  { title: 'a format, which is a remark', schema: { format: 'email' }, fits: ['x'], fails: [] },
  { title: 'items', schema: { items: { type: 'string' } }, fits: [[], ['a']], fails: [['a', 1]] },
  {
    title: 'a tuple',
    schema: { prefixItems: [{ type: 'string' }], items: false },
    fits: [[], ['a']],
    fails: [[1], ['a', 1]],
  },
  {
    title: 'a tuple in the old spelling, whatever the draft',
    schema: { items: [{ type: 'string' }], additionalItems: { type: 'number' } },
    fits: [[], ['a'], ['a', 1]],
    fails: [[1], ['a', 'b']],
  },
  { title: 'a number of items', schema: { minItems: 1, maxItems: 2 }, fits: [[1], [1, 2], {}], fails: [[], [1, 2, 3]] },
  {
    title: 'items that differ',
    schema: { uniqueItems: true },
    fits: [
      [1, '1', true, [1], { a: 1 }, { a: '1' }, null],
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
    ],
    fails: [
      [1, 1.0],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [[[]], [[]]],
    ],
  },
  { title: 'an item that must be', schema: { contains: { const: 1 } }, fits: [[2, 1]], fails: [[], [2]] },
  {
    title: 'items counted',
    schema: { contains: { const: 1 }, minContains: 2, maxContains: 2 },
    fits: [[1, 2, 1]],
    fails: [[1], [1, 1, 1]],
  },
  { title: 'none counted', schema: { contains: { const: 1 }, minContains: 0 }, fits: [[], [2]], fails: [] },
  {
    title: 'properties',
    schema: { properties: { a: { type: 'string' } }, required: ['b'] },
    fits: [{ b: 1 }, { a: '', b: 1, c: 2 }, 'no object'],
    fails: [{}, { a: 1, b: 1 }],
  },
  {
    title: 'properties that every object inherits',
    schema: { required: ['toString'], properties: { constructor: { type: 'number' } }, additionalProperties: false },
    fits: [],
    fails: [{}, { toString: 1 }, json('{"__proto__": 1}')],
  },
  {
    title: 'a property named __proto__',
    schema: json('{"properties": {"__proto__": {"type": "string"}}, "required": ["__proto__"]}'),
    fits: [json('{"__proto__": "a"}')],
    fails: [{}, json('{"__proto__": 1}')],
  },
  {
    title: 'a required that is no list',
    schema: { properties: { a: { required: true } } },
    fits: [{ a: {} }],
    fails: [],
  },
  {
    title: 'properties by pattern',
    schema: { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false, properties: { a: true } },
    fits: [{ 'x-a': 1, a: 'b' }],
    fails: [{ 'x-a': 'b' }, { b: 1 }],
  },
  {
    title: 'a name that only a skipped pattern could know',
    schema: { patternProperties: { '^(?!y)': { type: 'number' } }, additionalProperties: false },
    fits: [{ x: 'any' }],
    fails: [],
  },
  {
    title: 'other properties',
    schema: { additionalProperties: { type: 'number' } },
    fits: [{ a: 1 }],
    fails: [{ a: '' }],
  },
  { title: 'names', schema: { propertyNames: { maxLength: 1 } }, fits: [{ a: 1 }], fails: [{ ab: 1 }] },
  {
    title: 'a number of properties',
    schema: { minProperties: 1, maxProperties: 1 },
    fits: [{ a: 1 }],
    fails: [{}, { a: 1, b: 1 }],
  },
  {
    title: 'what another needs',
    schema: { dependentRequired: { a: ['b'] } },
    fits: [{}, { a: 1, b: 1 }],
    fails: [{ a: 1 }],
  },
  {
    title: 'what another asks for',
    schema: { dependentSchemas: { a: { minProperties: 2 } } },
    fits: [{ b: 1 }, { a: 1, b: 1 }],
    fails: [{ a: 1 }],
  },
  {
    title: 'dependencies in the old spelling',
    schema: { dependencies: { a: ['b'], c: { minProperties: 2 } } },
    fits: [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
    fails: [{ a: 1 }, { c: 1 }],
  },
  { title: 'all of', schema: { allOf: [{ minimum: 1 }, { maximum: 2 }] }, fits: [1, 2], fails: [0, 3] },
  { title: 'any of', schema: { anyOf: [{ minimum: 5 }, { maximum: 2 }] }, fits: [1, 6], fails: [3] },
  { title: 'one of', schema: { oneOf: [{ minimum: 2 }, { maximum: 5 }] }, fits: [1, 6], fails: [3] },
  { title: 'not', schema: { not: { type: 'string' } }, fits: [1], fails: [''] },
  {
    title: 'if, then and else',
    schema: json('{"if": {"type": "number"}, "then": {"minimum": 1}, "else": {"minLength": 1}}'),
    fits: [1, 'a', null],
    fails: [0, ''],
  },
];

describe('checkAgainst', () => {
  it.each(RULES)('reads $title', async ({ schema, fits, fails }) => {
    const kinds = async (values: readonly unknown[]): Promise<string[]> =>
      Promise.all(values.map(async (value) => (await checkAgainst(schema, value)).kind));
    expect({ fits: await kinds(fits), fails: await kinds(fails) }).toEqual({
      fits: fits.map(() => 'valid'),
      fails: fails.map(() => 'invalid'),
    });
  });
});
