/** A schema that is not just `true` or `false`; nothing about its words is known yet. */
export type SchemaObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an object itself holds under a name, never what it inherits: `constructor` and `__proto__` are names like others. */
export function own(object: SchemaObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A word's value where it is a list of schemas. */
export function listAt(schema: SchemaObject, word: string): readonly unknown[] {
  const value = own(schema, word);
  return Array.isArray(value) ? value : [];
}

export function stringsAt(schema: SchemaObject, word: string): readonly string[] {
  return listAt(schema, word).filter((item) => typeof item === 'string');
}

/** A word's value where it maps names to something. */
export function mapAt(schema: SchemaObject, word: string): SchemaObject {
  const value = own(schema, word);
  return isObject(value) ? value : NOTHING;
}

const NOTHING: SchemaObject = Object.freeze({});
