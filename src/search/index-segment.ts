import { type FieldName, WEIGHTS } from './ranking-weights.js';
import type { IndexedTool } from './search-types.js';
import { nameKey } from './tokenize.js';
import { eachFieldWord } from './tool-words.js';
import { NO_TERM, type TermId, type Vocabulary } from './vocabulary.js';

/** So many that a tool's place fits into two bytes. */
export const MAX_SEGMENT_TOOLS = 65_535;
/** Written a third time a word says nothing more; this, and length, is what stuffing runs into. */
const MAX_REPEATS = 2;
/** What is longer can only be found by its words. */
const MAX_NAME_CHARACTERS = 256;
/** An impact is kept in one byte. */
export const FULL_IMPACT = 255;

export type StoredTool = Pick<IndexedTool, 'server' | 'name' | 'description' | 'tags' | 'enabled'>;

/** Where the tools of one server lie in a segment. */
interface ServerRange {
  readonly server: string;
  readonly start: number;
  readonly end: number;
}

/** Tools of some servers, ready to be asked: for each term the tools that have it and how much it tells of each. */
export interface Segment {
  readonly tools: readonly StoredTool[];
  readonly servers: readonly ServerRange[];
  /** By every name for which a server can be asked. */
  readonly serversByKey: ReadonlyMap<string, readonly ServerRange[]>;
  /** Of each tool's name, to find it by any spelling. */
  readonly nameHashes: Uint32Array;
  /** The terms of each tool's name, from `nameStarts[tool]` on. */
  readonly nameTerms: Uint32Array;
  readonly nameStarts: Uint32Array;
  /** In order; the tools of `terms[n]` are in `places` from `starts[n]` on. */
  readonly terms: Uint32Array;
  readonly starts: Uint32Array;
  readonly places: Uint16Array;
  readonly impacts: Uint8Array;
  /** 0 for a tool that was removed and waits to be swept out. */
  readonly alive: Uint8Array;
  dead: number;
}

/** Tools of one server have to stand together. */
export function buildSegment(tools: readonly IndexedTool[], vocabulary: Vocabulary): Segment {
  const postings = new Postings();
  const words = new DocumentWords();
  const nameStarts = new Uint32Array(tools.length + 1);
  const nameTerms: TermId[] = [];
  tools.forEach((tool, place) => {
    words.read(tool, vocabulary);
    for (const term of words.nameTerms) nameTerms.push(term);
    nameStarts[place + 1] = nameTerms.length;
    words.eachImpact((term, impact) => postings.add(term, place, impact));
  });
  return {
    ...postings.sorted(vocabulary.size),
    tools: tools.map(stored),
    ...serversIn(tools),
    nameHashes: Uint32Array.from(tools, ({ name }) => hashOf(nameKey(name.slice(0, MAX_NAME_CHARACTERS)))),
    nameTerms: Uint32Array.from(nameTerms),
    nameStarts,
    alive: new Uint8Array(tools.length).fill(1),
    dead: 0,
  };
}

/** One segment with what is alive in several. */
export function mergeSegments(segments: readonly Segment[], vocabulary: Vocabulary): Segment {
  const postings = new Postings();
  const tools: StoredTool[] = [];
  const nameTerms: TermId[] = [];
  const nameStarts: number[] = [0];
  const nameHashes: number[] = [];
  for (const segment of segments) {
    const moved = new Int32Array(segment.tools.length).fill(-1);
    segment.tools.forEach((tool, place) => {
      if (segment.alive[place] === 0) return;
      moved[place] = tools.length;
      tools.push(tool);
      nameHashes.push(segment.nameHashes[place] ?? 0);
      for (let at = segment.nameStarts[place] ?? 0; at < (segment.nameStarts[place + 1] ?? 0); at += 1)
        nameTerms.push(segment.nameTerms[at] ?? 0);
      nameStarts.push(nameTerms.length);
    });
    segment.terms.forEach((term, n) => {
      for (let at = segment.starts[n] ?? 0; at < (segment.starts[n + 1] ?? 0); at += 1) {
        const place = moved[segment.places[at] ?? 0] ?? -1;
        if (place >= 0) postings.add(term, place, segment.impacts[at] ?? 0);
      }
    });
  }
  return {
    ...postings.sorted(vocabulary.size),
    tools,
    ...serversIn(tools),
    nameHashes: Uint32Array.from(nameHashes),
    nameTerms: Uint32Array.from(nameTerms),
    nameStarts: Uint32Array.from(nameStarts),
    alive: new Uint8Array(tools.length).fill(1),
    dead: 0,
  };
}

/** Where the tools of a term begin, by its place in `terms`; -1 if no tool has it. */
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

/** FNV-1a, for a first look; who finds an equal hash compares the texts. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Neither the schema nor a wrapper is kept alive by the index. */
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
  for (const range of servers) {
    for (const key of serverKeys(range.server)) {
      const same = serversByKey.get(key);
      if (same) same.push(range);
      else serversByKey.set(key, [range]);
    }
  }
  return { servers, serversByKey };
}

/** People leave out what every server is called. */
function serverKeys(server: string): readonly string[] {
  const key = nameKey(server);
  const core = nameKey(server.replaceAll(/(?:^|[^\p{L}])(?:mcp|server)(?=$|[^\p{L}])/giu, ' '));
  return core === '' || core === key ? [key] : [key, core];
}

/** The terms of one tool with what each weighs; made once and used for tool after tool. */
class DocumentWords {
  #weights = new Float32Array(4096);
  #repeats = new Uint8Array(4096);
  #touched: TermId[] = [];
  nameTerms: readonly TermId[] = [];

  read(tool: IndexedTool, vocabulary: Vocabulary): void {
    let field: FieldName = 'name';
    let terms: TermId[] = [];
    this.nameTerms = [];
    eachFieldWord(tool, (next, word) => {
      if (next !== field) {
        this.#close(field, terms);
        field = next;
        terms = [];
      }
      const term = vocabulary.learn(word);
      if (term !== NO_TERM) terms.push(term);
    });
    this.#close(field, terms);
  }

  eachImpact(emit: (term: TermId, impact: number) => void): void {
    for (const term of this.#touched) {
      const weight = this.#weights[term] ?? 0;
      emit(term, Math.max(1, Math.round((FULL_IMPACT * weight) / (weight + WEIGHTS.saturation))));
      this.#weights[term] = 0;
    }
    this.#touched = [];
  }

  #close(field: FieldName, terms: readonly TermId[]): void {
    if (field === 'name') this.nameTerms = [...new Set(terms)];
    const { weight, usual, length } = WEIGHTS.fields[field];
    const each = weight / (1 - length + (length * terms.length) / usual);
    for (const term of terms) {
      this.#fit(term);
      const repeats = this.#repeats[term] ?? 0;
      if (repeats >= MAX_REPEATS) continue;
      this.#repeats[term] = repeats + 1;
      const before = this.#weights[term] ?? 0;
      if (before === 0) this.#touched.push(term);
      this.#weights[term] = before + each;
    }
    for (const term of terms) this.#repeats[term] = 0;
  }

  #fit(term: TermId): void {
    if (term < this.#weights.length) return;
    const size = Math.max(term + 1, this.#weights.length * 2);
    const weights = new Float32Array(size);
    weights.set(this.#weights);
    this.#weights = weights;
    const repeats = new Uint8Array(size);
    repeats.set(this.#repeats);
    this.#repeats = repeats;
  }
}

/** Collects in the order of the tools, and gives in the order of the terms. */
class Postings {
  #terms = new Uint32Array(1024);
  #places = new Uint16Array(1024);
  #impacts = new Uint8Array(1024);
  #count = 0;

  add(term: TermId, place: number, impact: number): void {
    if (this.#count === this.#terms.length) this.#grow();
    this.#terms[this.#count] = term;
    this.#places[this.#count] = place;
    this.#impacts[this.#count] = impact;
    this.#count += 1;
  }

  sorted(vocabularySize: number): Pick<Segment, 'terms' | 'starts' | 'places' | 'impacts'> {
    const counts = new Uint32Array(vocabularySize + 1);
    for (let at = 0; at < this.#count; at += 1)
      counts[(this.#terms[at] ?? 0) + 1] = (counts[(this.#terms[at] ?? 0) + 1] ?? 0) + 1;
    const terms: TermId[] = [];
    const starts: number[] = [];
    let sum = 0;
    for (let term = 0; term < vocabularySize; term += 1) {
      const count = counts[term + 1] ?? 0;
      counts[term] = sum;
      if (count === 0) continue;
      terms.push(term);
      starts.push(sum);
      sum += count;
    }
    starts.push(sum);
    const places = new Uint16Array(this.#count);
    const impacts = new Uint8Array(this.#count);
    for (let at = 0; at < this.#count; at += 1) {
      const term = this.#terms[at] ?? 0;
      const to = counts[term] ?? 0;
      counts[term] = to + 1;
      places[to] = this.#places[at] ?? 0;
      impacts[to] = this.#impacts[at] ?? 0;
    }
    return { terms: Uint32Array.from(terms), starts: Uint32Array.from(starts), places, impacts };
  }

  #grow(): void {
    const size = this.#terms.length * 2;
    const terms = new Uint32Array(size);
    terms.set(this.#terms);
    this.#terms = terms;
    const places = new Uint16Array(size);
    places.set(this.#places);
    this.#places = places;
    const impacts = new Uint8Array(size);
    impacts.set(this.#impacts);
    this.#impacts = impacts;
  }
}
