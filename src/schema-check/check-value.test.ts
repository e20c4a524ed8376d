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
  { title: 'an empty schema', schema: {}, fits: [1, {}, undefined], fails: [] },
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
    title: 'a constant with another order of keys',
    schema: { const: { a: 1, b: 2 } },
    fits: [{ b: 2, a: 1 }],
    fails: [{ a: 1 }],
  },
  { title: '0 and false as different values', schema: { enum: [0, ''] }, fits: [0, -0, ''], fails: [false, null, []] },
  { title: 'an empty enum', schema: { enum: [] }, fits: [], fails: [1] },
  { title: 'limits', schema: { minimum: 1, exclusiveMaximum: 3 }, fits: [1, 2.9, 'x'], fails: [0.9, 3] },
  {
    title: 'limits as in draft-04',
    schema: { minimum: 1, exclusiveMinimum: true },
    fits: [1.1],
    fails: [1],
  },
  { title: 'multiples of a decimal', schema: { multipleOf: 0.1 }, fits: [0.3, 1.1, 4.35e1, 0], fails: [0.35, 1e-9] },
  { title: 'multiples of 0.01', schema: { multipleOf: 0.01 }, fits: [19.99, 4.35, 1e20], fails: [0.005] },
  {
    title: 'multiples of very different size',
    schema: { multipleOf: 1e-300 },
    fits: [1e300, 5e-300],
    fails: [1.5e-300],
  },
  {
    title: 'lengths in characters',
    schema: { minLength: 2, maxLength: 2 },
    fits: ['😀😀', 'ab'],
    fails: ['😀', 'abc'],
  },
  { title: 'a pattern anywhere', schema: { pattern: 'b+' }, fits: ['abc', 5], fails: ['ac'] },
  { title: 'a pattern with Unicode', schema: { pattern: '^\\p{L}\\s\\u0041$' }, fits: ['é\u00a0A'], fails: ['1 A'] },
  { title: 'a pattern with look-ahead, which is skipped', schema: { pattern: '^(?=a)b' }, fits: ['x'], fails: [] },
  { title: 'an invalid pattern', schema: { pattern: '(' }, fits: ['x'], fails: [] },
  { title: 'a pattern in Python notation', schema: { pattern: '^a\\Z' }, fits: ['a', 'x'], fails: [] },
  { title: 'format, which is ignored', schema: { format: 'email' }, fits: ['x'], fails: [] },
  { title: 'items', schema: { items: { type: 'string' } }, fits: [[], ['a']], fails: [['a', 1]] },
  {
    title: 'a tuple',
    schema: { prefixItems: [{ type: 'string' }], items: false },
    fits: [[], ['a']],
    fails: [[1], ['a', 1]],
  },
  {
    title: 'a tuple in the old notation with any draft',
    schema: { items: [{ type: 'string' }], additionalItems: { type: 'number' } },
    fits: [[], ['a'], ['a', 1]],
    fails: [[1], ['a', 'b']],
  },
  { title: 'a number of items', schema: { minItems: 1, maxItems: 2 }, fits: [[1], [1, 2], {}], fails: [[], [1, 2, 3]] },
  {
    title: 'unique items',
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
  { title: 'contains', schema: { contains: { const: 1 } }, fits: [[2, 1]], fails: [[], [2]] },
  {
    title: 'minContains and maxContains',
    schema: { contains: { const: 1 }, minContains: 2, maxContains: 2 },
    fits: [[1, 2, 1]],
    fails: [[1], [1, 1, 1]],
  },
  { title: 'minContains 0', schema: { contains: { const: 1 }, minContains: 0 }, fits: [[], [2]], fails: [] },
  {
    title: 'properties',
    schema: { properties: { a: { type: 'string' } }, required: ['b'] },
    fits: [{ b: 1 }, { a: '', b: 1, c: 2 }, 'no object'],
    fails: [{}, { a: 1, b: 1 }],
  },
  {
    title: 'inherited property names',
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
    title: 'an invalid required',
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
    title: 'a name that only a skipped pattern could match',
    schema: { patternProperties: { '^(?!y)': { type: 'number' } }, additionalProperties: false },
    fits: [{ x: 'any' }],
    fails: [],
  },
  {
    title: 'additional properties',
    schema: { additionalProperties: { type: 'number' } },
    fits: [{ a: 1 }],
    fails: [{ a: '' }],
  },
  { title: 'property names', schema: { propertyNames: { maxLength: 1 } }, fits: [{ a: 1 }], fails: [{ ab: 1 }] },
  {
    title: 'a number of properties',
    schema: { minProperties: 1, maxProperties: 1 },
    fits: [{ a: 1 }],
    fails: [{}, { a: 1, b: 1 }],
  },
  {
    title: 'dependentRequired',
    schema: { dependentRequired: { a: ['b'] } },
    fits: [{}, { a: 1, b: 1 }],
    fails: [{ a: 1 }],
  },
  {
    title: 'dependentSchemas',
    schema: { dependentSchemas: { a: { minProperties: 2 } } },
    fits: [{ b: 1 }, { a: 1, b: 1 }],
    fails: [{ a: 1 }],
  },
  {
    title: 'dependencies in the old notation',
    schema: { dependencies: { a: ['b'], c: { minProperties: 2 } } },
    fits: [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
    fails: [{ a: 1 }, { c: 1 }],
  },
  { title: 'allOf', schema: { allOf: [{ minimum: 1 }, { maximum: 2 }] }, fits: [1, 2], fails: [0, 3] },
  { title: 'anyOf', schema: { anyOf: [{ minimum: 5 }, { maximum: 2 }] }, fits: [1, 6], fails: [3] },
  { title: 'oneOf', schema: { oneOf: [{ minimum: 2 }, { maximum: 5 }] }, fits: [1, 6], fails: [3] },
  { title: 'not', schema: { not: { type: 'string' } }, fits: [1], fails: [''] },
  {
    title: 'if, then and else',
    schema: json('{"if": {"type": "number"}, "then": {"minimum": 1}, "else": {"minLength": 1}}'),
    fits: [1, 'a', null],
    fails: [0, ''],
  },
];

describe('checkAgainst', () => {
  it.each(RULES)('validates $title', async ({ schema, fits, fails }) => {
    const kinds = async (values: readonly unknown[]): Promise<string[]> =>
      Promise.all(values.map(async (value) => (await checkAgainst(schema, value)).kind));
    expect({ fits: await kinds(fits), fails: await kinds(fails) }).toEqual({
      fits: fits.map(() => 'valid'),
      fails: fails.map(() => 'invalid'),
    });
  });
});
