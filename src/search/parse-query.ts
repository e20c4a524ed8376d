import { WEIGHTS } from './ranking-weights.js';
import { stem } from './stem.js';
import { REQUEST_WORDS, STOP_WORDS } from './stop-words.js';
import { synonymsOf } from './synonyms.js';
import { eachWord } from './tokenize.js';
import { NO_TERM, type TermId, type Vocabulary } from './vocabulary.js';

export interface QueryWord {
  readonly weight: number;
  /** Bit n is set if the word is in clause n. */
  readonly clauses: number;
  /** The word itself with factor 1 if any tool has it, then its synonyms or corrections with smaller factors. */
  readonly terms: readonly { readonly term: TermId; readonly factor: number }[];
}

export interface ParsedQuery {
  readonly words: readonly QueryWord[];
  /** Zero for a query that is one request. */
  readonly clauseCount: number;
}

const MAX_NEEDS = 12;
const MAX_NEED_CHARACTERS = 2_000;
const MAX_QUERY_WORDS = 64;
/** Finding similar words is slow. */
const MAX_CORRECTED = 8;
/** A correction of a shorter word counts less, because a short word is similar to many others. */
const LONG_WORD = 6;
const MIN_WORDS_TO_SPLIT = 8;
const MIN_CLAUSE_WORDS = 2;
const MAX_CLAUSES = 12;
const CLAUSE_BORDER =
  /[.;?!]+(?=\s|$)|\n|,(?=\s)|(?<![\p{L}\p{N}])(?:and|then|also|but|next|finally|afterwards|additionally|furthermore|moreover|as well as|after that|plus)(?![\p{L}\p{N}])/giu;

/** Reads a query: each word once, with the terms that meet it and the clauses in which it stands. */
export function parseQuery(query: string, vocabulary: Vocabulary): ParsedQuery {
  const clauses = clausesIn(query);
  const words = new Map<string, { weight: number; clauses: number; readonly terms: QueryWord['terms'] }>();
  let toCorrect = MAX_CORRECTED;
  eachWord(query, (word, start) => {
    if (STOP_WORDS.has(word)) return;
    const stemmed = stem(word);
    const clause = clauses.findIndex(({ from, to }) => start >= from && start < to);
    const bit = clause < 0 ? 0 : 1 << clause;
    const known = words.get(stemmed);
    if (known) known.clauses |= bit;
    else if (words.size < MAX_QUERY_WORDS) {
      const isKnown = vocabulary.findStem(stemmed) !== undefined;
      if (!isKnown) toCorrect -= 1;
      const terms = termsOf(word, stemmed, vocabulary, !isKnown && toCorrect >= 0);
      words.set(stemmed, { weight: REQUEST_WORDS.has(word) ? WEIGHTS.request : 1, clauses: bit, terms });
    }
  });
  return { words: [...words.values()], clauseCount: clauses.length };
}

/** The needs of a query: the entries of a list, or the lines of a text. */
export function needsIn(query: string | readonly string[]): readonly string[] {
  return (typeof query === 'string' ? query.split('\n') : query)
    .map((need) => need.slice(0, MAX_NEED_CHARACTERS).trim())
    .filter((need) => need !== '')
    .slice(0, MAX_NEEDS);
}

/** Whether a query of one line has the clauses of several needs. */
export function namesSeveralNeeds(query: string | readonly string[]): boolean {
  const [only = '', ...others] = needsIn(query);
  return others.length === 0 && clausesIn(only).length > 1;
}

function termsOf(word: string, stemmed: string, vocabulary: Vocabulary, correct: boolean): QueryWord['terms'] {
  const terms = new Map<TermId, number>();
  const add = (term: TermId | undefined, factor: number): void => {
    if (term !== undefined && term !== NO_TERM && (terms.get(term) ?? 0) < factor) terms.set(term, factor);
  };
  const addSynonyms = (of: string, factor: number): void => {
    for (const other of synonymsOf(of)) add(vocabulary.findStem(other), factor * WEIGHTS.synonym);
  };
  add(vocabulary.findStem(stemmed), 1);
  addSynonyms(stemmed, 1);
  for (const correction of correct ? vocabulary.corrections(word) : []) {
    const factor = (word.length < LONG_WORD ? WEIGHTS.typoShort : WEIGHTS.typo) / correction.edits;
    add(correction.term, factor);
    addSynonyms(stem(correction.word), factor);
  }
  return [...terms].map(([term, factor]) => ({ term, factor })).sort((a, b) => b.factor - a.factor);
}

interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The parts of a long query that could be met by different tools; none if there are fewer than two. */
function clausesIn(query: string): readonly TextRange[] {
  if (query.split(/\s+/, MIN_WORDS_TO_SPLIT).length < MIN_WORDS_TO_SPLIT) return [];
  const pieces: TextRange[] = [];
  let from = 0;
  for (const { index, 0: border } of query.matchAll(CLAUSE_BORDER)) {
    pieces.push({ from, to: index });
    from = index + border.length;
  }
  pieces.push({ from, to: query.length });
  const clauses = pieces.filter((piece) => contentWords(query.slice(piece.from, piece.to)) >= MIN_CLAUSE_WORDS);
  return clauses.length < 2 ? [] : clauses.slice(0, MAX_CLAUSES);
}

function contentWords(text: string): number {
  const words = new Set<string>();
  eachWord(text, (word) => {
    if (!STOP_WORDS.has(word) && !REQUEST_WORDS.has(word)) words.add(word);
  });
  return words.size;
}
