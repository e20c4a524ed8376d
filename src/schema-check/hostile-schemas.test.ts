import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAgainst } from './check-value.js';
import { exampleOf } from './examples/schema-example.js';

/** Far more than an idle machine needs, with slack for a busy one. */
const MAX_MS = 8_000;

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const named = <T>(count: number, make: (n: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, (n) => [`property_name_${n}`, make(n)]));
const nested = (open: string, middle: string, close: string, depth: number): unknown =>
  JSON.parse(`${open.repeat(depth)}${middle}${close.repeat(depth)}`);
/** Not periodic, so that no engine can reuse states. */
const letters = times(50_000, (n) => (Math.sin(n * n) > 0 ? 'a' : 'b')).join('');

const TREE = { anyOf: times(2, () => ({ type: 'array', items: { $ref: '#/$defs/tree' } })) };

const ATTACKS: readonly { title: string; schema: unknown; value: unknown }[] = [
  {
    title: 'nested alternatives',
    schema: { $ref: '#/$defs/tree', $defs: { tree: TREE } },
    value: nested('[', '1', ']', 50),
  },
  {
    title: 'references with exponential growth',
    schema: {
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        times(60, (n) => [`d${n}`, { allOf: times(2, () => ({ $ref: `#/$defs/d${n + 1}` })) }]),
      ),
    },
    value: 1,
  },
  { title: 'a pattern with a huge sample', schema: { pattern: `${'('.repeat(9)}a${'{60})'.repeat(9)}` }, value: 1 },
  { title: 'a deep schema', schema: nested('{"not":', '{}', '}', 50_000), value: 1 },
  {
    title: 'a deep value for const',
    schema: { const: nested('[', '', ']', 5_000) },
    value: nested('[', '', ']', 5_000),
  },
  { title: 'a deep value with uniqueItems', schema: { uniqueItems: true }, value: [nested('[', '', ']', 5_000)] },
  { title: 'a wide schema', schema: { allOf: times(50_000, () => ({ type: 'string' })) }, value: 1 },
  { title: 'a long list with uniqueItems', schema: { uniqueItems: true }, value: times(300_000, (n) => n) },
  {
    title: 'a list of objects with uniqueItems',
    schema: { uniqueItems: true },
    value: times(100_000, (n) => ({ a: { b: n } })),
  },
  {
    title: 'a long enum of words',
    schema: { items: { enum: times(50_000, (n) => `${n}`) } },
    value: times(50_000, () => 'x'),
  },
  {
    title: 'a long enum of objects',
    schema: { items: { enum: times(10_000, (n) => ({ a: n })) } },
    value: times(10_000, () => ({ a: '' })),
  },
  {
    title: 'a long list of types',
    schema: { items: { $ref: '#/$defs/t' }, $defs: { t: { type: times(100_000, () => 'string') } } },
    value: times(100_000, () => 1),
  },
  {
    title: 'many similar names',
    schema: { anyOf: times(1_000, () => ({ properties: named(499, () => true), additionalProperties: false })) },
    value: named(100, () => 1),
  },
  {
    title: 'constants as large as the schema',
    schema: { anyOf: times(9_000, () => ({ $ref: '#/$defs/c' })), $defs: { c: { const: named(50_000, () => 1) } } },
    value: 1,
  },
  {
    title: 'many unevaluated parts',
    schema: { allOf: times(500, () => ({ additionalProperties: true })), unevaluatedProperties: false },
    value: named(10_000, () => 1),
  },
  { title: 'a pattern with too many states', schema: { pattern: '[ab]*a[ab]{900}[c-d]$' }, value: letters },
  {
    title: 'many patterns with too many states',
    schema: { items: { pattern: '[ab]*a[ab]{90}[c-d]$' } },
    value: times(500, (n) => letters.slice(n, n + 500)),
  },
  {
    title: 'a pattern with exponential backtracking',
    schema: { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
    value: 'a'.repeat(50_000),
  },
  {
    title: 'patterns of growing size',
    schema: {
      patternProperties: Object.fromEntries(times(200, (n) => [`${'(((x{10}){10}){10})|'.repeat(40)}${n}`, true])),
    },
    value: { a: 1 },
  },
  {
    title: 'many patterns and many names',
    schema: { patternProperties: Object.fromEntries(times(200, (n) => [`[ab]*a[ab]{20}${n}`, false])) },
    value: named(5_000, () => 1),
  },
  {
    title: 'numbers of very different size',
    schema: { items: { multipleOf: 1e-300 } },
    value: times(200_000, (n) => 1e300 + n),
  },
  { title: 'a long text', schema: { minLength: 5e6, maxLength: 6e6 }, value: '😀'.repeat(5_000_000) },
  {
    title: 'long references',
    schema: { items: { $ref: `#/$defs/${'x'.repeat(1_900)}` }, $defs: { ['x'.repeat(1_900)]: true } },
    value: times(300_000, () => 1),
  },
];

describe('a hostile schema', () => {
  it.each(ATTACKS)('cannot block checkAgainst or exampleOf with $title', async ({ schema, value }) => {
    const start = performance.now();
    await checkAgainst(schema, value);
    exampleOf(schema);
    expect(performance.now() - start).toBeLessThan(MAX_MS);
  });

  it('skips a pattern that is too expensive for a long text, and checks the rest', async () => {
    const schema = { properties: { long: { pattern: '[ab]*a[ab]{900}[c-d]$' }, short: { pattern: '^b$' } } };
    expect(await checkAgainst(schema, { long: letters, short: 'a' })).toEqual({
      kind: 'invalid',
      mismatches: [{ path: 'short', message: 'must match the pattern ^b$, but is "a"' }],
    });
    const often = { items: { pattern: '[ab]*a[ab]{90}[c-d]$' } };
    const verdict = await checkAgainst(
      often,
      times(500, (n) => `${letters.slice(n, n + 400)}a${'b'.repeat(90)}c`),
    );
    expect(verdict).toEqual({ kind: 'unchecked', reason: expect.stringContaining('too long') });
  });

  const word = fc.constantFrom(
    ...[
      'type',
      'properties',
      'patternProperties',
      'additionalProperties',
      'required',
      'items',
      'prefixItems',
      'anyOf',
      'oneOf',
      'allOf',
    ],
    ...[
      'not',
      'if',
      'then',
      'else',
      '$ref',
      '$id',
      '$anchor',
      '$defs',
      'enum',
      'const',
      'pattern',
      'minLength',
      'multipleOf',
      'minimum',
    ],
    ...[
      'uniqueItems',
      'contains',
      'minContains',
      'propertyNames',
      'dependentRequired',
      'dependencies',
      'unevaluatedProperties',
    ],
    ...[
      'unevaluatedItems',
      '$schema',
      'default',
      'examples',
      'format',
      '__proto__',
      'constructor',
      'a',
      '$dynamicRef',
      'maxItems',
    ],
  );
  const text = fc.oneof(
    fc.constantFrom(
      'string',
      'object',
      'array',
      '#',
      '#/$defs/a',
      '#/properties/a',
      'http://x/',
      '(',
      '^a',
      'draft-07',
      '%',
      '//',
    ),
    fc.string({ maxLength: 5 }),
  );
  const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
    anything: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(text, fc.boolean(), fc.constant(null), fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 })),
      fc.array(tie('anything'), { maxLength: 3 }),
      fc.array(fc.tuple(word, tie('anything')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
      fc.array(fc.tuple(word, tie('anything')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));

  it('never makes checkAgainst or exampleOf throw', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anything, anything, async (schema, value) => {
        const verdict = await checkAgainst(schema, value);
        seen.add(verdict.kind);
        if (verdict.kind === 'invalid')
          expect([verdict.mismatches.length > 0, verdict.mismatches.length <= 10]).toEqual([true, true]);
        expect((JSON.stringify(exampleOf(schema)) ?? '').length).toBeLessThanOrEqual(1_000);
      }),
      { numRuns: 3_000 },
    );
    expect([...seen].sort()).toEqual(['invalid', 'unchecked', 'valid']);
  });

  it('does not modify prototypes', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    const schema: unknown = JSON.parse(
      '{"properties":{"__proto__":{"default":{"polluted":1}}},"required":["__proto__"],"$defs":{"__proto__":{}}}',
    );
    await checkAgainst(schema, JSON.parse('{"__proto__":{"polluted":1}}'));
    expect(JSON.stringify(exampleOf(schema))).toBe('{"__proto__":{"polluted":1}}');
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
  });
});
