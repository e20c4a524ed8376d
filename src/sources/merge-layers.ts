import { dirname, isAbsolute, join } from 'node:path';
import type { Dialect } from './dialect.js';
import { type Fields, isFields } from './fields.js';
import type { LocatedEntry } from './to-definition.js';

/** The merged fields of one name so far, and the directory of the last file. */
interface Layer {
  readonly fields: Fields;
  readonly folder: string;
  /** Whether some fields come from a repository. */
  readonly isBrought: boolean;
}

/** All entries, each merged with the lower layers of the same name. */
export function mergeLayers(locatedEntries: readonly LocatedEntry[]): ReadonlyMap<LocatedEntry, LocatedEntry> {
  const merged = new Map<LocatedEntry, LocatedEntry>();
  const held = new Map<Dialect, Map<string, Layer>>();
  for (const locatedEntry of locatedEntries.toSorted((a, b) => a.precedence - b.precedence)) {
    const { name, value } = locatedEntry.written;
    if (!isFields(value)) continue;
    // Fields have the same meaning only within one dialect.
    const layers = held.get(locatedEntry.place.dialect) ?? new Map<string, Layer>();
    held.set(locatedEntry.place.dialect, layers);
    const folder = dirname(locatedEntry.source);
    const below = layers.get(name);
    const whole = below ? overlay(below.folder === folder ? below.fields : anchored(below), value) : value;
    const isBrought = locatedEntry.place.scope === 'project' || below?.isBrought === true;
    layers.set(name, { fields: whole, folder, isBrought });
    merged.set(locatedEntry, { ...locatedEntry, isBrought, written: { ...locatedEntry.written, value: whole } });
  }
  return merged;
}

/** Deeper than any field of a server; below this, values are replaced. */
const DEEPEST = 8;

/** Merges maps recursively; other values are replaced. */
function overlay(below: Fields, above: Fields, levels = DEEPEST): Fields {
  const pairs = Object.entries(above).map(([key, value]) => {
    const under = Object.hasOwn(below, key) ? below[key] : undefined;
    return [key, levels > 0 && isFields(value) && isFields(under) ? overlay(under, value, levels - 1) : value];
  });
  return Object.fromEntries([...Object.entries(below), ...pairs]);
}

/** A file reference is relative to the file of its layer, so it becomes absolute before the merge. */
function anchored({ fields, folder }: Layer): Fields {
  const from = (path: string): string => (isAbsolute(path) || path.startsWith('~/') ? path : join(folder, path));
  const anchor = (value: unknown, levels: number): unknown => {
    if (typeof value === 'string')
      return value.replaceAll(/\{file:([^{}]+)\}/g, (_, path: string) => `{file:${from(path.trim())}}`);
    if (levels === 0) return value;
    if (Array.isArray(value)) return value.map((item) => anchor(item, levels - 1));
    return isFields(value) ? anchorAll(value, levels - 1) : value;
  };
  const anchorAll = (inner: Fields, levels: number): Fields =>
    Object.fromEntries(Object.entries(inner).map(([key, value]) => [key, anchor(value, levels)]));
  return anchorAll(fields, DEEPEST);
}
