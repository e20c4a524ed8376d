import { IMPACT_UNIT, placeOfTerm, type Segment, type StoredTool, ToolState } from './index-segment.js';
import type { ParsedQuery, QueryWord } from './parse-query.js';
import { WEIGHTS } from './ranking-weights.js';
import type { EarlierUse } from './similar-needs.js';
import { frequency, rarity } from './term-rarity.js';
import { eachWord } from './tokenize.js';
import { MAX_CHARACTERS } from './tool-words.js';
import { NO_TERM, type TermId, type Vocabulary } from './vocabulary.js';

/** Everything that a ranking reads. */
export interface Corpus {
  readonly segments: readonly Segment[];
  readonly vocabulary: Vocabulary;
  readonly size: number;
  /** The average number of words of a tool. */
  readonly averageWords: number;
  readonly includeDisabled: boolean;
  /** Only the tools of this server. */
  readonly server: string | undefined;
}

export interface RankedTool {
  /** The tool's place among all segments, in their order. */
  readonly place: number;
  readonly segment: Segment;
  readonly local: number;
  readonly tool: StoredTool;
  /** The words of the whole need, of its best clause and of the tool's name. */
  readonly words: number;
  readonly meaning: number;
  readonly use: number;
  /** The sum of these. */
  readonly score: number;
  /** How well the tool meets the query, whatever other tools there are. */
  readonly relevance: number;
}

/** The facts about tools that the ranking uses besides their texts. */
export interface Evidence {
  /** Tools that a request names, by their place. */
  readonly named: Iterable<number>;
  /** By place, for the tools that were called before. */
  readonly uses: ReadonlyMap<number, EarlierUse>;
  readonly cosineOf: CosineOf | undefined;
}

/** The similarity of a tool to the query in meaning; undefined while the model has not computed it. */
type CosineOf = (tool: StoredTool) => number | undefined;

/** The best possible tool has this many of the rarest words of a query, each with this impact. */
const FULL_WORDS = 4;
const FULL_IMPACT = 1.4;
const BY_SCORE = 40;
const BY_CLAUSE = 25;
const BY_MEANING = 15;
const BY_USE = 25;

/** One number for each tool. */
type Row = Float32Array;

/** Ranks all tools for one query. The rows are used again for the next query. */
export class Ranking {
  #size = 0;
  readonly #rows: Row[] = [];
  #isAllowed = new Uint8Array(0);
  #touched = new Uint32Array(0);
  #score: Row = new Float32Array(0);
  #clause = this.#score;
  #meaning = this.#score;
  /** The best term of the current word. */
  #best = this.#score;
  /** The score for each clause. */
  #clauses: readonly Row[] = [];

  /** The best tools, best first, and those of `named` that may be shown. */
  rank(
    { words, clauseCount }: ParsedQuery,
    corpus: Corpus,
    limit: number,
    { named, uses, cosineOf }: Evidence,
  ): RankedTool[] {
    this.#clear(corpus, clauseCount);
    const nameFactors = new Map<TermId, number>();
    const strengths: number[] = [];
    for (const word of words) {
      strengths.push(this.#addWord(word, corpus));
      for (const { term, factor } of word.terms)
        nameFactors.set(term, Math.max(nameFactors.get(term) ?? 0, factor < 1 ? WEIGHTS.nameSynonym : 1));
    }
    strengths.sort((a, b) => b - a);
    const full = FULL_IMPACT * strengths.slice(0, FULL_WORDS).reduce((sum, one) => sum + one, 0) || 1;
    const best = this.#largest(this.#score);
    this.#joinClauses();
    if (cosineOf) this.#addMeaning(corpus, cosineOf);
    const byScore = this.#top(this.#score, Math.max(BY_SCORE, limit));
    const chosen = new Set([
      ...byScore.slice(0, BY_SCORE),
      ...this.#top(this.#clause, BY_CLAUSE),
      ...this.#top(this.#meaning, BY_MEANING),
    ]);
    for (const place of [...named, ...mostSimilar(uses)]) if (this.#isAllowed[place] === 1) chosen.add(place);
    const rank = (place: number): RankedTool => {
      const { tool, segment, local } = toolAt(corpus.segments, place);
      const score = this.#score[place] ?? 0;
      const shared =
        score / best +
        WEIGHTS.clause * (this.#clause[place] ?? 0) +
        WEIGHTS.nameCover * nameCover(tool.name, nameFactors, corpus);
      const meaning = (WEIGHTS.meaning / Math.max(1, clauseCount)) * (this.#meaning[place] ?? 0);
      const { similarity = 0, confidence = 0 } = uses.get(place) ?? {};
      // The better the needs of a tool are known, the less its own words say.
      const use = WEIGHTS.use * similarity - WEIGHTS.otherNeeds * confidence * shared;
      return {
        ...{ place, segment, local, tool, words: shared, meaning, use },
        score: shared + meaning + use,
        relevance: Math.min(1, Math.max(score / full, cosineOf?.(tool) ?? 0, similarity * Math.abs(similarity))),
      };
    };
    const ranked = Array.from(chosen, rank).sort((a, b) => b.score - a.score || a.place - b.place);
    return [...ranked, ...byScore.filter((place) => !chosen.has(place)).map(rank)];
  }

  /** Adds what each tool gets for a word, and returns what the word counts in the query. */
  #addWord({ weight, terms, clauses }: QueryWord, corpus: Corpus): number {
    const rows = [this.#score, ...this.#clauses.filter((_, n) => (clauses >>> n) & 1)];
    const counts = terms.map(({ term }) => frequency(term, corpus.segments));
    const own = weight * rarity(terms[0]?.factor === 1 ? (counts[0] ?? 0) : 0, corpus.size);
    let touched = 0;
    terms.forEach(({ term, factor }, n) => {
      // The minimum, because a rare synonym must not outweigh the word itself.
      const strength = factor * Math.min(own, weight * rarity(counts[n] ?? 0, corpus.size));
      let base = 0;
      for (const segment of corpus.segments) {
        touched = this.#addTerm(segment, placeOfTerm(segment, term), base, strength, rows, touched);
        base += segment.tools.length;
      }
    });
    for (let n = 0; n < touched; n += 1) this.#best[this.#touched[n] ?? 0] = 0;
    return own;
  }

  /** A tool gets the best of a word's terms and not their sum: a list of synonyms must not pay. */
  #addTerm(segment: Segment, at: number, base: number, strength: number, rows: readonly Row[], before: number): number {
    if (at < 0) return before;
    const { starts, places, impacts } = segment;
    const scale = strength * IMPACT_UNIT;
    let touched = before;
    const end = starts[at + 1] ?? 0;
    for (let n = starts[at] ?? 0; n < end; n += 1) {
      const place = base + (places[n] ?? 0);
      const gain = scale * (impacts[n] ?? 0);
      const had = this.#best[place] ?? 0;
      if (gain <= had || this.#isAllowed[place] !== 1) continue;
      if (had === 0) {
        this.#touched[touched] = place;
        touched += 1;
      }
      this.#best[place] = gain;
      for (const row of rows) add(row, place, gain - had);
    }
    return touched;
  }

  /** The score of a tool for its best clause, each as a share of the best score for it. A short query is one clause. */
  #joinClauses(): void {
    for (const row of this.#clauses.length > 0 ? this.#clauses : [this.#score]) {
      const scale = 1 / this.#largest(row);
      for (let place = 0; place < this.#size; place += 1)
        this.#clause[place] = Math.max(this.#clause[place] ?? 0, scale * (row[place] ?? 0));
    }
  }

  #addMeaning({ segments }: Corpus, cosineOf: CosineOf): void {
    let place = 0;
    for (const { tools } of segments) {
      for (const tool of tools) {
        if (this.#isAllowed[place] === 1) this.#meaning[place] = Math.max(0, cosineOf(tool) ?? 0);
        place += 1;
      }
    }
    const best = this.#largest(this.#meaning);
    for (place = 0; place < this.#size; place += 1) this.#meaning[place] = (this.#meaning[place] ?? 0) / best;
  }

  /** The largest number of a row; 1 if all are 0. */
  #largest(row: Row): number {
    let largest = 0;
    for (let place = 0; place < this.#size; place += 1) largest = Math.max(largest, row[place] ?? 0);
    return largest || 1;
  }

  /** The places with the largest numbers of a row, largest first. */
  #top(row: Row, most: number): readonly number[] {
    const kept: number[] = [];
    const byRow = (a: number, b: number): number => (row[b] ?? 0) - (row[a] ?? 0) || a - b;
    let least = 0;
    for (let place = 0; place < this.#size; place += 1) {
      if ((row[place] ?? 0) <= least) continue;
      kept.push(place);
      if (kept.length < 4 * most) continue;
      kept.sort(byRow).splice(most);
      least = row[kept[most - 1] ?? 0] ?? 0;
    }
    return kept.sort(byRow).slice(0, most);
  }

  #clear({ segments, size, includeDisabled, server }: Corpus, clauseCount: number): void {
    this.#size = size;
    if (this.#isAllowed.length < size) {
      this.#isAllowed = new Uint8Array(size);
      this.#touched = new Uint32Array(size);
      this.#rows.length = 0;
    } else this.#isAllowed.fill(0);
    const row = (n: number): Row => {
      this.#rows[n] ??= new Float32Array(this.#isAllowed.length);
      return this.#rows[n].fill(0, 0, size);
    };
    [this.#score, this.#clause, this.#meaning, this.#best] = [row(0), row(1), row(2), row(3)];
    this.#clauses = Array.from({ length: clauseCount }, (_, n) => row(4 + n));
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

function add(row: Row, place: number, gain: number): void {
  row[place] = (row[place] ?? 0) + gain;
}

function mostSimilar(uses: Evidence['uses']): readonly number[] {
  return [...uses]
    .filter(([, { similarity }]) => similarity > 0)
    .sort(([, a], [, b]) => b.similarity - a.similarity)
    .slice(0, BY_USE)
    .map(([place]) => place);
}

/** The share of the name's words that the query has, by their rarity. */
function nameCover(name: string, factors: ReadonlyMap<TermId, number>, corpus: Corpus): number {
  const terms = new Set<TermId>();
  eachWord(name.slice(0, MAX_CHARACTERS.name), (word) => {
    const term = corpus.vocabulary.findWord(word);
    if (term !== undefined && term !== NO_TERM) terms.add(term);
  });
  let covered = 0;
  let total = 0;
  for (const term of terms) {
    const weight = rarity(frequency(term, corpus.segments), corpus.size);
    covered += weight * (factors.get(term) ?? 0);
    total += weight;
  }
  return total > 0 ? covered / total : 0;
}

function toolAt(segments: readonly Segment[], place: number): Pick<RankedTool, 'tool' | 'segment' | 'local'> {
  let local = place;
  for (const segment of segments) {
    const tool = segment.tools[local];
    if (tool) return { tool, segment, local };
    local -= segment.tools.length;
  }
  throw new RangeError(`no tool at place ${place}`);
}
