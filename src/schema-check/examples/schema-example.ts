import { isObject } from '../../base/index.js';
import { typesOf } from '../describe-schema.js';
import { type KnownSchema, readSchema } from '../known-schema.js';
import { listAt, mapAt, own, type SchemaObject, stringsAt } from '../schema-object.js';
import { Stop } from '../stop-check.js';
import { sampleOf } from './pattern-sample.js';
import { placeholderText } from './placeholder.js';

/** The example is sent to a model with every tool description. */
const MAX_EXAMPLE_CHARACTERS = 1_000;
const MAX_EXAMPLE_DEPTH = 6;
const MAX_LIST_DEPTH = 3;
const MAX_VISITED = 300;
const MAX_ITEMS = 3;

interface Maker {
  readonly known: KnownSchema;
  left: number;
}

/** The shortest arguments that match the schema; `undefined` if none are found. */
export function exampleOf(schema: unknown): unknown {
  try {
    const maker: Maker = { known: readSchema(schema), left: MAX_VISITED };
    const example = make(schema, '', maker, 0);
    return isWithin(example, MAX_EXAMPLE_CHARACTERS) ? example : undefined;
  } catch (error) {
    if (error instanceof Stop) return undefined;
    throw error;
  }
}

function make(written: unknown, name: string, maker: Maker, depth: number): unknown {
  maker.left -= 1;
  if (maker.left < 0 || depth > MAX_EXAMPLE_DEPTH) throw new Stop('too large for an example');
  const schema = merged(written, maker, 0);
  if (!isObject(schema)) return schema === false ? undefined : 'value';
  const given = givenValue(schema);
  if (given.length > 0) return given[0];
  const types = typesOf(schema);
  const type = types.find((one) => one !== 'null') ?? types[0] ?? guessedType(schema);
  switch (type) {
    case 'object':
      return makeObject(schema, maker, depth);
    case 'array':
      return makeList(schema, name, maker, depth);
    case 'number':
    case 'integer':
      return makeNumber(schema, name, type === 'integer');
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return makeString(schema, name);
  }
}

/** Returns whether the serialized value is at most this long, and stops as soon as it is longer. */
function isWithin(value: unknown, characters: number): boolean {
  let left = characters;
  const take = (part: unknown, depth: number): boolean => {
    if (depth > 2 * MAX_EXAMPLE_DEPTH) return false;
    if (typeof part !== 'object' || part === null) {
      // A string longer than the rest of the limit need not be serialized.
      left -= typeof part === 'string' && part.length > left ? part.length : (JSON.stringify(part)?.length ?? 0);
      return left >= 0;
    }
    left -= 2;
    for (const [name, item] of Object.entries(part)) {
      left -= Array.isArray(part) ? 1 : name.length + 4;
      if (left < 0 || !take(item, depth + 1)) return false;
    }
    return left >= 0;
  };
  return take(value, 0);
}

/** A value from the schema itself: an example, a default, a constant, or the first of an enum. */
function givenValue(schema: SchemaObject): readonly unknown[] {
  const isSmall = (value: unknown): boolean => isWithin(value, MAX_EXAMPLE_CHARACTERS / 4);
  const [example] = listAt(schema, 'examples')
    .slice(0, 1)
    .filter((one) => isSmall(one) && isOfType(one, schema));
  if (example !== undefined) return [example];
  const given = own(schema, 'default');
  if (given !== undefined && given !== null && given !== '' && isSmall(given) && isOfType(given, schema))
    return [given];
  if (Object.hasOwn(schema, 'const')) return [own(schema, 'const')];
  return listAt(schema, 'enum').slice(0, 1);
}

/** Examples are written for people: some are a text although the schema requires a list. */
function isOfType(value: unknown, schema: SchemaObject): boolean {
  const types = typesOf(schema);
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.length === 0 || types.includes(own) || (types.includes('integer') && Number.isInteger(value));
}

/** Merges references, `allOf` and the first alternative into the one schema that an example must match. */
function merged(schema: unknown, maker: Maker, depth: number): unknown {
  maker.left -= 1;
  if (maker.left < 0 || depth > MAX_EXAMPLE_DEPTH) throw new Stop('too large for an example');
  if (!isObject(schema)) return schema;
  const reference = own(schema, '$ref');
  const alternatives = [
    ...listAt(schema, 'anyOf').slice(0, MAX_VISITED),
    ...listAt(schema, 'oneOf').slice(0, MAX_VISITED),
  ];
  // The first alternative is usually the simplest, but `null` is not a useful example.
  const alternative = alternatives.find((one) => !isObject(one) || own(one, 'type') !== 'null') ?? alternatives[0];
  const parts = [
    ...(typeof reference === 'string' ? [maker.known.resolve(reference, schema)] : []),
    ...listAt(schema, 'allOf').slice(0, MAX_VISITED),
    ...(alternative === undefined ? [] : [alternative]),
  ];
  return parts.reduce((sum: unknown, part) => together(sum, merged(part, maker, depth + 1)), schema);
}

function together(one: unknown, other: unknown): unknown {
  if (one === false || other === false) return false;
  if (!isObject(one)) return other;
  if (!isObject(other)) return one;
  // The outer schema takes precedence, but `required` of both applies.
  return {
    ...other,
    ...one,
    ...(Object.hasOwn(other, 'type') && { type: own(other, 'type') }),
    properties: Object.fromEntries([
      ...Object.entries(mapAt(one, 'properties')),
      ...Object.entries(mapAt(other, 'properties')),
    ]),
    required: [...new Set([...stringsAt(one, 'required'), ...stringsAt(other, 'required')])],
  };
}

function guessedType(schema: SchemaObject): string {
  if (Object.keys(mapAt(schema, 'properties')).length > 0 || stringsAt(schema, 'required').length > 0) return 'object';
  if (Object.hasOwn(schema, 'items') || Object.hasOwn(schema, 'prefixItems')) return 'array';
  return Object.hasOwn(schema, 'minimum') || Object.hasOwn(schema, 'maximum') ? 'number' : 'string';
}

/**
 * Includes the required properties; if there are none, those with a default, because they show the purpose of the tool.
 */
function makeObject(schema: SchemaObject, maker: Maker, depth: number): unknown {
  const properties = mapAt(schema, 'properties');
  const required = stringsAt(schema, 'required');
  const hasDefault = (name: string): boolean => {
    const property = own(properties, name);
    const value = isObject(property) ? own(property, 'default') : undefined;
    return value !== undefined && value !== null && isWithin(value, MAX_EXAMPLE_CHARACTERS / 10);
  };
  const least = own(schema, 'minProperties');
  const shown =
    required.length > 0 ? required : depth === 0 ? Object.keys(properties).filter(hasDefault).slice(0, 5) : [];
  const missing = typeof least === 'number' ? Math.min(least, 10) - shown.length : 0;
  const names = [
    ...shown,
    ...Object.keys(properties)
      .filter((name) => !shown.includes(name))
      .slice(0, Math.max(0, missing)),
  ];
  const rest = own(schema, 'additionalProperties');
  return Object.fromEntries(
    names.map((name) => [name, make(own(properties, name) ?? (isObject(rest) ? rest : true), name, maker, depth + 1)]),
  );
}

function makeList(schema: SchemaObject, name: string, maker: Maker, depth: number): unknown {
  const items = own(schema, 'items');
  const tuple = Array.isArray(items) ? items : listAt(schema, 'prefixItems');
  if (tuple.length > 0) return tuple.slice(0, 10).map((item) => make(item, name, maker, depth + 1));
  const least = own(schema, 'minItems');
  const most = own(schema, 'maxItems');
  if (most === 0) return [];
  const count = Math.min(Math.max(typeof least === 'number' ? least : 1, 1), MAX_ITEMS);
  // At this depth an empty list is clear enough.
  if (depth >= MAX_LIST_DEPTH && !(typeof least === 'number' && least > 0)) return [];
  return Array.from({ length: count }, () => make(items ?? true, name.replace(/s$/, ''), maker, depth + 1));
}

function makeNumber(schema: SchemaObject, name: string, isWhole: boolean): number {
  const at = (word: string): number | undefined => {
    const value = own(schema, word);
    return typeof value === 'number' ? value : undefined;
  };
  const above = at('exclusiveMinimum');
  const below = at('exclusiveMaximum');
  const step = at('multipleOf') ?? (isWhole ? 1 : undefined);
  const least = Math.max(
    at('minimum') ?? Number.NEGATIVE_INFINITY,
    above === undefined ? Number.NEGATIVE_INFINITY : above + (step ?? 1),
  );
  const most = Math.min(
    at('maximum') ?? Number.POSITIVE_INFINITY,
    below === undefined ? Number.POSITIVE_INFINITY : below - (step ?? 1),
  );
  const usual = /limit|count|size|max|per_?page|num/i.test(name) ? 10 : 1;
  const wanted = Math.min(Math.max(usual, least), most);
  return step === undefined || step <= 0 ? wanted : Math.ceil(wanted / step) * step;
}

function makeString(schema: SchemaObject, name: string): string {
  const pattern = own(schema, 'pattern');
  const sample = typeof pattern === 'string' ? sampleOf(pattern) : undefined;
  const format = own(schema, 'format');
  const text = sample ?? placeholderText(name, typeof format === 'string' ? format : '');
  const [least, most] = [own(schema, 'minLength'), own(schema, 'maxLength')];
  const long = typeof least === 'number' && text.length < least ? text.padEnd(Math.min(least, 200), 'x') : text;
  return typeof most === 'number' ? long.slice(0, Math.max(0, most)) : long;
}
