import { isObject, writtenMember } from '../../base/index.js';

const KEY = 'x-mcp-header';
const PREFIX = 'Mcp-Param-';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Values that a header can hold unencoded; others are sent as base64. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;
/** Deeper parts of a schema are ignored. */
const MAX_DEPTH = 64;

interface Declared {
  readonly path: readonly string[];
  readonly header: string;
}

/** Why a tool cannot be used over HTTP because of invalid header declarations; undefined if it can. */
export function headerFault(inputSchema: unknown): string | undefined {
  const declared = declarations(inputSchema, [], true);
  if (typeof declared === 'string') return declared;
  const names = declared.map(({ header }) => header.toLowerCase());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `two arguments declare the header ${twice}`;
}

/** The headers that repeat arguments for proxies that do not read bodies. */
export function paramHeaders(inputSchema: unknown, given: unknown): Record<string, string> {
  const declared = declarations(inputSchema, [], true);
  if (typeof declared === 'string') return {};
  const pairs = declared.flatMap(({ path, header }): [string, string][] => {
    const holder = path.slice(0, -1).reduce<unknown>(member, given);
    const name = path.at(-1) ?? '';
    const value = member(holder, name);
    // Use the digits of the body: servers reject a call if header and body differ.
    if (isObject(holder) && typeof value === 'number') return [[header, written(writtenMember(holder, name))]];
    const isTold = typeof value === 'string' || typeof value === 'boolean';
    return isTold ? [[header, written(String(value))]] : [];
  });
  return Object.fromEntries(pairs);
}

function member(holder: unknown, name: string): unknown {
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

function written(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Only a property that is reachable through `properties` may declare a header; elsewhere the tool is invalid. */
function declarations(schema: unknown, path: readonly string[], isReached: boolean): Declared[] | string {
  if (!isObject(schema) || path.length > MAX_DEPTH) return [];
  const found: Declared[] = [];
  if (Object.hasOwn(schema, KEY)) {
    const name = schema[KEY];
    if (!isReached || path.length === 0) return `${KEY} is not allowed at this place of the schema`;
    if (typeof name !== 'string' || !TOKEN.test(name)) return `${KEY} is not a valid header name`;
    if (!TYPES.has(schema.type)) return `${KEY} is set on a property that is not a string, integer or boolean`;
    found.push({ path, header: PREFIX + name });
  }
  for (const [key, part] of Object.entries(schema)) {
    const isPlace = key === 'properties' && isObject(part);
    const inner: readonly (readonly [string, unknown])[] = isPlace ? Object.entries(part) : [['', part]];
    if (key === KEY || DATA.has(key)) continue;
    for (const [name, one] of inner) {
      const more = isPlace ? declarations(one, [...path, name], isReached) : anywhere(one, [...path, key]);
      if (typeof more === 'string') return more;
      found.push(...more);
    }
  }
  return found;
}

/** Keywords whose values are data and not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required']);

/** Searches schemas inside keywords other than `properties`, where a declaration is not allowed. */
function anywhere(value: unknown, path: readonly string[]): Declared[] | string {
  if (Array.isArray(value)) return firstFault(value, path);
  if (!isObject(value)) return [];
  const own = declarations(value, path, false);
  return typeof own === 'string' ? own : firstFault(Object.values(value).filter(isObject), path);
}

function firstFault(values: readonly unknown[], path: readonly string[]): Declared[] | string {
  for (const value of values) {
    const found = declarations(value, [...path, ''], false);
    if (typeof found === 'string') return found;
  }
  return [];
}
