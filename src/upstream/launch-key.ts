import type { Definition } from '../model/index.js';
import { type AdmittedServer, fingerprint } from '../policy/index.js';

/** Hashed once for each definition: a call asks for it. */
const keys = new WeakMap<Definition, string>();

/** What is started or reached, under whatever name. */
export function keyOf({ definition }: AdmittedServer): string {
  const known = keys.get(definition);
  if (known !== undefined) return known;
  const key = fingerprint(definition);
  keys.set(definition, key);
  return key;
}
