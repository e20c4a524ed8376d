/** A map as returned by the parsers. */
export type Fields = Readonly<Record<string, unknown>>;

/** An entry that cannot be read, with the message and hint of its `invalid-entry` problem. */
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

/** An own property of a map; inherited ones such as `constructor` do not count. */
export function field(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** The value at a path of keys; undefined if a part is missing or not a map. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isFields(inner) ? field(inner, key) : undefined), value);
}

export function optionalString(fields: Fields, key: string): string | undefined {
  const value = field(fields, key);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongType(key, 'a string', value);
  return value;
}

/** A list of strings. Numbers and booleans are converted as if typed on a command line. */
export function optionalStrings(fields: Fields, key: string): string[] | undefined {
  const value = field(fields, key);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongType(key, 'a list of strings', value);
  return value.map((item: unknown, n) => scalar(item) ?? fail(wrongType(`${key}[${n}]`, 'a string', item)));
}

/** A map of strings. Some clients write numbers, which are converted. `null` means unset. */
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

/** The strings in a list; other items are ignored. */
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
