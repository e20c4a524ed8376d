import { describe, expect, it } from 'vitest';
import { checkAgainst } from './check-value.js';

const OLD = { $schema: 'http://json-schema.org/draft-07/schema#' };

interface Rule {
  readonly title: string;
  readonly schema: unknown;
  readonly fits: readonly unknown[];
  readonly fails: readonly unknown[];
}

const RULES: readonly Rule[] = [
  {
    title: 'a recursive list',
    schema: { $ref: '#/$defs/tree', $defs: { tree: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
    fits: [[], [[], [[]]]],
    fails: [[[1]]],
  },
  {
    title: 'a pointer into a property',
    schema: { properties: { a: { type: 'string' }, b: { $ref: '#/properties/a' } } },
    fits: [{ b: '' }],
    fails: [{ b: 1 }],
  },
  {
    title: 'a pointer with escapes',
    schema: { $ref: '#/$defs/a~1b~0c%25d', $defs: { 'a/b~c%d': { type: 'string' } } },
    fits: [''],
    fails: [1],
  },
  {
    title: 'an anchor',
    schema: { $ref: '#here', $defs: { a: { $anchor: 'here', type: 'string' } } },
    fits: [''],
    fails: [1],
  },
  {
    title: 'a schema with its own $id',
    schema: {
      $id: 'https://example.com/root.json',
      $ref: 'other.json#/$defs/x',
      $defs: { o: { $id: 'other.json', $defs: { x: { $ref: '#/$defs/y' }, y: { type: 'string' } } } },
    },
    fits: [''],
    fails: [1],
  },
  {
    title: 'an anchor in the old notation',
    schema: { ...OLD, allOf: [{ $ref: '#here' }], definitions: { a: { $id: '#here', type: 'string' } } },
    fits: [''],
    fails: [1],
  },
  {
    title: 'a dynamic reference',
    schema: { $dynamicRef: '#node', $defs: { n: { $dynamicAnchor: 'node', type: 'string' } } },
    fits: [''],
    fails: [1],
  },
  {
    title: 'keywords beside a reference',
    schema: { $ref: '#/$defs/a', maximum: 5, $defs: { a: { type: 'number' } } },
    fits: [1],
    fails: [6, ''],
  },
  {
    title: 'keywords beside an old reference, which are ignored',
    schema: {
      ...OLD,
      properties: { x: { $ref: '#/definitions/a', maximum: 5 } },
      definitions: { a: { type: 'number' } },
    },
    fits: [{ x: 6 }],
    fails: [{ x: '' }],
  },
  {
    title: '$ref inside a value, which is not a reference',
    schema: { enum: [{ $ref: 'https://example.com' }] },
    fits: [{ $ref: 'https://example.com' }],
    fails: [1],
  },
  {
    title: 'unevaluated properties across subschemas',
    schema: {
      allOf: [{ properties: { a: true } }],
      anyOf: [
        { properties: { b: { type: 'string' } }, required: ['b'] },
        { properties: { c: true }, required: ['c'] },
      ],
      unevaluatedProperties: false,
    },
    fits: [{ b: '' }, { a: 1, b: '', c: 1 }, { c: 1 }],
    fails: [{ b: '', d: 1 }, { a: 1 }, { b: 1, c: 1 }],
  },
  {
    title: 'properties evaluated only by a failed subschema',
    schema: { if: { properties: { a: { const: 1 } }, required: ['a'] }, unevaluatedProperties: { type: 'string' } },
    fits: [{ a: 1 }, { a: 'x' }],
    fails: [{ a: 2 }],
  },
  {
    title: 'properties evaluated only by an unrelated subschema',
    schema: { allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] },
    fits: [{}],
    fails: [{ a: 1 }],
  },
  {
    title: 'unevaluated items across subschemas',
    schema: { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false },
    fits: [['a'], [1, 'a'], [1, 'a', 'b']],
    fails: [[1, 'a', 2]],
  },
  {
    title: 'new keywords in an old schema, which are ignored',
    schema: { ...OLD, prefixItems: [false], dependentRequired: { a: ['b'] }, unevaluatedProperties: false },
    fits: [[1], { a: 1 }],
    fails: [],
  },
];

describe('checkAgainst with references', () => {
  it.each(RULES)('validates $title', async ({ schema, fits, fails }) => {
    const kinds = async (values: readonly unknown[]): Promise<string[]> =>
      Promise.all(values.map(async (value) => (await checkAgainst(schema, value)).kind));
    expect({ fits: await kinds(fits), fails: await kinds(fails) }).toEqual({
      fits: fits.map(() => 'valid'),
      fails: fails.map(() => 'invalid'),
    });
  });

  it.each([
    { title: 'an invalid schema', schema: undefined, reason: 'no readable schema' },
    { title: 'a list', schema: [], reason: 'no readable schema' },
    { title: 'a string as a schema', schema: { items: 'string' }, reason: 'invalid' },
    { title: 'an unknown type', schema: { type: 'text' }, reason: 'no type "text"' },
    { title: 'an external URL', schema: { $ref: 'https://example.com/a.json' }, reason: 'never fetched' },
    { title: 'a file', schema: { $ref: 'file:///etc/passwd' }, reason: 'never fetched' },
    { title: 'a sibling document', schema: { $ref: 'other.json' }, reason: 'never fetched' },
    {
      title: 'the meta-schema',
      schema: { $ref: 'http://json-schema.org/draft-07/schema#' },
      reason: 'never fetched',
    },
    { title: 'a missing target', schema: { $ref: '#/$defs/a' }, reason: 'which is not a schema' },
    { title: 'an inherited name', schema: { $ref: '#/constructor' }, reason: 'which is not a schema' },
    { title: 'the prototype', schema: { $ref: '#/__proto__' }, reason: 'which is not a schema' },
    { title: 'itself', schema: { $ref: '#' }, reason: 'refers to itself' },
    {
      title: 'itself, in two alternatives',
      schema: { anyOf: [{ $ref: '#' }, { $ref: '#' }] },
      reason: 'refers to itself',
    },
    { title: 'an incomplete escape', schema: { $ref: '#/%E0%A4' }, reason: 'which is not a schema' },
  ])('leaves a schema that is or refers to $title to the server', async ({ schema, reason }) => {
    expect(await checkAgainst(schema, [1])).toEqual({ kind: 'unchecked', reason: expect.stringContaining(reason) });
  });

  it('checks the rest if an unresolvable reference is not reached', async () => {
    const schema = { properties: { a: { $ref: 'https://example.com/a' }, b: { type: 'string' } } };
    expect([(await checkAgainst(schema, { b: '' })).kind, (await checkAgainst(schema, { b: 1 })).kind]).toEqual([
      'valid',
      'invalid',
    ]);
  });
});
