import { isObject } from '../base/index.js';
import { listAt, mapAt, own, type SchemaObject } from './schema-object.js';
import { Stop } from './stop-check.js';

/** The largest of 734 schemas of real tools contains 300 subschemas. */
const MAX_SCHEMAS = 10_000;
const MAX_SCHEMA_DEPTH = 100;
const MAX_REFERENCE_CHARACTERS = 2_000;
/** The base URI of a schema without `$id`, so that all references are resolved in the same way. */
const NO_ADDRESS = 'schema:///';

const SCHEMA_WORDS = ['additionalProperties', 'additionalItems', 'contains', 'not', 'if', 'then', 'else'].concat([
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
  'items',
]);
const LIST_WORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAP_WORDS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/** The facts collected by one traversal of a schema: its size, its reference targets and its patterns. */
export interface KnownSchema {
  readonly root: unknown;
  /** Draft-07 or older: keywords beside `$ref` are ignored, and newer keywords do not exist. */
  readonly isOld: boolean;
  /** Evaluated parts are recorded only if this is true. */
  readonly hasUnevaluated: boolean;
  readonly patterns: readonly string[];
  /** The target of a `$ref` in `from`. Aborts the check if it is not within this schema: nothing is ever fetched. */
  readonly resolve: (reference: string, from: SchemaObject) => unknown;
  /** The same for messages: `undefined` if the target is missing. */
  readonly tryResolve: (reference: string, from: SchemaObject) => unknown;
}

/** Traverses a schema without validating values. Aborts if it is not a schema or is too large. */
export function readSchema(root: unknown): KnownSchema {
  if (typeof root !== 'boolean' && !isObject(root)) throw new Stop('the tool has no readable schema');
  const written = isObject(root) ? own(root, '$schema') : undefined;
  const dialect = typeof written === 'string' ? written : '';
  const isOld = /draft-0[34567]/.test(dialect);
  const idWord = /draft-0[34]/.test(dialect) ? 'id' : '$id';
  const targets = new Map<string, SchemaObject>();
  const bases = new Map<SchemaObject, string>();
  const patterns = new Set<string>();
  let hasUnevaluated = false;

  const visit = (schema: unknown, base: string, depth: number): void => {
    if (!isObject(schema) || bases.has(schema)) return;
    if (bases.size >= MAX_SCHEMAS) throw new Stop('the schema is too large');
    if (depth > MAX_SCHEMA_DEPTH) throw new Stop('the schema is nested too deep');
    const isReference = isOld && typeof own(schema, '$ref') === 'string';
    const id = isReference ? undefined : own(schema, idWord);
    const here = (typeof id === 'string' && tryAddress(id, base)) || base;
    bases.set(schema, here.split('#', 1)[0] ?? here);
    if (depth === 0 || here !== base) targets.set(here.replace(/#$/, ''), schema);
    for (const word of ['$anchor', '$dynamicAnchor']) {
      const anchor = own(schema, word);
      const address = typeof anchor === 'string' ? tryAddress(`#${anchor}`, here) : undefined;
      if (address !== undefined) targets.set(address, schema);
    }
    const pattern = own(schema, 'pattern');
    if (typeof pattern === 'string') patterns.add(pattern);
    for (const name of Object.keys(mapAt(schema, 'patternProperties'))) patterns.add(name);
    if (!isOld && (Object.hasOwn(schema, 'unevaluatedProperties') || Object.hasOwn(schema, 'unevaluatedItems')))
      hasUnevaluated = true;
    const inside = bases.get(schema) ?? base;
    for (const word of SCHEMA_WORDS) visit(own(schema, word), inside, depth + 1);
    for (const word of LIST_WORDS) for (const part of listAt(schema, word)) visit(part, inside, depth + 1);
    for (const word of MAP_WORDS) for (const part of Object.values(mapAt(schema, word))) visit(part, inside, depth + 1);
  };
  visit(root, NO_ADDRESS, 0);

  // At most as large as the schema: it contains each reference once.
  const cache = new Map<SchemaObject, Map<string, unknown>>();
  const resolve = (reference: string, from: SchemaObject): unknown => {
    const cached = cache.get(from);
    if (cached?.has(reference)) return cached.get(reference);
    const address = addressOf(reference, bases.get(from) ?? NO_ADDRESS);
    const found = find(address, targets, root);
    // Only traversed schemas count towards the limits, so a target in an unknown place is traversed now.
    visit(found, addressWithoutFragment(address), 1);
    cache.set(from, (cached ?? new Map()).set(reference, found));
    return found;
  };
  return {
    root,
    isOld,
    get hasUnevaluated() {
      return hasUnevaluated; // a reference target traversed later may change it
    },
    patterns: [...patterns],
    resolve,
    tryResolve: (reference, from) => {
      try {
        return resolve(reference, from);
      } catch (error) {
        if (error instanceof Stop) return undefined;
        throw error;
      }
    },
  };
}

function tryAddress(reference: string, base: string): string | undefined {
  try {
    return reference.length > MAX_REFERENCE_CHARACTERS ? undefined : new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

function addressOf(reference: string, base: string): string {
  const address = tryAddress(reference, base);
  if (address === undefined) throw new Stop(`the schema has an invalid reference: ${shown(reference)}`);
  return address;
}

const addressWithoutFragment = (address: string): string => address.split('#', 1)[0] ?? address;

function find(address: string, targets: ReadonlyMap<string, SchemaObject>, root: unknown): unknown {
  const exact = targets.get(address.replace(/#$/, ''));
  if (exact) return exact;
  const place = addressWithoutFragment(address);
  const resource = targets.get(place) ?? (place === NO_ADDRESS ? root : undefined);
  const pointer = decode(address.slice(place.length + 1));
  if (resource === undefined) throw new Stop(`the schema refers to ${shown(address)}, which is never fetched`);
  if (pointer === '') return resource;
  const found = pointer?.startsWith('/') ? follow(resource, pointer) : undefined;
  if (typeof found !== 'boolean' && !isObject(found))
    throw new Stop(`the schema refers to ${shown(address.slice(place.length))}, which is not a schema`);
  return found;
}

function follow(resource: unknown, pointer: string): unknown {
  let here: unknown = resource;
  for (const step of pointer.slice(1).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(here)) here = /^\d{1,9}$/.test(name) ? here[Number(name)] : undefined;
    else here = isObject(here) ? own(here, name) : undefined;
  }
  return here;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const shown = (address: string): string => JSON.stringify(address.slice(0, 120));
