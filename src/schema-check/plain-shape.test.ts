import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAgainst } from './check-value.js';
import { hasShape, plainShapeOf } from './plain-shape.js';

const ECHO = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    message: { type: 'string', description: 'what to say', default: 'hi' },
    times: { type: 'integer' },
    loud: { type: 'boolean' },
    voice: { type: 'string', enum: ['high', 'low'] },
    gap: { type: 'number', minimum: 0 },
  },
  required: ['message'],
};

function surely(schema: unknown, value: unknown): boolean {
  const shape = plainShapeOf(schema);
  return shape !== undefined && hasShape(shape, value);
}

describe('a plain shape', () => {
  it.each([{ value: { message: 'x' } }, { value: { message: '', times: 2, loud: false, voice: 'low' } }])(
    'surely fits $value',
    ({ value }) => {
      expect(surely(ECHO, value)).toBe(true);
    },
  );

  it.each([
    { title: 'a property is missing', value: { times: 1 } },
    { title: 'a property has another type', value: { message: 1 } },
    { title: 'a number has a fraction', value: { message: 'x', times: 1.5 } },
    { title: 'a text is not in the enum', value: { message: 'x', voice: 'middle' } },
    { title: 'a property has other keywords than its type', value: { message: 'x', gap: 1 } },
    { title: 'a name is unknown, and a known one has other keywords', value: { message: 'x', other: 1 } },
    { title: 'a property is only inherited', value: Object.create({ message: 'x' }) },
    { title: 'the value is not an object', value: ['message'] },
  ])('is not certain if $title', ({ value }) => {
    expect(surely(ECHO, value)).toBe(false);
  });

  it.each([
    { title: 'another keyword', schema: { ...ECHO, minProperties: 2 } },
    { title: 'a reference', schema: { $ref: '#/$defs/x', type: 'object' } },
    { title: 'a schema for additional properties', schema: { ...ECHO, additionalProperties: { type: 'string' } } },
    { title: 'no type', schema: { properties: {} } },
    { title: 'an invalid list of names', schema: { ...ECHO, required: 'message' } },
    { title: 'the schema true', schema: true },
  ])('is undefined for a schema with $title', ({ schema }) => {
    expect(plainShapeOf(schema)).toBeUndefined();
  });

  it('never accepts a value that the full check rejects', async () => {
    const names = fc.constantFrom('a', 'b', '__proto__', 'constructor');
    const scalar = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array');
    const property = fc.oneof(
      fc.record({ type: scalar }),
      fc.record({ type: scalar, enum: fc.array(fc.constantFrom('x', 'y', 1, null)) }, { requiredKeys: ['type'] }),
      fc.record({ type: scalar, minimum: fc.integer({ min: -2, max: 2 }) }),
      fc.boolean(),
    );
    const schema = fc.record(
      {
        type: fc.constantFrom('object', 'object', 'object', 'string'),
        properties: fc.dictionary(names, property),
        required: fc.array(names),
        additionalProperties: fc.oneof(fc.boolean(), fc.record({ type: scalar })),
      },
      { requiredKeys: [] },
    );
    const part = fc.oneof(fc.constantFrom('x', 'y', 'z', true, null, 1, -1, 0.5), fc.constant([]));
    let sure = 0;
    await fc.assert(
      fc.asyncProperty(schema, fc.dictionary(names, part), async (given, value) => {
        if (!surely(given, value)) return;
        sure += 1;
        expect(await checkAgainst(given, value)).toEqual({ kind: 'valid' });
      }),
      { numRuns: 6_000 },
    );
    expect(sure).toBeGreaterThan(100);
  });
});
