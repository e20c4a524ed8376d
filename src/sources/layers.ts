import { type Fields, isFields } from './fields.js';
import type { Sighting } from './to-definition.js';

/** Every entry with what lower layers say about the same name filled in underneath. */
export function mergeLayers(sightings: readonly Sighting[]): ReadonlyMap<Sighting, Sighting> {
  const merged = new Map<Sighting, Sighting>();
  const held = new Map<string, Fields>();
  for (const sighting of sightings.toSorted((a, b) => a.precedence - b.precedence)) {
    const { name, value } = sighting.written;
    if (!isFields(value)) continue;
    const whole = overlay(held.get(name) ?? {}, value);
    held.set(name, whole);
    merged.set(sighting, { ...sighting, written: { ...sighting.written, value: whole } });
  }
  return merged;
}

/** Maps are merged one level down (`environment`, `headers`); anything else is replaced. */
function overlay(below: Fields, above: Fields): Fields {
  const pairs = Object.entries(above).map(([key, value]) => {
    const under = Object.hasOwn(below, key) ? below[key] : undefined;
    return [key, isFields(value) && isFields(under) ? { ...under, ...value } : value];
  });
  return { ...below, ...Object.fromEntries(pairs) };
}
