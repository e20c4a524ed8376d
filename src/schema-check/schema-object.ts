import { isObject } from '../base/index.js';

/** A schema that is not `true` or `false`; its keywords are not validated yet. */
export type SchemaObject = Readonly<Record<string, unknown>>;

/** The own property of an object: inherited names such as `constructor` and `__proto__` are ignored. */
export function own(object: SchemaObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The value of a keyword that must be a list of schemas. */
export function listAt(schema: SchemaObject, word: string): readonly unknown[] {
  const value = own(schema, word);
  return Array.isArray(value) ? value : [];
}

export function stringsAt(schema: SchemaObject, word: string): readonly string[] {
  return listAt(schema, word).filter((item) => typeof item === 'string');
}

/** The value of a keyword that must be a map. */
export function mapAt(schema: SchemaObject, word: string): SchemaObject {
  const value = own(schema, word);
  return isObject(value) ? value : NOTHING;
}

const NOTHING: SchemaObject = Object.freeze({});
