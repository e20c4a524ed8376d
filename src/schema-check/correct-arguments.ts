import { isObject, nearest, readJson } from '../base/index.js';
import { checkAgainst } from './check-value.js';
import { type Dereference, dereferenceIn } from './dereference.js';
import { typesOf } from './describe-schema.js';
import { exampleOf } from './examples/schema-example.js';
import { listAt, mapAt, own, type SchemaObject, stringsAt } from './schema-object.js';
import { Stop } from './stop-check.js';
import { type Path, pathText } from './value-path.js';

const MAX_PARTS = 1_000;
const MAX_DEPTH = 20;
const MAX_CORRECTIONS = 10;
const MAX_NEAREST_CHARACTERS = 500;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;

export interface CorrectedArguments {
  readonly value: Readonly<Record<string, unknown>>;
  /** One sentence per corrected part, without the value: `days: a string was sent as a number`. */
  readonly corrections: readonly string[];
}

/**
 * Corrects mistakes that have one meaning, such as a number as a string or a single value for an array. Undefined unless the
 * result matches the whole schema.
 */
export async function correctedArguments(schema: unknown, value: unknown): Promise<CorrectedArguments | undefined> {
  if (!isObject(value)) return undefined;
  const { value: better, corrections } = corrected(schema, value);
  if (corrections.length === 0 || corrections.length > MAX_CORRECTIONS || !isObject(better)) return undefined;
  return (await isValid(schema, better)) ? { value: better, corrections } : undefined;
}

/** Valid arguments that differ as little as possible; undefined if none are found that are short enough to be shown. */
export async function nearestArguments(schema: unknown, value: unknown): Promise<unknown> {
  const example = exampleOf(schema);
  if (!isObject(example)) return undefined;
  const given = corrected(schema, isObject(value) ? value : {}).value;
  for (const guess of [completed(schema, isObject(given) ? given : {}, example), example]) {
    if (JSON.stringify(guess).length <= MAX_NEAREST_CHARACTERS && (await isValid(schema, guess))) return guess;
  }
  return undefined;
}

async function isValid(schema: unknown, value: unknown): Promise<boolean> {
  return (await checkAgainst(schema, value)).kind === 'valid';
}

/** The arguments with misspelt names replaced, unknown ones removed and missing required ones taken from the example. */
function completed(schema: unknown, given: SchemaObject, example: SchemaObject): Readonly<Record<string, unknown>> {
  const names = isObject(schema) ? Object.keys(mapAt(schema, 'properties')) : [];
  const required = isObject(schema) ? stringsAt(schema, 'required') : [];
  const known = new Map(Object.entries(given).filter(([name]) => names.includes(name)));
  for (const [name, value] of Object.entries(given)) {
    if (names.includes(name)) continue;
    const [meant] = nearest(
      name,
      names.filter((one) => !known.has(one)),
    );
    if (meant !== undefined) known.set(meant, value);
  }
  for (const name of required) if (!known.has(name) && Object.hasOwn(example, name)) known.set(name, example[name]);
  const rest = names.filter((name) => known.has(name));
  return Object.fromEntries(rest.map((name) => [name, known.get(name)]));
}

interface Run {
  readonly resolve: Dereference;
  readonly corrections: string[];
  left: number;
}

function corrected(schema: unknown, value: unknown): { readonly value: unknown; readonly corrections: string[] } {
  const run: Run = { resolve: dereferenceIn(schema), corrections: [], left: MAX_PARTS };
  try {
    return { value: correctPart(schema, value, undefined, run, 0), corrections: run.corrections };
  } catch (error) {
    if (error instanceof Stop) return { value, corrections: [] };
    throw error;
  }
}

function correctPart(schema: unknown, value: unknown, path: Path | undefined, run: Run, depth: number): unknown {
  run.left -= 1;
  if (run.left < 0 || depth > MAX_DEPTH) throw new Stop('too large to be corrected');
  const choices = alternativesOf(schema, run);
  const types = new Set(choices.flatMap(typesOf));
  const [only, ...others] = choices.filter((choice) => typesOf(choice).includes(kindOf(value)));
  if (types.size === 0 || (only && others.length > 0)) return value;
  if (only) return correctInside(only, value, path, run, depth);
  if (types.has('number') && typeof value === 'number') return value;
  const [better, ambiguous] = conversionsOf(value, types);
  if (better === undefined || ambiguous !== undefined) return value;
  if (path) run.corrections.push(`${pathText(path)}: ${better.what}`);
  return correctPart(schema, better.value, path, run, depth + 1);
}

function correctInside(schema: SchemaObject, value: unknown, path: Path | undefined, run: Run, depth: number): unknown {
  const below = (part: unknown, key: string | number, item: unknown): unknown =>
    correctPart(part, item, { parent: path, key }, run, depth + 1);
  if (Array.isArray(value)) {
    const items = own(schema, 'items');
    return items === undefined ? value : value.map((item, index) => below(items, index, item));
  }
  if (!isObject(value)) return value;
  const properties = mapAt(schema, 'properties');
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      Object.hasOwn(properties, name) ? below(properties[name], name, item) : item,
    ]),
  );
}

/** The schema itself, or what `anyOf` or `oneOf` in it allow. */
function alternativesOf(schema: unknown, run: Run): readonly SchemaObject[] {
  const here = run.resolve(schema);
  if (!here) return [];
  const lists = [...listAt(here, 'anyOf'), ...listAt(here, 'oneOf')];
  if (lists.length === 0) return [here];
  run.left -= lists.length;
  return lists.map(run.resolve).filter((one) => one !== undefined);
}

interface Conversion {
  readonly value: unknown;
  readonly what: string;
}

/** Each value of another type that this value can stand for. */
function conversionsOf(value: unknown, types: ReadonlySet<string>): readonly Conversion[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') {
    const number = NUMBER.test(value) ? Number(value) : Number.NaN;
    if (
      (types.has('integer') && Number.isSafeInteger(number)) ||
      (types.has('number') && Math.abs(number) <= Number.MAX_SAFE_INTEGER)
    )
      return [{ value: number, what: 'a string was sent as a number' }];
    if (types.has('boolean') && /^(?:true|false)$/i.test(value))
      return [{ value: value.toLowerCase() === 'true', what: 'a string was sent as a boolean' }];
    const parsed = /^\s*[[{]/.test(value) ? tryJson(value) : undefined;
    if (Array.isArray(parsed) && types.has('array')) return [{ value: parsed, what: 'JSON text was sent as an array' }];
    if (isObject(parsed) && types.has('object')) return [{ value: parsed, what: 'JSON text was sent as an object' }];
  }
  return [
    ...(types.has('string') && Number.isSafeInteger(value)
      ? [{ value: String(value), what: 'a number was sent as a string' }]
      : []),
    ...(types.has('array') && !Array.isArray(value) && !isSeparated(value)
      ? [{ value: [value], what: 'a single value was sent as an array' }]
      : []),
  ];
}

/** Text such as `a, b` may stand for one value or for several. */
function isSeparated(value: unknown): boolean {
  return typeof value === 'string' && /[,;\n]/.test(value);
}

function tryJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
