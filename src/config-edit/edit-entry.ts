import { isDeepStrictEqual } from 'node:util';
import { ErrorCode, PortolanError } from '../base/index.js';

/** A value that can be written into an entry. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

/** The location of an entry: a path of keys that ends with its name. */
export interface EntryPath {
  readonly path: readonly string[];
  /** The entry is a list item with its name in the field `name`. */
  readonly list?: boolean;
}

/** An error that explains why the file is not changed. */
export function refusal(
  why: string,
  hint = 'nothing was written; correct the file, or edit it by hand',
): PortolanError {
  return new PortolanError(ErrorCode.EditRefused, why, { hint });
}

export function brokenAt(line: number, language: string, why: string): PortolanError {
  return refusal(`line ${line} is not valid ${language}: ${why}`, 'correct that line first; nothing was written');
}

/** The value at the path, or undefined. */
export function valueAt(root: unknown, { path, list = false }: EntryPath): unknown {
  const keys = list ? path.slice(0, -1) : path;
  const found = keys.reduce<unknown>(
    (inner, key) => (isMap(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    root,
  );
  if (!list) return found;
  return Array.isArray(found) ? found.find((item: unknown) => nameOf(item) === path.at(-1)) : undefined;
}

/** The document with the entry, to verify the result of an edit. */
export function valueWith(root: unknown, at: EntryPath, value: unknown): unknown {
  const [key = '', ...rest] = at.path;
  if (at.list && at.path.length === 1) {
    const items: readonly unknown[] = Array.isArray(root) ? root : [];
    const known = items.findIndex((item) => nameOf(item) === key);
    return known < 0 ? [...items, value] : items.with(known, value);
  }
  if (at.path.length === 0) return value;
  const inner = isMap(root) && Object.hasOwn(root, key) ? root[key] : undefined;
  const changed = valueWith(inner, { ...at, path: rest }, value);
  const pairs = isMap(root) ? Object.entries(root) : [];
  return Object.fromEntries(
    inner === undefined ? [...pairs, [key, changed]] : pairs.map((pair) => (pair[0] === key ? [key, changed] : pair)),
  );
}

/** The document without the entry; maps and lists that become empty count as absent. */
export function valueWithout(root: unknown, at: EntryPath): unknown {
  const [key = '', ...rest] = at.path;
  if (at.list && at.path.length === 1) {
    return Array.isArray(root) ? root.filter((item: unknown) => nameOf(item) !== key) : root;
  }
  if (!isMap(root) || !Object.hasOwn(root, key)) return root;
  const pairs = Object.entries(root);
  if (rest.length === 0) return Object.fromEntries(pairs.filter(([name]) => name !== key));
  return Object.fromEntries(
    pairs.map(([name, inner]) => [name, name === key ? valueWithout(inner, { ...at, path: rest }) : inner]),
  );
}

/** Returns whether two documents are equal; empty values along the path are ignored. */
export function isSameEntry(a: unknown, b: unknown, along: readonly string[]): boolean {
  return isDeepStrictEqual(normal(pruned(a, along)), normal(pruned(b, along)));
}

function pruned(root: unknown, along: readonly string[]): unknown {
  const [key = '', ...rest] = along;
  if (root === null || root === undefined) return undefined;
  if (Array.isArray(root)) return root.length === 0 ? undefined : root;
  if (!isMap(root)) return root;
  const pairs = Object.entries(root).map(([name, inner]) => [name, name === key ? pruned(inner, rest) : inner]);
  const left = pairs.filter(([name, inner]) => name !== key || inner !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Parsers differ in the prototypes of maps and in the types of dates. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (value instanceof Date) return value.toISOString();
  if (!isMap(value)) return value;
  return new Map(Object.entries(value).map(([key, inner]) => [key, normal(inner)]));
}

/** The value as it can be written; undefined if a part of it, such as a date, has no counterpart in every format. */
export function plainOf(value: unknown): Plain | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value instanceof Date) return undefined;
  const pairs: [string, Plain][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const plain = plainOf(inner);
    if (plain === undefined) return undefined;
    pairs.push([key, plain]);
  }
  return Array.isArray(value) ? pairs.map(([, inner]) => inner) : Object.fromEntries(pairs);
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nameOf(item: unknown): unknown {
  return isMap(item) && Object.hasOwn(item, 'name') ? item.name : undefined;
}
