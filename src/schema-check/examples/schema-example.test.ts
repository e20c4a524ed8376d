import { describe, expect, it } from 'vitest';
import { checkAgainst } from '../check-value.js';
import { exampleOf } from './schema-example.js';

const of = (...properties: readonly [string, unknown][]): unknown => ({
  type: 'object',
  properties: Object.fromEntries(properties),
  required: properties.map(([name]) => name),
});

describe('exampleOf', () => {
  it.each<{ title: string; schema: unknown; example: unknown }>([
    { title: 'no arguments', schema: { type: 'object' }, example: {} },
    {
      title: 'only required properties',
      schema: {
        type: 'object',
        properties: { path: { type: 'string' }, limit: { type: 'integer', default: 5 } },
        required: ['path'],
      },
      example: { path: '/path/to/notes.txt' },
    },
    {
      title: 'properties with a default if none is required',
      schema: { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer', default: 5 } } },
      example: { limit: 5 },
    },
    {
      title: 'values given by the schema',
      schema: of(
        ['a', { type: 'string', examples: ['x', 'y'], default: 'z' }],
        ['b', { default: 'z' }],
        ['c', { const: 3 }],
        ['d', { enum: ['u', 'v'] }],
      ),
      example: { a: 'x', b: 'z', c: 3, d: 'u' },
    },
    {
      title: 'no given example of another type',
      schema: of(['tags', { type: 'array', items: { type: 'string' }, examples: ['a, b'] }]),
      example: { tags: ['example'] },
    },
    {
      title: 'realistic texts',
      schema: of(
        ['email', { type: 'string' }],
        ['query', { type: 'string' }],
        ['since', { type: 'string', format: 'date-time' }],
        ['issueId', { type: 'string' }],
      ),
      example: { email: 'ada@example.com', query: 'example', since: '2026-01-15T09:30:00Z', issueId: 'abc123' },
    },
    {
      title: 'every type',
      schema: of(
        ['a', { type: 'boolean' }],
        ['b', { type: 'null' }],
        ['c', { type: ['null', 'number'] }],
        ['d', { type: 'array' }],
        ['e', {}],
      ),
      example: { a: true, b: null, c: 1, d: ['value'], e: 'example' },
    },
    {
      title: 'limits',
      schema: of(
        ['a', { type: 'integer', minimum: 7 }],
        ['b', { type: 'number', exclusiveMinimum: 3, maximum: 4 }],
        ['c', { type: 'integer', multipleOf: 5 }],
        ['d', { type: 'string', minLength: 9 }],
        ['e', { type: 'string', maxLength: 2 }],
        ['f', { type: 'array', items: { type: 'integer' }, minItems: 2 }],
      ),
      example: { a: 7, b: 4, c: 5, d: 'examplexx', e: 'ex', f: [1, 1] },
    },
    {
      title: 'patterns',
      schema: of(
        ['a', { type: 'string', pattern: '^\\d{4}-\\d{2}$' }],
        ['b', { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }],
        ['c', { type: 'string', pattern: '^(pid|tag)!?=.+$' }],
        ['d', { type: 'string', pattern: '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$' }],
        ['e', { type: 'string', pattern: '^(?!x)' }],
      ),
      example: { a: '1111-11', b: '#aaaaaa', c: 'pid=a', d: 'a@a.a', e: 'example' },
    },
    {
      title: 'references, allOf and alternatives',
      schema: {
        type: 'object',
        properties: { a: { $ref: '#/$defs/id' }, b: { anyOf: [{ type: 'null' }, { type: 'integer' }] } },
        allOf: [
          {
            properties: {
              c: { oneOf: [{ type: 'object', properties: { url: { type: 'string' } }, required: ['url'] }] },
            },
            required: ['c'],
          },
        ],
        required: ['a', 'b'],
        $defs: { id: { type: 'string', format: 'uuid' } },
      },
      example: { a: '123e4567-e89b-42d3-a456-426614174000', b: 1, c: { url: 'https://example.com/' } },
    },
  ])('contains $title', async ({ schema, example }) => {
    expect(exampleOf(schema)).toEqual(example);
    expect(await checkAgainst(schema, example)).toEqual({ kind: 'valid' });
  });

  it.each([
    { title: 'an invalid schema', schema: 7 },
    { title: 'a schema that allows nothing', schema: false },
    { title: 'a circular reference', schema: { $ref: '#' } },
    { title: 'a schema that contains itself', schema: of(['a', { $ref: '#' }]) },
    { title: 'an external reference', schema: { $ref: 'https://example.com/' } },
    {
      title: 'a schema beyond the size limit',
      schema: of(...Array.from({ length: 100 }, (_, n): [string, unknown] => [`argument_number_${n}`, true])),
    },
  ])('returns no example for $title', ({ schema }) => {
    expect(exampleOf(schema)).toBeUndefined();
  });
});
