import { countWord, type FieldLengths } from './field-averages.js';
import { FIELDS, WEIGHTS } from './ranking-weights.js';
import type { IndexedTool } from './search-types.js';
import { nameKey } from './tokenize.js';
import { eachFieldWord } from './tool-words.js';
import { NO_TERM, type TermId, type Vocabulary } from './vocabulary.js';

/** A tool's place has two bytes. */
export const MAX_SEGMENT_TOOLS = 65_535;
/** A longer name is found only by its words. */
const MAX_NAME_CHARACTERS = 256;
/** A word is counted three times in a field at most, which also limits what stuffing gains. */
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
  /** By every name under which a server can be asked for. */
  readonly serversByKey: ReadonlyMap<string, readonly ServerRange[]>;
  /** Of each tool's name, to find it in any spelling. */
  readonly nameHashes: Uint32Array;
  /** The terms of each tool's name, from `nameStarts[tool]` on. */
  readonly nameTerms: Uint32Array;
  readonly nameStarts: Uint32Array;
  readonly lengths: FieldLengths;
  readonly states: Uint8Array;
  /** In ascending order; the postings of `terms[n]` begin at `starts[n]`. */
  readonly terms: Uint32Array;
  readonly starts: Uint32Array;
  /** Of each posting: the tool, and how often it has the word in each field, in two bits a field. */
  readonly places: Uint16Array;
  readonly counts: Uint16Array;
  /** Of each posting: how much the word says about the tool, as a share of the largest impact; see `weigh`. */
  readonly impacts: Uint8Array;
  /** The average field lengths from which the impacts were computed. */
  weighedWith: readonly number[];
  removed: number;
}

/** Tools of one server must be adjacent. */
export function buildSegment(tools: readonly IndexedTool[], vocabulary: Vocabulary): Segment {
  const postings = new Postings();
  const lengths = new Uint8Array(tools.length * FIELDS.length);
  const names = tools.map((tool, place) => {
    const counts = new Map<TermId, number>();
    const nameTerms = new Set<TermId>();
    eachFieldWord(tool, (name, word) => {
      const term = vocabulary.learn(word);
      if (term === NO_TERM) return;
      const field = FIELDS.indexOf(name);
      countWord(lengths, place, field);
      if (name === 'name') nameTerms.add(term);
      const before = counts.get(term) ?? 0;
      if (((before >> (BITS * field)) & MAX_REPEATS) < MAX_REPEATS) counts.set(term, before + (1 << (BITS * field)));
    });
    for (const [term, count] of counts) postings.add(term, place, count);
    return [...nameTerms];
  });
  return segmentOf(tools.map(stored), names, lengths, postings);
}

/** One segment with the remaining tools of several. */
export function mergeSegments(segments: readonly Segment[]): Segment {
  const postings = new Postings();
  const tools: StoredTool[] = [];
  const names: TermId[][] = [];
  const lengths: number[] = [];
  for (const segment of segments) {
    const moved = new Int32Array(segment.tools.length).fill(-1);
    segment.tools.forEach((tool, place) => {
      if (segment.states[place] === ToolState.removed) return;
      moved[place] = tools.length;
      tools.push(tool);
      names.push([...nameTermsOf(segment, place)]);
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
  return segmentOf(tools, names, Uint8Array.from(lengths), postings);
}

/** Computes the impact of each posting (BM25F) if the average field lengths have changed. */
export function weigh(segment: Segment, averages: readonly number[]): void {
  if (averages.every((average, field) => average === segment.weighedWith[field])) return;
  segment.weighedWith = averages;
  const { counts, places, lengths, impacts } = segment;
  const weights = FIELDS.map((name) => WEIGHTS.fields[name]);
  const perWord = Float32Array.from(lengths, (length, at) => {
    const field = at % FIELDS.length;
    const { weight, length: b } = weights[field] ?? { weight: 0, length: 0 };
    return weight / (1 - b + (b * length) / (averages[field] ?? 1));
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

export function nameTermsOf({ nameTerms, nameStarts }: Segment, place: number): Uint32Array {
  return nameTerms.subarray(nameStarts[place] ?? 0, nameStarts[place + 1] ?? 0);
}

/** FNV-1a, for a first comparison; equal hashes need a comparison of the texts. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function segmentOf(
  tools: readonly StoredTool[],
  names: readonly (readonly TermId[])[],
  lengths: FieldLengths,
  postings: Postings,
): Segment {
  const nameStarts = new Uint32Array(tools.length + 1);
  names.forEach((terms, place) => {
    nameStarts[place + 1] = (nameStarts[place] ?? 0) + terms.length;
  });
  return {
    ...{ tools, lengths, nameStarts, ...postings.sorted(), ...serversIn(tools) },
    nameTerms: Uint32Array.from(names.flat()),
    nameHashes: Uint32Array.from(tools, ({ name }) => hashOf(nameKey(name.slice(0, MAX_NAME_CHARACTERS)))),
    states: Uint8Array.from(tools, ({ enabled }) => (enabled === false ? ToolState.disabled : ToolState.enabled)),
    ...{ weighedWith: [], removed: 0 },
  };
}

/** The index keeps neither the schema nor a wrapper alive. */
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

/** People leave out the words that every server has in its name. */
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
