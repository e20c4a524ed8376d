import { isObject } from '../base/index.js';
import type { CheckRun } from './check-frame.js';
import { listAt, mapAt, own, type SchemaObject } from './schema-object.js';

const MAX_SHOWN_VALUES = 12;
const MAX_SHOWN_NAMES = 8;
const MAX_SHOWN_PARTS = 4;
const MAX_VALUE_CHARACTERS = 60;
const MAX_DESCRIBED_DEPTH = 2;
const DESCRIBED_STEPS = 20;
/** There are seven types; a longer list adds nothing. */
const MAX_TYPES = 16;

const NOUNS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['a string', 'strings'],
  number: ['a number', 'numbers'],
  integer: ['a whole number', 'whole numbers'],
  boolean: ['true or false', 'true or false'],
  null: ['null', 'nulls'],
  array: ['a list', 'lists'],
  object: ['an object', 'objects'],
};

/** A value in short form for a message. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (isObject(value)) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_VALUE_CHARACTERS)) : String(value);
  return typeof value === 'string' && value.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, -1)}…"` : text;
}

/** `the string "5"`: the type alone would not show a model what it sent. */
export function showKind(value: unknown): string {
  if (typeof value === 'string') return `the string ${showValue(value)}`;
  if (typeof value === 'number') return `the number ${showValue(value)}`;
  return showValue(value);
}

export function typeNoun(type: string): string {
  return Object.hasOwn(NOUNS, type) ? (NOUNS[type]?.[0] ?? type) : type;
}

/** `"a", "b" and 7 more`; `total` also counts the parts that are not in the list. */
export function showList(parts: readonly string[], most: number, total = parts.length, last = ', '): string {
  const shown = parts.slice(0, most);
  if (total > shown.length) return `${shown.join(', ')} and ${total - shown.length} more`;
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(', ')}${last}${shown.at(-1)}`;
}

type Spend = CheckRun['spend'];

/** The same for a value that must be repeated exactly: objects are written out within the size limit. */
function showWhole(value: unknown, spend: Spend, depth = 0): string {
  if (typeof value !== 'object' || value === null) return showValue(value);
  if (depth > MAX_DESCRIBED_DEPTH) return '…';
  const entries = Object.entries(value);
  spend(entries.length);
  const parts = entries.slice(0, MAX_SHOWN_PARTS).map(([name, item]) => {
    const text = showWhole(item, spend, depth + 1);
    return Array.isArray(value) ? text : `${showValue(name)}: ${text}`;
  });
  const text = `${parts.join(', ')}${entries.length > parts.length ? ', …' : ''}`;
  return Array.isArray(value) ? `[${text}]` : `{${text}}`;
}

export function showValues(values: readonly unknown[], spend: Spend): string {
  const shown = values.slice(0, MAX_SHOWN_VALUES).map((value) => showWhole(value, spend));
  return showList(shown, MAX_SHOWN_VALUES, values.length);
}

export const showNames = (names: readonly string[]): string =>
  showList(names.slice(0, MAX_SHOWN_NAMES).map(showValue), MAX_SHOWN_NAMES, names.length);

/** The functions needed to describe a schema. */
type SchemaContext = Pick<CheckRun, 'resolved' | 'spend'>;

/** Describes in a few words, for a model, what a schema requires. */
export function describe(schema: unknown, context: SchemaContext, depth = 0): string {
  context.spend(DESCRIBED_STEPS);
  const known = context.resolved(schema);
  if (known === false) return 'nothing';
  if (!isObject(known) || depth > MAX_DESCRIBED_DEPTH) return 'anything';
  if (Object.hasOwn(known, 'const')) return showValue(own(known, 'const'));
  const values = listAt(known, 'enum');
  if (values.length > 0)
    return values.length === 1 ? showValue(values[0]) : `one of ${showValues(values, context.spend)}`;
  const types = typesOf(known).slice(0, MAX_SHOWN_NAMES);
  if (types.length > 0) return either(types.map((type) => typeText(type, known, context, depth)));
  const alternatives = [own(known, 'anyOf'), own(known, 'oneOf')].find((list) => Array.isArray(list));
  if (Array.isArray(alternatives) && alternatives.length > 0)
    return either(
      alternatives.slice(0, MAX_SHOWN_NAMES).map((one) => describe(one, context, depth + 1)),
      alternatives.length,
    );
  const isForObjects = Object.hasOwn(known, 'properties') || Object.hasOwn(known, 'required');
  return isForObjects ? objectText(known, context, depth) : 'anything';
}

function either(texts: readonly string[], total = texts.length): string {
  const different = [...new Set(texts)];
  return showList(different, MAX_SHOWN_NAMES, different.length + Math.max(0, total - texts.length), ' or ');
}

/** The types that a schema allows, if it states them. */
export function typesOf(schema: SchemaObject): readonly string[] {
  const type = own(schema, 'type');
  if (typeof type === 'string') return [type];
  return listAt(schema, 'type')
    .slice(0, MAX_TYPES)
    .filter((one) => typeof one === 'string');
}

function typeText(type: string, schema: SchemaObject, context: SchemaContext, depth: number): string {
  if (type === 'object') return objectText(schema, context, depth);
  if (type !== 'array') return typeNoun(type);
  const items = context.resolved(own(schema, 'items'));
  const [inner, ...others] = isObject(items) ? typesOf(items) : [];
  const noun =
    inner !== undefined && others.length === 0 && Object.hasOwn(NOUNS, inner) ? NOUNS[inner]?.[1] : undefined;
  return noun === undefined ? 'a list' : `a list of ${noun}`;
}

/** The required names, with the value of those that allow only one: they distinguish alternatives. */
function objectText(schema: SchemaObject, context: SchemaContext, depth: number): string {
  const properties = mapAt(schema, 'properties');
  const required = listAt(schema, 'required');
  const parts = required.slice(0, MAX_SHOWN_NAMES).map((name) => {
    const property =
      typeof name === 'string' && depth < MAX_DESCRIBED_DEPTH ? context.resolved(own(properties, name)) : undefined;
    if (!isObject(property)) return showValue(name);
    const values = Object.hasOwn(property, 'const') ? [own(property, 'const')] : listAt(property, 'enum');
    return values.length === 1 ? `${showValue(name)}: ${showValue(values[0])}` : showValue(name);
  });
  return parts.length === 0 ? 'an object' : `an object with ${showList(parts, MAX_SHOWN_NAMES, required.length)}`;
}
