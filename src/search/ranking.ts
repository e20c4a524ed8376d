import { IMPACT_UNIT, nameTermsOf, placeOfTerm, type Segment, type StoredTool, ToolState } from './index-segment.js';
import type { ParsedQuery, QueryWord } from './parse-query.js';
import { WEIGHTS } from './ranking-weights.js';
import type { ScoreParts } from './search-types.js';
import type { TermId } from './vocabulary.js';

/** For each term the tools whose remembered needs have it. */
export type RememberedPostings = ReadonlyMap<TermId, readonly { readonly place: number; readonly impact: number }[]>;

/** Everything that a ranking reads: one state of the index. */
export interface Corpus {
  readonly segments: readonly Segment[];
  readonly size: number;
  /** The average number of words of a tool. */
  readonly averageWords: number;
  readonly remembered: RememberedPostings;
  readonly includeDisabled: boolean;
  /** Only the tools of this server. */
  readonly server: string | undefined;
}

export interface RankedTool {
  /** The tool's place among all segments, in their order. */
  readonly place: number;
  readonly tool: StoredTool;
  readonly parts: ScoreParts;
  /** The sum of the parts. */
  readonly score: number;
  /** How well the tool meets the query, whatever other tools there are. */
  readonly relevance: number;
}

/** How similar in meaning a tool is to the query, where a model has said so. */
export type CosineOf = (tool: StoredTool) => number | undefined;

/** A tool that has this many of the rarest words of a query, each with this impact, has all that one tool can have of it. */
const FULL_WORDS = 4;
const FULL_IMPACT = 1.4;
const BY_SCORE = 40;
const BY_CLAUSE = 25;
const BY_MEANING = 15;

/** The rows of `Ranking.#rows`: one number for each tool in each. */
const SCORE = 0;
const USE = 1;
const CLAUSE = 2;
const MEANING = 3;
const FIRST_CLAUSE = 4;

/** Ranks all tools for one query; the arrays are used again from query to query. */
export class Ranking {
  #size = 0;
  #rows = new Float32Array(0);
  #best = new Float32Array(0);
  #touched = new Uint32Array(0);
  #isAllowed = new Uint8Array(0);

  /** The best tools, best first, and those of `named` that may be shown. */
  rank(
    { words, clauseCount }: ParsedQuery,
    corpus: Corpus,
    limit: number,
    named: Iterable<number>,
    cosineOf?: CosineOf,
  ): RankedTool[] {
    this.#clear(corpus, clauseCount);
    const nameFactors = new Map<TermId, number>();
    const strengths: number[] = [];
    for (const word of words) {
      strengths.push(this.#addWord(word, corpus));
      for (const { term, factor } of word.terms)
        nameFactors.set(term, Math.max(nameFactors.get(term) ?? 0, factor < 1 ? WEIGHTS.nameSynonym : 1));
    }
    const best = this.#largest(SCORE) || 1;
    const full =
      FULL_IMPACT *
      strengths
        .sort((a, b) => b - a)
        .slice(0, FULL_WORDS)
        .reduce((sum, one) => sum + one, 0);
    this.#joinClauses(clauseCount);
    if (cosineOf) this.#addMeaning(corpus, cosineOf);
    const byScore = this.#top(SCORE, Math.max(BY_SCORE, limit));
    const chosen = new Set([
      ...byScore.slice(0, BY_SCORE),
      ...this.#top(CLAUSE, BY_CLAUSE),
      ...this.#top(MEANING, BY_MEANING),
    ]);
    for (const place of named) if (this.#isAllowed[place] === 1) chosen.add(place);
    const rank = (place: number): RankedTool => {
      const { segment, local } = locate(corpus.segments, place);
      const tool = segment.tools[local];
      if (!tool) throw new RangeError(`no tool at place ${place}`);
      const use = this.#at(USE, place) / best;
      const parts = {
        words: this.#at(SCORE, place) / best - use,
        use,
        clauses: WEIGHTS.clause * this.#at(CLAUSE, place),
        name: WEIGHTS.nameCover * nameCover(segment, local, nameFactors, corpus),
        meaning: (WEIGHTS.meaning / Math.max(1, clauseCount)) * this.#at(MEANING, place),
      };
      const score = parts.words + parts.use + parts.clauses + parts.name + parts.meaning;
      const covered = this.#at(SCORE, place) / (full || 1);
      return { place, tool, parts, score, relevance: Math.min(1, Math.max(covered, cosineOf?.(tool) ?? 0)) };
    };
    const ranked = Array.from(chosen, rank).sort(byFinalScore);
    return [...ranked, ...byScore.slice(BY_SCORE).flatMap((place) => (chosen.has(place) ? [] : [rank(place)]))];
  }

  /** Adds what each tool gets for a word, and returns what the word counts in the query. */
  #addWord({ weight, terms, clauses }: QueryWord, corpus: Corpus): number {
    const counts = terms.map(({ term }) => frequency(term, corpus));
    const own = weight * rarity(terms[0]?.factor === 1 ? (counts[0] ?? 0) : 0, corpus.size);
    let touched = 0;
    terms.forEach(({ term, factor }, n) => {
      // The minimum, because a rare synonym must not outweigh the word itself.
      const strength = factor * Math.min(own, weight * rarity(counts[n] ?? 0, corpus.size));
      let base = 0;
      for (const segment of corpus.segments) {
        touched = this.#addTerm(segment, placeOfTerm(segment, term), base, strength, clauses, touched);
        base += segment.tools.length;
      }
      for (const { place, impact } of corpus.remembered.get(term) ?? []) {
        const gain = WEIGHTS.remembered * strength * impact;
        this.#add(USE, place, gain);
        this.#add(SCORE, place, gain);
        this.#addToClauses(clauses, place, gain);
      }
    });
    for (let n = 0; n < touched; n += 1) this.#best[this.#touched[n] ?? 0] = 0;
    return own;
  }

  /** A tool gets the best of a word's terms and not their sum: to list all synonyms must not pay. */
  #addTerm(segment: Segment, at: number, base: number, strength: number, clauses: number, before: number): number {
    if (at < 0) return before;
    const { starts, places, impacts } = segment;
    const scale = strength * IMPACT_UNIT;
    let touched = before;
    const end = starts[at + 1] ?? 0;
    for (let n = starts[at] ?? 0; n < end; n += 1) {
      const place = base + (places[n] ?? 0);
      const gain = scale * (impacts[n] ?? 0);
      const had = this.#best[place] ?? 0;
      if (gain <= had) continue;
      if (had === 0) {
        this.#touched[touched] = place;
        touched += 1;
      }
      this.#best[place] = gain;
      this.#add(SCORE, place, gain - had);
      if (clauses !== 0) this.#addToClauses(clauses, place, gain - had);
    }
    return touched;
  }

  #addToClauses(clauses: number, place: number, gain: number): void {
    let row = FIRST_CLAUSE;
    for (let rest = clauses; rest !== 0; rest >>>= 1) {
      if ((rest & 1) === 1) this.#add(row, place, gain);
      row += 1;
    }
  }

  /** The score of a tool for its best clause, each as a share of the best score for it; a short query is one clause. */
  #joinClauses(count: number): void {
    const [first, last] = count > 0 ? [FIRST_CLAUSE, FIRST_CLAUSE + count - 1] : [SCORE, SCORE];
    for (let row = first; row <= last; row += 1) {
      const scale = 1 / (this.#largest(row) || 1);
      for (let place = 0; place < this.#size; place += 1) {
        const share = scale * this.#at(row, place);
        if (share > this.#at(CLAUSE, place)) this.#rows[CLAUSE * this.#size + place] = share;
      }
    }
  }

  #addMeaning({ segments }: Corpus, cosineOf: CosineOf): void {
    let base = 0;
    for (const segment of segments) {
      segment.tools.forEach((tool, local) => {
        this.#add(MEANING, base + local, Math.max(0, cosineOf(tool) ?? 0));
      });
      base += segment.tools.length;
    }
    const best = this.#largest(MEANING) || 1;
    for (let place = 0; place < this.#size; place += 1)
      this.#rows[MEANING * this.#size + place] = this.#at(MEANING, place) / best;
  }

  #at(row: number, place: number): number {
    return this.#rows[row * this.#size + place] ?? 0;
  }

  #add(row: number, place: number, gain: number): void {
    const at = row * this.#size + place;
    this.#rows[at] = (this.#rows[at] ?? 0) + gain;
  }

  #largest(row: number): number {
    let largest = 0;
    for (let place = 0; place < this.#size; place += 1)
      if (this.#isAllowed[place] === 1) largest = Math.max(largest, this.#at(row, place));
    return largest;
  }

  /** The places with the largest numbers of a row, largest first. */
  #top(row: number, most: number): readonly number[] {
    const kept: number[] = [];
    const byRow = (a: number, b: number): number => this.#at(row, b) - this.#at(row, a) || a - b;
    let least = 0;
    for (let place = 0; place < this.#size; place += 1) {
      if (this.#at(row, place) <= least || this.#isAllowed[place] === 0) continue;
      kept.push(place);
      if (kept.length < 4 * most) continue;
      kept.sort(byRow).splice(most);
      least = this.#at(row, kept[most - 1] ?? 0);
    }
    return kept.sort(byRow).slice(0, most);
  }

  #clear({ segments, size, includeDisabled, server }: Corpus, clauseCount: number): void {
    const length = (FIRST_CLAUSE + clauseCount) * size;
    this.#size = size;
    if (this.#rows.length < length) this.#rows = new Float32Array(length);
    else this.#rows.fill(0, 0, length);
    if (this.#best.length < size) {
      this.#best = new Float32Array(size);
      this.#touched = new Uint32Array(size);
      this.#isAllowed = new Uint8Array(size);
    } else this.#isAllowed.fill(0);
    const least = includeDisabled ? ToolState.disabled : ToolState.enabled;
    let base = 0;
    for (const { servers, states, tools } of segments) {
      for (const range of servers) {
        if (server !== undefined && server !== range.server) continue;
        for (let local = range.start; local < range.end; local += 1)
          if ((states[local] ?? 0) >= least) this.#isAllowed[base + local] = 1;
      }
      base += tools.length;
    }
  }
}

function byFinalScore(a: RankedTool, b: RankedTool): number {
  return b.score - a.score || a.place - b.place;
}

/** The share of the name's words that the query has: a tool whose whole name is asked for is more likely meant. */
function nameCover(segment: Segment, local: number, factors: ReadonlyMap<TermId, number>, corpus: Corpus): number {
  let covered = 0;
  let total = 0;
  for (const term of nameTermsOf(segment, local)) {
    const weight = rarity(frequency(term, corpus), corpus.size);
    covered += weight * (factors.get(term) ?? 0);
    total += weight;
  }
  return total > 0 ? covered / total : 0;
}

function locate(segments: readonly Segment[], place: number): { readonly segment: Segment; readonly local: number } {
  let local = place;
  for (const segment of segments) {
    if (local < segment.tools.length) return { segment, local };
    local -= segment.tools.length;
  }
  throw new RangeError(`no tool at place ${place}`);
}

/** How many tools have a term. */
function frequency(term: TermId, { segments, remembered }: Corpus): number {
  let count = remembered.get(term)?.length ?? 0;
  for (const segment of segments) {
    const at = placeOfTerm(segment, term);
    if (at >= 0) count += (segment.starts[at + 1] ?? 0) - (segment.starts[at] ?? 0);
  }
  return count;
}

/** The inverse document frequency: the fewer tools have a word, the more it tells them apart. */
function rarity(count: number, size: number): number {
  return Math.log(1 + (size - Math.min(count, size) + 0.5) / (count + 0.5));
}
