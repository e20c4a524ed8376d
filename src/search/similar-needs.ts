import { type Segment, ToolState } from './index-segment.js';
import type { ParsedQuery } from './parse-query.js';
import type { RememberedUse } from './search-types.js';
import { REQUEST_WORDS } from './stop-words.js';
import { frequency, rarity } from './term-rarity.js';
import { eachWord, nameKey } from './tokenize.js';
import type { UsageMemory } from './usage-memory.js';
import { NO_TERM, type TermId, type Vocabulary } from './vocabulary.js';

/** What the remembered uses of a tool say about a query. */
export interface EarlierUse {
  /** At most 1, for the same need; negative if the tool was abandoned for it. */
  readonly similarity: number;
  /** How well the needs of the tool are known, below 1. */
  readonly confidence: number;
}

interface Posting {
  readonly place: number;
  readonly impact: number;
}

/** With so many remembered needs a tool is half known. */
const HALF_KNOWN = 3;
const SATURATION = 1;
/** What a word counts for being there at all. */
const PRESENCE = 0.5;
const REQUEST_WEIGHT = 0.5;
const SYNONYM_WEIGHT = 0.6;
/** Of a need for which the tool was abandoned. */
const ABANDONED = 0.5;

/** The needs that tools were called for, by their words: one state of the memory and the index. */
export class SimilarNeeds {
  readonly #segments: readonly Segment[];
  readonly #postings = new Map<TermId, Posting[]>();
  readonly #confidence = new Map<number, number>();
  readonly #size: number;

  constructor(memory: UsageMemory, segments: readonly Segment[], vocabulary: Vocabulary) {
    this.#segments = segments;
    for (const uses of memory.byTool()) {
      const place = placeOf(uses[0], segments);
      if (place < 0) continue;
      const [met, abandoned] = [uses.filter((use) => !use.abandoned), uses.filter((use) => use.abandoned)];
      const count = met.reduce((sum, use) => sum + memory.strengthOf(use), 0);
      this.#confidence.set(place, count / (count + HALF_KNOWN));
      const impacts = impactsOf(met, memory, vocabulary);
      for (const [term, impact] of impactsOf(abandoned, memory, vocabulary))
        impacts.set(term, (impacts.get(term) ?? 0) - ABANDONED * impact);
      for (const [term, impact] of impacts) listIn(this.#postings, term).push({ place, impact });
    }
    this.#size = this.#confidence.size + segments.reduce((sum, { tools }) => sum + tools.length, 0);
  }

  /** The tools with remembered uses, by their place. */
  toolsFor({ words }: ParsedQuery): ReadonlyMap<number, EarlierUse> {
    const found = new Map<number, EarlierUse>();
    if (this.#confidence.size === 0) return found;
    const similarity = new Map<number, number>();
    let all = 0;
    for (const { weight, terms } of words) {
      const [first] = terms;
      const own = weight * this.#rarity(first?.factor === 1 ? first.term : undefined);
      all += own;
      const gains = new Map<number, number>();
      for (const { term, factor } of terms) {
        const strength = factor === 1 ? own : SYNONYM_WEIGHT * factor * Math.min(own, weight * this.#rarity(term));
        for (const { place, impact } of this.#postings.get(term) ?? []) {
          const gain = strength * impact;
          if (Math.abs(gain) > Math.abs(gains.get(place) ?? 0)) gains.set(place, gain);
        }
      }
      for (const [place, gain] of gains) similarity.set(place, (similarity.get(place) ?? 0) + gain);
    }
    for (const [place, confidence] of this.#confidence)
      found.set(place, { similarity: Math.min(1, (similarity.get(place) ?? 0) / (all || 1)), confidence });
    return found;
  }

  #rarity(term: TermId | undefined): number {
    if (term === undefined) return rarity(0, this.#size);
    return rarity(frequency(term, this.#segments) + (this.#postings.get(term)?.length ?? 0), this.#size);
  }
}

/** How much each word says for a need of these. */
function impactsOf(uses: readonly RememberedUse[], memory: UsageMemory, vocabulary: Vocabulary): Map<TermId, number> {
  const counts = new Map<TermId, number>();
  for (const use of uses) {
    const strength = memory.strengthOf(use);
    const terms = new Map<TermId, number>();
    eachWord(use.query, (word) => terms.set(vocabulary.learn(word), REQUEST_WORDS.has(word) ? REQUEST_WEIGHT : 1));
    terms.delete(NO_TERM);
    for (const [term, weight] of terms) counts.set(term, (counts.get(term) ?? 0) + strength * weight);
  }
  const impact = (count: number): number => count / (count + SATURATION) + PRESENCE * Math.min(1, count);
  return new Map([...counts].map(([term, count]) => [term, impact(count)]));
}

function listIn(postings: Map<TermId, Posting[]>, term: TermId): Posting[] {
  const known = postings.get(term) ?? [];
  postings.set(term, known);
  return known;
}

function placeOf(use: RememberedUse | undefined, segments: readonly Segment[]): number {
  if (!use) return -1;
  const key = nameKey(use.server);
  let base = 0;
  for (const { serversByKey, tools, states } of segments) {
    for (const { server, start, end } of serversByKey.get(key) ?? []) {
      if (server !== use.server) continue;
      for (let place = start; place < end; place += 1)
        if (states[place] !== ToolState.removed && tools[place]?.name === use.tool) return base + place;
    }
    base += tools.length;
  }
  return -1;
}
