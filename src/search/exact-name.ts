import { hashOf, type Segment, type StoredTool } from './segment.js';
import { nameKey } from './words.js';

/** How a need names a tool: itself, its server and it, or only its server. */
export type NamedAs = 'tool' | 'server';

/** The tools that a need names in any spelling, by their place among all segments. */
export function namedPlaces(need: string, segments: readonly Segment[]): ReadonlyMap<number, NamedAs> {
  const found = new Map<number, NamedAs>();
  const key = need.length <= MAX_NAMED ? nameKey(need) : '';
  if (key === '') return found;
  const hash = hashOf(key);
  let base = 0;
  for (const segment of segments) {
    const addTool = (place: number, toolKey: string): void => {
      if (nameKey(segment.tools[place]?.name ?? '') === toolKey) found.set(base + place, 'tool');
    };
    segment.nameHashes.forEach((other, place) => {
      if (other === hash) addTool(place, key);
    });
    for (const { keys, start, end } of segment.servers) {
      for (const serverKey of keys) {
        if (serverKey === key) {
          for (let place = start; place < end; place += 1)
            if (!found.has(base + place)) found.set(base + place, 'server');
          continue;
        }
        for (const rest of restsOf(key, serverKey)) {
          const restHash = hashOf(rest);
          for (let place = start; place < end; place += 1)
            if (segment.nameHashes[place] === restHash) addTool(place, rest);
        }
      }
    }
    base += segment.tools.length;
  }
  return found;
}

/** Whether the name is written letter by letter as it was asked for. */
export function isSpelledAs(need: string, { server, name }: StoredTool): boolean {
  return need.trim() === name || need.trim() === server;
}

/** What is longer is a sentence. */
const MAX_NAMED = 120;

function restsOf(key: string, serverKey: string): readonly string[] {
  if (serverKey === '') return [];
  const rests: string[] = [];
  if (key.startsWith(serverKey)) rests.push(key.slice(serverKey.length));
  if (key.endsWith(serverKey)) rests.push(key.slice(0, -serverKey.length));
  return rests;
}
