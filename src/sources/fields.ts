/** A map as any parser of the formats gives it. */
export type Fields = Readonly<Record<string, unknown>>;

/** Why an entry cannot be read, for its `invalid-entry` problem. */
export class InvalidEntry extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of a map, never one that every map inherits. */
export function field(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** What is written at a path of keys; undefined where one is missing or no map. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isFields(inner) ? field(inner, key) : undefined), value);
}

export function optionalString(fields: Fields, key: string): string | undefined {
  const value = field(fields, key);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongType(key, 'a string', value);
  return value;
}

/** Strings; numbers and booleans among them are taken as they would be typed on a command line. */
export function optionalStrings(fields: Fields, key: string): string[] | undefined {
  const value = field(fields, key);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongType(key, 'a list of strings', value);
  return value.map((item: unknown, n) => scalar(item) ?? fail(wrongType(`${key}[${n}]`, 'a string', item)));
}

/** A map of strings. Some clients write numbers; a child process takes only strings. `null` means: not set. */
export function optionalRecord(fields: Fields, key: string): Record<string, string> | undefined {
  const value = field(fields, key);
  if (value === undefined || value === null) return undefined;
  if (!isFields(value)) throw wrongType(key, 'a map of strings', value);
  const pairs = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(
    pairs.map(([name, item]) => [name, scalar(item) ?? fail(wrongType(`${key}.${name}`, 'a string', item))]),
  );
}

export function optionalNumber(fields: Fields, key: string): number | undefined {
  const value = field(fields, key);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The names in a list; what is no string in it is passed over. */
export function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

export function wrongType(key: string, expected: string, value: unknown): InvalidEntry {
  const found =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'object'
          ? 'a map'
          : `a ${typeof value}`;
  return new InvalidEntry(`"${key}" is ${found}, not ${expected}`, `write ${expected} for "${key}"`);
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined;
}

function fail(error: Error): never {
  throw error;
}
