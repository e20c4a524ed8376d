import { isObject, listAt, mapAt, own, type SchemaObject } from './schema-object.js';
import { Stop } from './stop-check.js';

/** The largest of 734 schemas of real tools has 300 schemas in it. */
const MAX_SCHEMAS = 10_000;
const MAX_SCHEMA_DEPTH = 100;
const MAX_REFERENCE_CHARACTERS = 2_000;
/** A schema without an address of its own gets this one, so that all of them can be resolved in one way. */
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

/** A schema that was walked through once: how large it is, what can be referred to, which patterns it has. */
export interface KnownSchema {
  readonly root: unknown;
  /** Draft-07 and older: words beside `$ref` do not count, and some words do not exist. */
  readonly isOld: boolean;
  /** Only then is it worth remembering what each part has looked at. */
  readonly hasUnevaluated: boolean;
  readonly patterns: readonly string[];
  /** What a `$ref` in `from` stands for. Stops the check if that is not within this schema: nothing is ever fetched. */
  readonly resolve: (reference: string, from: SchemaObject) => unknown;
  /** The same for who only wants to show it: `undefined` if it cannot be had. */
  readonly tryResolve: (reference: string, from: SchemaObject) => unknown;
}

/** Reads a schema without judging values; stops if it is no schema or larger than any honest one. */
export function readSchema(root: unknown): KnownSchema {
  if (typeof root !== 'boolean' && !isObject(root)) throw new Stop('the tool has no schema that could be read');
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

  // No larger than the schema itself: every reference in it is kept once.
  const cache = new Map<SchemaObject, Map<string, unknown>>();
  const resolve = (reference: string, from: SchemaObject): unknown => {
    const held = cache.get(from);
    if (held?.has(reference)) return held.get(reference);
    const address = addressOf(reference, bases.get(from) ?? NO_ADDRESS);
    const found = find(address, targets, root);
    // Only a schema that was walked through has been measured; one in an unknown place is walked through now.
    visit(found, addressWithoutFragment(address), 1);
    cache.set(from, (held ?? new Map()).set(reference, found));
    return found;
  };
  return {
    root,
    isOld,
    get hasUnevaluated() {
      return hasUnevaluated; // one may be found later, where a reference leads
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
  if (address === undefined) throw new Stop(`the schema has a reference that cannot be read: ${shown(reference)}`);
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
    throw new Stop(`the schema refers to ${shown(address.slice(place.length))}, where no schema is`);
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
