import { type Dereference, dereferenceIn } from './dereference.js';
import { typesOf } from './describe-schema.js';
import { listAt, mapAt, own, type SchemaObject, stringsAt } from './schema-object.js';
import { Stop } from './stop-check.js';

/** The most tokens of a signature, by the estimate below. */
const MAX_TOKENS = 30;
/** For `, …?`. */
const REST_TOKENS = 3;
const MAX_NAME_CHARACTERS = 60;
const MAX_VALUE_CHARACTERS = 24;
const MAX_ENUM_VALUES = 4;
const MAX_ALTERNATIVES = 3;
const MAX_READ_PARAMETERS = 100;

/**
 * The tool as one line: `get_forecast(city: string, days?: integer = 1)`. Required parameters come first. `…?` stands for
 * optional parameters that do not fit, `…` for at least one required parameter.
 */
export function signatureOf(name: string, inputSchema: unknown): string {
  const start = nameText(name);
  const parameters = parametersOf(inputSchema);
  if (!parameters) return `${start}(…)`;
  let text = `${start}(`;
  let left = MAX_TOKENS - estimatedTokens(start) - 2;
  for (const [index, { shown, required }] of parameters.entries()) {
    const separator = index === 0 ? '' : ', ';
    const isLast = index === parameters.length - 1;
    const cost = estimatedTokens(separator + shown);
    if (cost > left - (isLast ? 0 : REST_TOKENS)) return `${text}${separator}${required ? '…' : '…?'})`;
    text += separator + shown;
    left -= cost;
  }
  return `${text})`;
}

interface Parameter {
  readonly shown: string;
  readonly required: boolean;
}

/** The parameters, required ones first; undefined if the schema cannot be read. */
function parametersOf(inputSchema: unknown): readonly Parameter[] | undefined {
  try {
    const resolve = dereferenceIn(inputSchema);
    const schema = resolve(inputSchema);
    if (!schema) return undefined;
    const required = new Set(stringsAt(schema, 'required').slice(0, MAX_READ_PARAMETERS));
    const entries = Object.entries(mapAt(schema, 'properties'));
    const first = entries.filter(([name]) => required.has(name));
    const rest = entries.filter(([name]) => !required.has(name));
    return [...first, ...rest].slice(0, MAX_READ_PARAMETERS).map(([name, property]) => {
      const isRequired = required.has(name);
      return { shown: parameterText(name, resolve(property), isRequired, resolve), required: isRequired };
    });
  } catch (error) {
    if (error instanceof Stop) return undefined;
    throw error;
  }
}

function parameterText(
  name: string,
  schema: SchemaObject | undefined,
  required: boolean,
  resolve: Dereference,
): string {
  const type = schema ? typeText(schema, resolve) : 'any';
  const standard = schema && !required ? shortValue(own(schema, 'default')) : undefined;
  return `${nameText(name)}${required ? '' : '?'}: ${type}${standard === undefined ? '' : ` = ${standard}`}`;
}

function typeText(schema: SchemaObject, resolve: Dereference, depth = 0): string {
  const values = Object.hasOwn(schema, 'const') ? [own(schema, 'const')] : listAt(schema, 'enum');
  if (values.length > 0) return enumText(values);
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (types.length > 0) {
    const texts = types.map((type) => (type === 'array' ? arrayText(schema, resolve, depth) : type));
    return [...new Set(texts)].slice(0, MAX_ALTERNATIVES).join('|');
  }
  const alternatives = [listAt(schema, 'anyOf'), listAt(schema, 'oneOf')].find(({ length }) => length > 0) ?? [];
  if (alternatives.length === 0 || depth > 1) return Object.hasOwn(schema, 'properties') ? 'object' : 'any';
  const texts = alternatives.slice(0, MAX_ALTERNATIVES + 1).flatMap((one) => {
    const inner = resolve(one);
    return inner && own(inner, 'type') !== 'null' ? [typeText(inner, resolve, depth + 1)] : [];
  });
  return [...new Set(texts)].slice(0, MAX_ALTERNATIVES).join('|') || 'any';
}

function arrayText(schema: SchemaObject, resolve: Dereference, depth: number): string {
  const items = resolve(own(schema, 'items'));
  const inner = items && depth < 2 ? typeText(items, resolve, depth + 1) : 'any';
  return inner.includes('|') ? `(${inner})[]` : `${inner}[]`;
}

function enumText(values: readonly unknown[]): string {
  const texts = values.slice(0, MAX_ENUM_VALUES).map((value) => shortValue(value) ?? '…');
  return [...texts, ...(values.length > MAX_ENUM_VALUES ? ['…'] : [])].join('|');
}

/** A string, number or boolean as JSON; undefined for other and for long values. */
function shortValue(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' && value.length <= MAX_VALUE_CHARACTERS
    ? JSON.stringify(value)
    : undefined;
}

/** A name as it is if it needs no quotes, so that nothing in it looks like a part of the signature. */
function nameText(name: string): string {
  const cut = name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;
  return /^[\p{L}\p{N}_$.\-/]+$/u.test(cut) ? cut : JSON.stringify(cut);
}

/** At least as many as a tokenizer of a large model would count, for almost every name and type. */
function estimatedTokens(text: string): number {
  return text.match(/[A-Z]?[a-z]{1,7}|[A-Z]{1,3}|\d{1,3}|[^\sA-Za-z\d]{1,2}/g)?.length ?? 0;
}
