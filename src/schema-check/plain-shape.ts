import { isObject } from '../base/index.js';
import { own } from './schema-object.js';

/** The type of a value, or its enum, if a simple test can check it. */
type Plain = 'string' | 'number' | 'integer' | 'boolean' | ReadonlySet<unknown>;

/** A schema that needs no interpreter: most tools take a few strings, numbers and booleans. */
export interface PlainShape {
  readonly properties: ReadonlyMap<string, Plain>;
  readonly required: readonly string[];
  /** Whether other properties are allowed. */
  readonly isOpen: boolean;
}

const PLAIN_TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);
/** Keywords that do not affect validation. */
const REMARKS = ['$schema', 'title', 'description', 'default', 'examples'];
const ROOT_WORDS: ReadonlySet<string> = new Set([
  ...REMARKS,
  ...['type', 'properties', 'required', 'additionalProperties'],
]);
const PROPERTY_WORDS: ReadonlySet<string> = new Set([...REMARKS, 'type', 'enum']);

/**
 * Returns undefined if the schema has other keywords. A property with other keywords is omitted, so it never matches
 * for certain.
 */
export function plainShapeOf(schema: unknown): PlainShape | undefined {
  if (!isObject(schema) || own(schema, 'type') !== 'object' || !hasOnly(schema, ROOT_WORDS)) return undefined;
  const [properties = {}, required = [], more = true] = ['properties', 'required', 'additionalProperties'].map((word) =>
    own(schema, word),
  );
  const isRequired = Array.isArray(required) && required.every((name) => typeof name === 'string');
  if (!isObject(properties) || !isRequired || typeof more !== 'boolean') return undefined;
  const plain = Object.entries(properties).map(([name, property]) => [name, plainOf(property)] as const);
  // A known name with other keywords must not be accepted as an additional property.
  const isOpen = more && plain.every(([, one]) => one !== undefined);
  return { properties: new Map(plain.flatMap(([name, one]) => (one ? [[name, one]] : []))), required, isOpen };
}

function plainOf(property: unknown): Plain | undefined {
  if (!isObject(property) || !hasOnly(property, PROPERTY_WORDS)) return undefined;
  const [type, among] = [own(property, 'type'), own(property, 'enum')];
  if (!isPlain(type)) return undefined;
  if (among === undefined) return type;
  return type === 'string' && Array.isArray(among)
    ? new Set(among.filter((one) => typeof one === 'string'))
    : undefined;
}

function isPlain(type: unknown): type is Exclude<Plain, ReadonlySet<unknown>> {
  return PLAIN_TYPES.has(type);
}

function hasOnly(schema: object, words: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((word) => words.has(word));
}

/** Returns whether a value certainly matches; false also if only the full check can decide. */
export function hasShape({ properties, required, isOpen }: PlainShape, value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const name of required) if (!Object.hasOwn(value, name)) return false;
  for (const name in value) {
    const plain = properties.get(name);
    if (plain === undefined ? !isOpen : !fits(plain, value[name])) return false;
  }
  return true;
}

function fits(plain: Plain, value: unknown): boolean {
  switch (plain) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === plain;
    case 'integer':
      return Number.isInteger(value);
    default:
      return plain.has(value);
  }
}
