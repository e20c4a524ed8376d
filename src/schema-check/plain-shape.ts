import { isObject, own } from './schema-object.js';

/** What a value may be, where a look at it decides. */
type Plain = 'string' | 'number' | 'integer' | 'boolean' | ReadonlySet<unknown>;

/** What a schema says that needs no interpreter: most tools take a few texts, numbers and switches. */
export interface PlainShape {
  readonly properties: ReadonlyMap<string, Plain>;
  readonly required: readonly string[];
  /** Whether other names than these are allowed. */
  readonly isOpen: boolean;
}

const PLAIN_TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);
/** Words that say nothing about what fits. */
const REMARKS = ['$schema', 'title', 'description', 'default', 'examples'];
const ROOT_WORDS: ReadonlySet<string> = new Set([
  ...REMARKS,
  ...['type', 'properties', 'required', 'additionalProperties'],
]);
const PROPERTY_WORDS: ReadonlySet<string> = new Set([...REMARKS, 'type', 'enum']);

/** Undefined where the schema as a whole says more than that. A property that says more is left out: nothing is sure of it. */
export function plainShapeOf(schema: unknown): PlainShape | undefined {
  if (!isObject(schema) || own(schema, 'type') !== 'object' || !hasOnly(schema, ROOT_WORDS)) return undefined;
  const [properties = {}, required = [], more = true] = ['properties', 'required', 'additionalProperties'].map((word) =>
    own(schema, word),
  );
  const isRequired = Array.isArray(required) && required.every((name) => typeof name === 'string');
  if (!isObject(properties) || !isRequired || typeof more !== 'boolean') return undefined;
  const plain = Object.entries(properties).map(([name, property]) => [name, plainOf(property)] as const);
  // A name that is known and not plain must not be taken for one that anything fits.
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

/** Whether a value surely has this shape; false also where only the whole schema can tell. */
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
