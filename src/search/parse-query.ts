import { WEIGHTS } from './ranking-weights.js';
import { stem } from './stem.js';
import { ASKING_WORDS, STOP_WORDS } from './stop-words.js';
import { synonymsOf } from './synonyms.js';
import { eachWord } from './tokenize.js';
import { NO_TERM, type TermId, type Vocabulary } from './vocabulary.js';

/** A tool that has any of the terms meets the word, by the best of them. */
export interface QueryWord {
  readonly word: string;
  readonly weight: number;
  readonly terms: readonly { readonly term: TermId; readonly weight: number }[];
}

const MAX_QUERY_WORDS = 64;
/** To look for what was meant costs more than to look for what was written. */
const MAX_CORRECTED = 8;
/** What is asked for with more words than these is more than one thing. */
const MIN_CLAUSE_WORDS = 2;
const MAX_CLAUSES = 6;

/** Reads one need and the parts of it, and looks no word up twice. */
export class NeedReader {
  readonly #vocabulary: Vocabulary;
  readonly #known = new Map<string, QueryWord['terms']>();
  #corrected = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** What is asked for: each word once, with how much it counts. */
  read(need: string): readonly QueryWord[] {
    const words = new Map<string, QueryWord>();
    const quotes = quotedRanges(need);
    eachWord(need, (word, start, end, isPart) => {
      if (STOP_WORDS.has(word) || words.size >= MAX_QUERY_WORDS) return;
      const isQuoted = quotes.some(({ from, to }) => start >= from && end <= to);
      const weight = weightOf(word, isQuoted, isPart);
      const stemmed = stem(word);
      const before = words.get(stemmed);
      if (!before || before.weight < weight) words.set(stemmed, { word, weight, terms: this.#termsOf(word, stemmed) });
    });
    return [...words.values()];
  }

  #termsOf(word: string, stemmed: string): QueryWord['terms'] {
    const known = this.#known.get(word);
    if (known) return known;
    const terms = new Map<TermId, number>();
    const add = (term: TermId | undefined, weight: number): void => {
      if (term !== undefined && term !== NO_TERM && (terms.get(term) ?? 0) < weight) terms.set(term, weight);
    };
    const own = this.#vocabulary.findStem(stemmed);
    add(own, 1);
    for (const other of synonymsOf(stemmed)) add(this.#vocabulary.findStem(other), WEIGHTS.synonym);
    if (own === undefined && this.#corrected < MAX_CORRECTED) {
      this.#corrected += 1;
      for (const { term, edits } of this.#vocabulary.corrections(word)) add(term, WEIGHTS.typo / edits);
    }
    const found = [...terms].map(([term, weight]) => ({ term, weight })).sort((a, b) => b.weight - a.weight);
    this.#known.set(word, found);
    return found;
  }
}

/** Words of asking, numbers and what stands in quotes are more often what a tool is called with than what it is. */
function weightOf(word: string, isQuoted: boolean, isPart: boolean): number {
  if (ASKING_WORDS.has(word)) return WEIGHTS.asking;
  if (/^\d+$/.test(word)) return WEIGHTS.number;
  if (isQuoted) return WEIGHTS.quoted;
  return isPart ? WEIGHTS.namePart : 1;
}

interface TextRange {
  readonly from: number;
  readonly to: number;
}

function quotedRanges(need: string): readonly TextRange[] {
  const quotes = need.matchAll(/(?<![\p{L}\p{N}])['"“‘`][^'"“”‘’`]{1,200}['"”’`](?![\p{L}\p{N}])/gu);
  return Array.from(quotes, ({ index, 0: text }) => ({ from: index, to: index + text.length }));
}

/** A long need in the pieces that could be met by different tools. */
export function clausesOf(need: string): readonly string[] {
  const pieces = need
    .split(/[.;?!\n]+(?=\s|$)|,\s+(?:and|then|also|but)\s+|\s+(?:and then|and also|additionally|as well as)\s+|,\s+/i)
    .map((piece) => piece.trim())
    .filter((piece) => contentWords(piece) >= MIN_CLAUSE_WORDS);
  return pieces.length < 2 ? [] : pieces.slice(0, MAX_CLAUSES);
}

function contentWords(text: string): number {
  let count = 0;
  eachWord(text, (word) => {
    if (!STOP_WORDS.has(word) && !ASKING_WORDS.has(word)) count += 1;
  });
  return count;
}
