import { countWord, type FieldLengths } from './field-averages.js';
import { FIELDS, type FieldName, WEIGHTS } from './ranking-weights.js';
import type { IndexedTool } from './search-types.js';
import { nameKey } from './tokenize.js';
import { eachFieldWord } from './tool-words.js';
import { NO_TERM, type TermId, type Vocabulary } from './vocabulary.js';

/** The place of a tool in its segment has two bytes. */
export const MAX_SEGMENT_TOOLS = 65_535;
/** A longer name is found only by its words. */
const MAX_NAME_CHARACTERS = 256;
/** A word counts at most three times in a field, which also limits what keyword stuffing gains. */
const MAX_REPEATS = 3;
const BITS = 2;

export type StoredTool = Pick<IndexedTool, 'server' | 'name' | 'description' | 'tags' | 'enabled'>;

/** The values of `Segment.states`. A removed tool keeps its place until its segment is merged. */
export const ToolState = { removed: 0, disabled: 1, enabled: 2 } as const;

/** The places of one server's tools in a segment. */
interface ServerRange {
  readonly server: string;
  readonly start: number;
  readonly end: number;
}

/** The inverted index of some servers' tools. */
export interface Segment {
  readonly tools: readonly StoredTool[];
  readonly servers: readonly ServerRange[];
  /** By each name under which a query can ask for a server. */
  readonly serversByKey: ReadonlyMap<string, readonly ServerRange[]>;
  /** Of each tool's `nameKey`. */
  readonly nameHashes: Uint32Array;
  readonly lengths: FieldLengths;
  readonly states: Uint8Array;
  /** In ascending order; the postings of `terms[n]` begin at `starts[n]`. */
  readonly terms: Uint32Array;
  readonly starts: Uint32Array;
  /** Of each posting: the tool, and how often it has the word in each field, in two bits a field. */
  readonly places: Uint16Array;
  readonly counts: Uint16Array;
  /** Of each posting: the weight of the word for the tool, in units of `IMPACT_UNIT`; see `weigh`. */
  readonly impacts: Uint8Array;
  /** The average field lengths from which the impacts were computed. */
  weighedWith: readonly number[];
  removed: number;
}

/** Tools of one server must be adjacent. */
export function buildSegment(tools: readonly IndexedTool[], vocabulary: Vocabulary): Segment {
  const postings = new Postings();
  const lengths = new Uint8Array(tools.length * FIELDS.length);
  tools.forEach((tool, place) => {
    const counts = new Map<TermId, number>();
    eachFieldWord(tool, (name, word) => {
      const term = vocabulary.learn(word);
      if (term === NO_TERM) return;
      const field = FIELDS.indexOf(name);
      countWord(lengths, place, field);
      const before = counts.get(term) ?? 0;
      if (((before >> (BITS * field)) & MAX_REPEATS) < MAX_REPEATS) counts.set(term, before + (1 << (BITS * field)));
    });
    for (const [term, count] of counts) postings.add(term, place, count);
  });
  return segmentOf(tools.map(stored), lengths, postings);
}

/** One segment with the remaining tools of several. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  const postings = new Postings();
  const tools: StoredTool[] = [];
  const lengths: number[] = [];
  for (const segment of segments) {
    const moved = new Int32Array(segment.tools.length).fill(-1);
    segment.tools.forEach((tool, place) => {
      if (segment.states[place] === ToolState.removed) return;
      moved[place] = tools.length;
      tools.push(tool);
      for (let field = 0; field < FIELDS.length; field += 1)
        lengths.push(segment.lengths[place * FIELDS.length + field] ?? 0);
    });
    segment.terms.forEach((term, n) => {
      for (let at = segment.starts[n] ?? 0; at < (segment.starts[n + 1] ?? 0); at += 1) {
        const place = moved[segment.places[at] ?? 0] ?? -1;
        if (place >= 0) postings.add(term, place, segment.counts[at] ?? 0);
      }
    });
  }
  return segmentOf(tools, Uint8Array.from(lengths), postings);
}

/** Computes the impact of each posting (BM25F) if the average field lengths have changed. */
export function weigh(segment: Segment, averages: readonly number[]): void {
  if (averages.every((average, field) => average === segment.weighedWith[field])) return;
  segment.weighedWith = averages;
  const { counts, places, lengths, impacts } = segment;
  const perWord = Float32Array.from(lengths, (length, at) => {
    const field = at % FIELDS.length;
    return weightPerWord(field, length, averages[field] ?? 1);
  });
  for (let at = 0; at < counts.length; at += 1) {
    let x = 0;
    let field = (places[at] ?? 0) * FIELDS.length;
    for (let rest = counts[at] ?? 0; rest > 0; rest >>= BITS) {
      x += (rest & MAX_REPEATS) * (perWord[field] ?? 0);
      field += 1;
    }
    const impact = ((WEIGHTS.saturation + 1) * x) / (x + WEIGHTS.saturation) + WEIGHTS.presence;
    impacts[at] = Math.round(impact / IMPACT_UNIT);
  }
}

/** The impact of a term for a tool, and the share of it that comes from some fields; zero if the tool does not have it. */
export function impactOf(
  segment: Segment,
  term: TermId,
  place: number,
  fields: readonly FieldName[],
): { readonly impact: number; readonly share: number } {
  const { starts, places, counts, impacts, lengths, weighedWith } = segment;
  const at = placeOfTerm(segment, term);
  const [start = 0, end = 0] = at < 0 ? [] : [starts[at], starts[at + 1]];
  const posting = places.subarray(start, end).indexOf(place);
  if (posting < 0) return { impact: 0, share: 0 };
  let all = 0;
  let own = 0;
  FIELDS.forEach((name, field) => {
    const count = ((counts[start + posting] ?? 0) >> (BITS * field)) & MAX_REPEATS;
    const x = count * weightPerWord(field, lengths[place * FIELDS.length + field] ?? 0, weighedWith[field] ?? 1);
    all += x;
    if (fields.includes(name)) own += x;
  });
  return { impact: IMPACT_UNIT * (impacts[start + posting] ?? 0), share: own / (all || 1) };
}

function weightPerWord(field: number, length: number, average: number): number {
  const name = FIELDS[field];
  const { weight, length: b } = name ? WEIGHTS.fields[name] : { weight: 0, length: 0 };
  return weight / (1 - b + (b * length) / average);
}

/** The impact that 1 in `Segment.impacts` stands for. */
export const IMPACT_UNIT = (WEIGHTS.saturation + 1 + WEIGHTS.presence) / 255;

/** The index of a term in `terms`; -1 if no tool has it. */
export function placeOfTerm({ terms }: Segment, term: TermId): number {
  let low = 0;
  let high = terms.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = terms[middle] ?? 0;
    if (found === term) return middle;
    if (found < term) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** FNV-1a. Texts with equal hashes can still differ. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function segmentOf(tools: readonly StoredTool[], lengths: FieldLengths, postings: Postings): Segment {
  return {
    ...{ tools, lengths, ...postings.sorted(), ...serversIn(tools) },
    nameHashes: Uint32Array.from(tools, ({ name }) => hashOf(nameKey(name.slice(0, MAX_NAME_CHARACTERS)))),
    states: Uint8Array.from(tools, ({ enabled }) => (enabled === false ? ToolState.disabled : ToolState.enabled)),
    ...{ weighedWith: [], removed: 0 },
  };
}

/** A copy, so that the index keeps no schema in memory. */
function stored({ server, name, description, tags, enabled }: IndexedTool): StoredTool {
  return {
    server,
    name,
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { tags }),
    ...(enabled !== undefined && { enabled }),
  };
}

function serversIn(tools: readonly StoredTool[]): Pick<Segment, 'servers' | 'serversByKey'> {
  const servers: ServerRange[] = [];
  let start = 0;
  for (let at = 1; at <= tools.length; at += 1) {
    const server = tools[start]?.server ?? '';
    if (tools[at]?.server === server) continue;
    servers.push({ server, start, end: at });
    start = at;
  }
  const serversByKey = new Map<string, ServerRange[]>();
  for (const range of servers)
    for (const key of serverKeys(range.server)) serversByKey.set(key, [...(serversByKey.get(key) ?? []), range]);
  return { servers, serversByKey };
}

/** The name with and without the words "mcp" and "server", which people leave out. */
function serverKeys(server: string): readonly string[] {
  const key = nameKey(server);
  const core = nameKey(server.replaceAll(/(?:^|[^\p{L}])(?:mcp|server)(?=$|[^\p{L}])/giu, ' '));
  return core === '' || core === key ? [key] : [key, core];
}

const PLACES = 2 ** 16;

/** Postings in the order of the tools, returned in the order of the terms. */
class Postings {
  /** Term, place and counts of a posting in 20, 16 and 16 bits, so that the order of the numbers is that of the terms. */
  #packed = new Float64Array(1024);
  #count = 0;

  add(term: TermId, place: number, counts: number): void {
    if (this.#count === this.#packed.length) {
      const wider = new Float64Array(this.#count * 2);
      wider.set(this.#packed);
      this.#packed = wider;
    }
    this.#packed[this.#count] = (term * PLACES + place) * PLACES + counts;
    this.#count += 1;
  }

  sorted(): Pick<Segment, 'terms' | 'starts' | 'places' | 'counts' | 'impacts'> {
    const packed = this.#packed.subarray(0, this.#count).sort();
    const terms: TermId[] = [];
    const starts: number[] = [];
    const places = new Uint16Array(packed.length);
    const counts = new Uint16Array(packed.length);
    packed.forEach((value, at) => {
      const tool = Math.floor(value / PLACES);
      const term = Math.floor(tool / PLACES);
      if (terms.at(-1) !== term) {
        terms.push(term);
        starts.push(at);
      }
      places[at] = tool; // typed arrays keep the lowest 16 bits
      counts[at] = value;
    });
    starts.push(packed.length);
    const impacts = new Uint8Array(packed.length);
    return { terms: Uint32Array.from(terms), starts: Uint32Array.from(starts), places, counts, impacts };
  }
}
