import { describe, expect, it } from 'vitest';
import { checkAgainst } from './check-value.js';

const FILE = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    mode: { enum: ['read', 'write'] },
    lines: { type: 'array', items: { type: 'object', properties: { from: { type: 'integer' } }, required: ['from'] } },
  },
  required: ['path'],
  additionalProperties: false,
};
const PARENT = {
  anyOf: [
    {
      type: 'object',
      properties: { type: { const: 'page' }, page_id: { type: 'string' } },
      required: ['type', 'page_id'],
    },
    {
      type: 'object',
      properties: { type: { const: 'table' }, table_id: { type: 'string' } },
      required: ['type', 'table_id'],
    },
  ],
};

describe('what checkAgainst says', () => {
  it.each<{ title: string; schema: unknown; value: unknown; said: readonly string[] }>([
    { title: 'a missing argument', schema: FILE, value: {}, said: ['path is missing; expected a string'] },
    {
      title: 'a missing argument with an inherited name',
      schema: { required: ['constructor'], properties: {} },
      value: {},
      said: ['constructor is missing'],
    },
    { title: 'another type', schema: FILE, value: { path: 5 }, said: ['path must be a string, but is the number 5'] },
    {
      title: 'a number in quotes',
      schema: { type: 'number' },
      value: '5',
      said: [' must be a number, but is the string "5"'],
    },
    { title: 'no arguments at all', schema: FILE, value: null, said: [' must be an object with "path", but is null'] },
    {
      title: 'a misspelled name',
      schema: FILE,
      value: { path: 'a', moed: 'read' },
      said: ['moed is not a known property; did you mean "mode"?'],
    },
    {
      title: 'an unrelated name',
      schema: FILE,
      value: { path: 'a', zzz: 1 },
      said: ['zzz is not a known property; known properties: "path", "mode", "lines"'],
    },
    {
      title: 'a value outside an enum',
      schema: FILE,
      value: { path: 'a', mode: 'append' },
      said: ['mode must be one of "read", "write", but is "append"'],
    },
    {
      title: 'several nested mismatches at once',
      schema: FILE,
      value: { path: 'a', lines: [{ from: 1 }, {}, { from: 1.5 }, 'x'] },
      said: [
        'lines[1].from is missing; expected a whole number',
        'lines[2].from must be a whole number, but is the number 1.5',
        'lines[3] must be an object with "from", but is the string "x"',
      ],
    },
    {
      title: 'the alternative of the right type',
      schema: PARENT,
      value: { type: 'table' },
      said: ['table_id is missing; expected a string'],
    },
    {
      title: 'all alternatives if none has the right type',
      schema: { properties: { parent: PARENT } },
      value: { parent: { type: 'folder' } },
      said: [
        'parent must be one of: an object with "type": "page", "page_id"; an object with "type": "table", "table_id"',
      ],
    },
    {
      title: 'alternatives of simple types',
      schema: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'null' }] },
      value: 7,
      said: [' must be one of: a string; a list of strings; null'],
    },
    {
      title: 'the only alternative of that type',
      schema: { anyOf: [{ type: 'string', maxLength: 2 }, { type: 'null' }] },
      value: 'abc',
      said: [' must have at most 2 characters, but has 3'],
    },
    {
      title: 'more than one matching alternative',
      schema: { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      value: 1,
      said: [
        ' matches more than one of the alternatives, but must match exactly one: (1) a number, (2) a whole number',
      ],
    },
    { title: 'a schema under not', schema: { not: { type: 'string' } }, value: 'a', said: [' must not be a string'] },
    { title: 'a limit', schema: { maximum: 5 }, value: 6, said: [' must be at most 5, but is 6'] },
    { title: 'a pattern', schema: { pattern: '^a+$' }, value: 'b', said: [' must match the pattern ^a+$, but is "b"'] },
    {
      title: 'duplicate items',
      schema: { uniqueItems: true },
      value: [1, 2, 1],
      said: ['[2] is the same as item 0: all items must be different'],
    },
    {
      title: 'a name that is not an identifier',
      schema: { additionalProperties: { type: 'string' } },
      value: { 'a b.c': 1 },
      said: ['["a b.c"] must be a string, but is the number 1'],
    },
    {
      title: 'a property name with a limit',
      schema: { propertyNames: { maxLength: 2 } },
      value: { abc: 1 },
      said: ['abc has a name that is not allowed: it must have at most 2 characters, but has 3'],
    },
    {
      title: 'dependent properties',
      schema: { dependentRequired: { card: ['address'] } },
      value: { card: 1 },
      said: ['address is missing, but required because of "card"'],
    },
    {
      title: 'an object constant',
      schema: { const: { a: 1 } },
      value: { a: 2 },
      said: [' must be {"a": 1}, but is {"a": 2}'],
    },
    {
      title: 'each message once',
      schema: { allOf: [{ required: ['a'] }, { required: ['a'] }] },
      value: {},
      said: ['a is missing'],
    },
  ])('reports $title', async ({ schema, value, said }) => {
    const verdict = await checkAgainst(schema, value);
    const told =
      verdict.kind === 'invalid' ? verdict.mismatches.map(({ path, message }) => `${path} ${message}`) : verdict;
    expect(told).toEqual(said);
  });

  it('reports at most ten mismatches, each of limited length', async () => {
    const value = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`${'k'.repeat(5_000)}${n}`, 'v'.repeat(5_000)]),
    );
    const schema = { additionalProperties: { enum: Array.from({ length: 99 }, (_, n) => `${'e'.repeat(5_000)}${n}`) } };
    const verdict = await checkAgainst(schema, value);
    const mismatches = verdict.kind === 'invalid' ? verdict.mismatches : [];
    expect(mismatches).toHaveLength(1); // the names have the same shortened form
    const many = await checkAgainst(
      { items: { type: 'string' } },
      Array.from({ length: 50 }, () => 1),
    );
    expect(many.kind === 'invalid' ? many.mismatches.map(({ path }) => path) : many).toEqual(
      Array.from({ length: 10 }, (_, n) => `[${n}]`),
    );
    expect(Math.max(...mismatches.map(({ path, message }) => path.length + message.length))).toBeLessThan(800);
  });

  it('passes on no hidden characters of the schema', async () => {
    const verdict = await checkAgainst({ enum: ['a\u{e0041}\u202eb'] }, 'x\u200by');
    expect(verdict).toEqual({
      kind: 'invalid',
      mismatches: [{ path: '', message: 'must be one of "ab", but is "xy"' }],
    });
  });
});
