import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { signatureOf } from './tool-signature.js';

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });

describe('the signature of a tool', () => {
  it.each([
    ['no parameter', object({}), 'f()'],
    [
      'a required and an optional parameter with a default',
      object({ days: { type: 'integer', default: 1 }, city: { type: 'string' } }, ['city']),
      'f(city: string, days?: integer = 1)',
    ],
    ['an enum', object({ unit: { enum: ['c', 'f'] } }), 'f(unit?: "c"|"f")'],
    ['a long enum', object({ x: { enum: [1, 2, 3, 4, 5, 6] } }), 'f(x?: 1|2|3|4|…)'],
    ['a constant', object({ kind: { const: 'file' } }, ['kind']), 'f(kind: "file")'],
    [
      'arrays',
      object({ ids: { type: 'array', items: { type: 'integer' } }, any: { type: 'array' } }),
      'f(ids?: integer[], any?: any[])',
    ],
    ['a nullable type', object({ a: { type: ['string', 'null'] } }), 'f(a?: string)'],
    [
      'alternatives',
      object({ a: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] } }),
      'f(a?: string|number)',
    ],
    ['a reference', { ...object({ a: { $ref: '#/$defs/A' } }), $defs: { A: { type: 'object' } } }, 'f(a?: object)'],
    ['a reference to itself', object({ a: { $ref: '#/properties/a' } }), 'f(a?: any)'],
    ['a name that needs quotes', object({ 'a: string)': { type: 'number' } }), 'f("a: string)"?: number)'],
    ['no schema', undefined, 'f(…)'],
    ['an own property named like a method', object({ constructor: { type: 'string' } }), 'f(constructor?: string)'],
  ])('shows %s', (_, schema, expected) => {
    expect(signatureOf('f', schema)).toBe(expected);
  });

  it('ends in …? if only optional parameters do not fit, and in … otherwise', () => {
    const names = Array.from({ length: 30 }, (_, n) => `parameter_${n}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    expect(signatureOf('f', object(properties, ['parameter_0']))).toMatch(/^f\(parameter_0: string, .*, …\?\)$/);
    expect(signatureOf('f', object(properties, names))).toMatch(/^f\(parameter_0: string, .*, …\)$/);
  });

  it('is a short text for any schema', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (name, schema) => {
        expect(signatureOf(name, { type: 'object', properties: schema }).length).toBeLessThan(300);
        expect(signatureOf(name, schema).length).toBeLessThan(300);
      }),
    );
  });
});

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../shared/data/catalogs');

describe.skipIf(!existsSync(folder))('the signatures of real tools', () => {
  it('have at most 30 tokens and show every required parameter of most tools', () => {
    const tools: readonly { name: string; inputSchema: unknown }[] = readdirSync(folder).flatMap(
      (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).tools,
    );
    const signatures = tools.map(({ name, inputSchema }) => signatureOf(name, inputSchema));
    expect(signatures.filter((text) => encode(text).length > 30)).toEqual([]);
    const complete = signatures.filter((text) => !text.endsWith('…)'));
    expect(complete.length / tools.length).toBeGreaterThan(0.8);
  });
});
