import { isObject } from '../base/index.js';
import { type KnownSchema, readSchema } from './known-schema.js';
import { own, type SchemaObject } from './schema-object.js';

const MAX_REFERENCES = 5;

/** A schema object, after following `$ref`; undefined for `true`, `false`, and targets that are missing or too far. */
export type Dereference = (schema: unknown) => SchemaObject | undefined;

/** Reads the whole schema only if it contains a reference that is asked for. */
export function dereferenceIn(root: unknown): Dereference {
  let known: KnownSchema | undefined;
  return (schema) => {
    let here = schema;
    for (let count = 0; count <= MAX_REFERENCES && isObject(here); count += 1) {
      const reference = own(here, '$ref');
      if (typeof reference !== 'string') return here;
      known ??= readSchema(root);
      here = known.tryResolve(reference, here);
    }
    return undefined;
  };
}
