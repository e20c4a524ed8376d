import { hashOf, type Segment, type StoredTool } from './index-segment.js';
import { nameKey } from './tokenize.js';

/** Whether a need is the name of the tool, alone or with its server, or only the name of its server. */
export type NamedAs = 'tool' | 'server';

/** The tools that a need names in any spelling, by their place in all segments. */
export function namedPlaces(need: string, segments: readonly Segment[]): ReadonlyMap<number, NamedAs> {
  const found = new Map<number, NamedAs>();
  const key = need.length <= MAX_NAMED ? nameKey(need) : '';
  if (key === '') return found;
  let base = 0;
  for (const segment of segments) {
    const addTools = (toolKey: string, start: number, end: number): void => {
      const hash = hashOf(toolKey);
      for (let place = start; place < end; place += 1) {
        if (segment.nameHashes[place] !== hash || nameKey(segment.tools[place]?.name ?? '') !== toolKey) continue;
        found.set(base + place, 'tool');
      }
    };
    addTools(key, 0, segment.tools.length);
    for (const { start, end } of segment.serversByKey.get(key) ?? [])
      for (let place = start; place < end; place += 1) if (!found.has(base + place)) found.set(base + place, 'server');
    // The name of the server before or after that of the tool.
    for (let cut = 1; cut < key.length; cut += 1) {
      const [head, rest] = [key.slice(0, cut), key.slice(cut)];
      for (const { start, end } of segment.serversByKey.get(head) ?? []) addTools(rest, start, end);
      for (const { start, end } of segment.serversByKey.get(rest) ?? []) addTools(head, start, end);
    }
    base += segment.tools.length;
  }
  return found;
}

/** Between the names of a server and its tool, as people and clients write it. */
const SEPARATORS = ['__', '.', '/', ':', ' '];

/** Whether the need is the exact name. Of two tools with the same letters and digits, such a tool is meant. */
export function isSpelledAs(need: string, { server, name }: StoredTool): boolean {
  const asked = need.trim();
  return asked === name || asked === server || SEPARATORS.some((between) => asked === `${server}${between}${name}`);
}

/** A longer need is a sentence. */
const MAX_NAMED = 120;
