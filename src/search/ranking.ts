import { FULL_IMPACT, placeOfTerm, type Segment, type StoredTool } from './index-segment.js';
import type { QueryWord } from './parse-query.js';
import { WEIGHTS } from './ranking-weights.js';
import type { TermId } from './vocabulary.js';

/** A tool by its place among all segments, in their order. */
export interface RankedTool {
  readonly place: number;
  readonly tool: StoredTool;
  readonly segment: Segment;
  /** Its place in the segment. */
  readonly local: number;
  score: number;
}

/** For each term the tools whose remembered needs have it. */
export type RememberedPostings = ReadonlyMap<TermId, readonly { readonly place: number; readonly impact: number }[]>;

/** How many tools are looked at again with the slower measures, and so the most that an answer can have. */
export const MAX_CANDIDATES = 100;

/** Everything a ranking reads: one state of the index. */
export interface Corpus {
  readonly segments: readonly Segment[];
  readonly size: number;
  readonly remembered: RememberedPostings;
  readonly allows: (tool: StoredTool) => boolean;
}

/** Scores of all tools for some words; the arrays are used again from search to search. */
export class Ranking {
  #scores = new Float32Array(0);
  #best = new Float32Array(0);
  #touched = new Uint32Array(0);

  /** The best tools for the words, the best first, and the score that a tool with all the words could have. */
  rank(words: readonly QueryWord[], corpus: Corpus, most = MAX_CANDIDATES): { candidates: RankedTool[]; full: number } {
    this.#fit(corpus.size);
    const strengths = words.map((word) => this.#addWord(word, corpus));
    const full = strengths
      .sort((a, b) => b - a)
      .slice(0, WEIGHTS.fullWords)
      .reduce((sum, strength) => sum + strength, 0);
    return { candidates: this.#top(corpus, most), full };
  }

  #addWord({ weight, terms }: QueryWord, corpus: Corpus): number {
    let touched = 0;
    // A word that nobody knows is as rare as can be: what lacks it lacks much.
    let own = weight * inverseFrequency(0, corpus.size);
    for (const { term, weight: termWeight } of terms) {
      const found = corpus.segments.map((segment) => placeOfTerm(segment, term));
      const remembered = corpus.remembered.get(term);
      const count = found.reduce((sum, at, n) => sum + lengthAt(corpus.segments[n], at), 0) + (remembered?.length ?? 0);
      if (count === 0) continue;
      const rarity = weight * termWeight * inverseFrequency(count, corpus.size);
      if (termWeight === 1) own = rarity;
      const scale = rarity / FULL_IMPACT;
      let base = 0;
      for (let n = 0; n < corpus.segments.length; n += 1) {
        const segment = corpus.segments[n];
        const at = found[n] ?? -1;
        if (segment && at >= 0) touched = this.#addTerm(segment, at, base, scale, touched);
        base += segment?.tools.length ?? 0;
      }
      for (const { place, impact } of remembered ?? [])
        this.#scores[place] = (this.#scores[place] ?? 0) + WEIGHTS.remembered * rarity * impact;
    }
    for (let n = 0; n < touched; n += 1) this.#best[this.#touched[n] ?? 0] = 0;
    return own;
  }

  /** A tool gets the best of a word's terms and not their sum: to list all synonyms must not pay. */
  #addTerm({ starts, places, impacts }: Segment, at: number, base: number, scale: number, before: number): number {
    const scores = this.#scores;
    const best = this.#best;
    let touched = before;
    const end = starts[at + 1] ?? 0;
    for (let n = starts[at] ?? 0; n < end; n += 1) {
      const place = base + (places[n] ?? 0);
      const gain = scale * (impacts[n] ?? 0);
      const had = best[place] ?? 0;
      if (gain <= had) continue;
      if (had === 0) {
        this.#touched[touched] = place;
        touched += 1;
      }
      best[place] = gain;
      scores[place] = (scores[place] ?? 0) + gain - had;
    }
    return touched;
  }

  #top({ segments, allows }: Corpus, most: number): RankedTool[] {
    const kept: RankedTool[] = [];
    let least = 0;
    let base = 0;
    for (const segment of segments) {
      for (let local = 0; local < segment.tools.length; local += 1) {
        const score = this.#scores[base + local] ?? 0;
        if (score <= least || segment.alive[local] === 0) continue;
        const tool = segment.tools[local];
        if (!tool || !allows(tool)) continue;
        kept.push({ place: base + local, tool, segment, local, score });
        if (kept.length >= 4 * most) {
          kept.sort(byScore);
          kept.length = most;
          least = kept[most - 1]?.score ?? 0;
        }
      }
      base += segment.tools.length;
    }
    return kept.sort(byScore).slice(0, most);
  }

  #fit(size: number): void {
    if (this.#scores.length < size) {
      this.#scores = new Float32Array(size);
      this.#best = new Float32Array(size);
      this.#touched = new Uint32Array(size);
    } else this.#scores.fill(0);
  }
}

export function byScore(a: RankedTool, b: RankedTool): number {
  return b.score - a.score || a.place - b.place;
}

function lengthAt(segment: Segment | undefined, at: number): number {
  return !segment || at < 0 ? 0 : (segment.starts[at + 1] ?? 0) - (segment.starts[at] ?? 0);
}

/** How much a word tells apart: much if few tools have it. */
function inverseFrequency(count: number, size: number): number {
  return Math.log(1 + (size - Math.min(count, size) + 0.5) / (count + 0.5));
}
