import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAgainst } from './check-value.js';
import { correctedArguments, nearestArguments } from './correct-arguments.js';

const SCHEMA = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    rate: { type: 'number', maximum: 10 },
    on: { type: 'boolean' },
    id: { type: 'string' },
    ids: { type: 'array', items: { type: 'integer' } },
    tags: { type: 'array', items: { type: 'string' } },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    either: { type: ['integer', 'string'] },
    where: { $ref: '#/$defs/where' },
    list: { type: 'array', items: { $ref: '#/$defs/where' } },
  },
  $defs: { where: { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] } },
  additionalProperties: false,
};

describe('a mistake with one meaning', () => {
  it.each([
    [{ count: '3' }, { count: 3 }, ['count: a string was sent as a number']],
    [{ rate: '-2.5e0' }, { rate: -2.5 }, ['rate: a string was sent as a number']],
    [{ on: 'True' }, { on: true }, ['on: a string was sent as a boolean']],
    [{ id: 42 }, { id: '42' }, ['id: a number was sent as a string']],
    [{ ids: 7 }, { ids: [7] }, ['ids: a single value was sent as an array']],
    [{ ids: ['1', 2] }, { ids: [1, 2] }, ['ids[0]: a string was sent as a number']],
    [{ tags: 'one' }, { tags: ['one'] }, ['tags: a single value was sent as an array']],
    [{ tags: '["a","b"]' }, { tags: ['a', 'b'] }, ['tags: JSON text was sent as an array']],
    [{ maybe: '5' }, { maybe: 5 }, ['maybe: a string was sent as a number']],
    [{ where: '{"line": 3}' }, { where: { line: 3 } }, ['where: JSON text was sent as an object']],
    [{ where: { line: '3' } }, { where: { line: 3 } }, ['where.line: a string was sent as a number']],
    [{ list: { line: 1 } }, { list: [{ line: 1 }] }, ['list: a single value was sent as an array']],
  ])('is corrected: %j', async (given, value, corrections) => {
    expect(await correctedArguments(SCHEMA, given)).toEqual({ value, corrections });
  });

  it.each([
    ['text that is no number', { count: 'three' }],
    ['a fraction for an integer', { count: '1.5' }],
    ['an integer that JavaScript cannot represent', { count: '9007199254740993' }],
    ['a string that is valid already', { either: '5' }],
    ['text that may stand for several values', { tags: 'a, b' }],
    ['a corrected value that breaks another rule', { rate: '11' }],
    ['a mistake beside one that cannot be corrected', { count: '3', unknown: 1 }],
    ['null', { count: null }],
    ['arguments that are no object', 'count=3'],
  ])('is not %s', async (_, given) => {
    expect(await correctedArguments(SCHEMA, given)).toBeUndefined();
  });

  it('is corrected only to arguments that match, for any arguments', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...Object.keys(SCHEMA.properties)), fc.jsonValue()),
        async (given) => {
          const corrected = await correctedArguments(SCHEMA, given);
          if (corrected) expect(await checkAgainst(SCHEMA, corrected.value)).toEqual({ kind: 'valid' });
        },
      ),
    );
  });
});

describe('the nearest valid arguments', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['c', 'f'] } },
    required: ['city', 'unit'],
    additionalProperties: false,
  };

  it.each([
    ['keep what is right and add what is missing', { city: 'Genoa' }, { city: 'Genoa', unit: 'c' }],
    ['correct a misspelt name', { citi: 'Genoa', unit: 'f' }, { city: 'Genoa', unit: 'f' }],
    ['leave an unknown name out', { city: 'Genoa', unit: 'f', weather: true }, { city: 'Genoa', unit: 'f' }],
    ['correct a type', { city: 'Genoa', unit: 'f', days: '3' }, { city: 'Genoa', unit: 'f', days: 3 }],
  ])('%s', async (_, given, expected) => {
    expect(await nearestArguments(schema, given)).toEqual(expected);
  });

  it('are an example if nothing of the arguments can be kept, and undefined without a readable schema', async () => {
    expect(await checkAgainst(schema, await nearestArguments(schema, { unit: 'kelvin' }))).toEqual({ kind: 'valid' });
    expect(await nearestArguments(undefined, {})).toBeUndefined();
  });
});
