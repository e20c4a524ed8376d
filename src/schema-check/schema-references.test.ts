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
    title: 'a list that contains itself',
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
    title: 'an address of its own',
    schema: {
      $id: 'https://example.com/root.json',
      $ref: 'other.json#/$defs/x',
      $defs: { o: { $id: 'other.json', $defs: { x: { $ref: '#/$defs/y' }, y: { type: 'string' } } } },
    },
    fits: [''],
    fails: [1],
  },
  {
    title: 'an old anchor',
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
    title: 'words beside a reference',
    schema: { $ref: '#/$defs/a', maximum: 5, $defs: { a: { type: 'number' } } },
    fits: [1],
    fails: [6, ''],
  },
  {
    title: 'words beside an old reference, which do not count',
    schema: {
      ...OLD,
      properties: { x: { $ref: '#/definitions/a', maximum: 5 } },
      definitions: { a: { type: 'number' } },
    },
    fits: [{ x: 6 }],
    fails: [{ x: '' }],
  },
  {
    title: 'a reference in a value, which is none',
    schema: { enum: [{ $ref: 'https://example.com' }] },
    fits: [{ $ref: 'https://example.com' }],
    fails: [1],
  },
  {
    title: 'no other properties than any part has looked at',
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
    title: 'properties that only a failed part has looked at',
    schema: { if: { properties: { a: { const: 1 } }, required: ['a'] }, unevaluatedProperties: { type: 'string' } },
    fits: [{ a: 1 }, { a: 'x' }],
    fails: [{ a: 2 }],
  },
  {
    title: 'properties that only a cousin has looked at',
    schema: { allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] },
    fits: [{}],
    fails: [{ a: 1 }],
  },
  {
    title: 'no other items than any part has looked at',
    schema: { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false },
    fits: [['a'], [1, 'a'], [1, 'a', 'b']],
    fails: [[1, 'a', 2]],
  },
  {
    title: 'new words in an old schema, which do not count',
    schema: { ...OLD, prefixItems: [false], dependentRequired: { a: ['b'] }, unevaluatedProperties: false },
    fits: [[1], { a: 1 }],
    fails: [],
  },
];

describe('checkAgainst, where one part of a schema needs another', () => {
  it.each(RULES)('reads $title', async ({ schema, fits, fails }) => {
    const kinds = async (values: readonly unknown[]): Promise<string[]> =>
      Promise.all(values.map(async (value) => (await checkAgainst(schema, value)).kind));
    expect({ fits: await kinds(fits), fails: await kinds(fails) }).toEqual({
      fits: fits.map(() => 'valid'),
      fails: fails.map(() => 'invalid'),
    });
  });

  it.each([
    { title: 'no schema', schema: undefined, reason: 'no schema' },
    { title: 'a list', schema: [], reason: 'no schema' },
    { title: 'a word in the place of a schema', schema: { items: 'string' }, reason: 'broken' },
    { title: 'a type that is none', schema: { type: 'text' }, reason: 'no type "text"' },
    { title: 'an address elsewhere', schema: { $ref: 'https://example.com/a.json' }, reason: 'never fetched' },
    { title: 'a file', schema: { $ref: 'file:///etc/passwd' }, reason: 'never fetched' },
    { title: 'a name beside', schema: { $ref: 'other.json' }, reason: 'never fetched' },
    {
      title: 'the language itself',
      schema: { $ref: 'http://json-schema.org/draft-07/schema#' },
      reason: 'never fetched',
    },
    { title: 'nothing', schema: { $ref: '#/$defs/a' }, reason: 'where no schema is' },
    { title: 'what every object inherits', schema: { $ref: '#/constructor' }, reason: 'where no schema is' },
    { title: 'the prototype', schema: { $ref: '#/__proto__' }, reason: 'where no schema is' },
    { title: 'itself', schema: { $ref: '#' }, reason: 'back to itself' },
    { title: 'itself, twice', schema: { anyOf: [{ $ref: '#' }, { $ref: '#' }] }, reason: 'back to itself' },
    { title: 'half a letter', schema: { $ref: '#/%E0%A4' }, reason: 'where no schema is' },
  ])('leaves to the server a schema that is or refers to $title', async ({ schema, reason }) => {
    expect(await checkAgainst(schema, [1])).toEqual({ kind: 'unchecked', reason: expect.stringContaining(reason) });
  });

  it('checks what it can where a reference that cannot be had is not met', async () => {
    const schema = { properties: { a: { $ref: 'https://example.com/a' }, b: { type: 'string' } } };
    expect([(await checkAgainst(schema, { b: '' })).kind, (await checkAgainst(schema, { b: 1 })).kind]).toEqual([
      'valid',
      'invalid',
    ]);
  });
});
