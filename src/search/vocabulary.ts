import { stem } from './stem.js';
import { STOP_WORDS } from './stop-words.js';

/** A number for each stem. */
export type TermId = number;

/** Returned for a stop word and for a new word past the limit. */
export const NO_TERM = -1;

/** Words beyond this are not learned; those learned before stay searchable. */
const MAX_WORDS = 400_000;
const LONGEST_TYPO = 24;
const SHORTEST_TYPO = 4;
/** A word of at least this length may have two wrong letters. */
const LONG_WORD = 9;
const MAX_CORRECTIONS = 4;

export interface Correction {
  readonly term: TermId;
  readonly word: string;
  readonly edits: number;
}

/** Every word of every tool, with the number of its stem. */
export class Vocabulary {
  readonly #terms = new Map<string, TermId>();
  readonly #byWord = new Map<string, TermId>();
  /** By length, because a typo changes the length by two at most. */
  readonly #byLength: WordList[] = Array.from({ length: LONGEST_TYPO + 3 }, () => new WordList());

  /** `words` are known before any tool is added, so that they are not taken for typos. */
  constructor(words: readonly string[] = []) {
    for (const word of words) this.learn(word);
  }

  /** The number of a word's stem; a new stem gets the next number. */
  learn(word: string): TermId {
    const known = this.#byWord.get(word);
    if (known !== undefined) return known;
    if (this.#byWord.size >= MAX_WORDS) return NO_TERM;
    const term = STOP_WORDS.has(word) ? NO_TERM : this.#termOf(stem(word));
    this.#byWord.set(word, term);
    if (term !== NO_TERM && word.length >= SHORTEST_TYPO) this.#byLength[word.length]?.add(word, term);
    return term;
  }

  /** The number of a stem, if a word with this stem was learned. */
  findStem(stemmed: string): TermId | undefined {
    return this.#terms.get(stemmed);
  }

  /** The number of a word's stem, if this very word was learned. */
  findWord(word: string): TermId | undefined {
    return this.#byWord.get(word);
  }

  /** Known words from which this one differs by a typo, the nearest first. */
  corrections(word: string): readonly Correction[] {
    if (word.length < SHORTEST_TYPO || word.length > LONGEST_TYPO) return [];
    const most = word.length >= LONG_WORD ? 2 : 1;
    const best = new Map<TermId, Correction>();
    for (let length = word.length - most; length <= word.length + most; length += 1) {
      this.#byLength[length]?.eachNear(word, most, (found) => {
        if (found.edits < (best.get(found.term)?.edits ?? most + 1)) best.set(found.term, found);
      });
    }
    return [...best.values()].sort((a, b) => a.edits - b.edits || a.term - b.term).slice(0, MAX_CORRECTIONS);
  }

  #termOf(stemmed: string): TermId {
    const known = this.#terms.get(stemmed);
    if (known !== undefined) return known;
    const term = this.#terms.size;
    this.#terms.set(stemmed, term);
    return term;
  }
}

/** Words of one length. */
class WordList {
  readonly #words: string[] = [];
  readonly #terms: TermId[] = [];
  /** The letters of each word as bits: comparing these rules out most words. */
  readonly #letters: number[] = [];

  add(word: string, term: TermId): void {
    this.#letters.push(lettersOf(word));
    this.#words.push(word);
    this.#terms.push(term);
  }

  eachNear(word: string, most: number, emit: (found: Correction) => void): void {
    const letters = lettersOf(word);
    for (let n = 0; n < this.#words.length; n += 1) {
      if (bitCount((this.#letters[n] ?? 0) ^ letters) > 2 * most) continue;
      const known = this.#words[n] ?? '';
      const edits = editsBetween(word, known, most);
      if (edits <= most) emit({ term: this.#terms[n] ?? NO_TERM, word: known, edits });
    }
  }
}

function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits;
}

function bitCount(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

const rows = [0, 1, 2].map(() => new Uint8Array(LONGEST_TYPO + 4));

/** The number of letters to add, drop, change or swap with their neighbour; `most + 1` if it is more than `most`. */
export function editsBetween(a: string, b: string, most: number): number {
  let [before, last, row] = rows;
  if (!before || !last || !row) return most + 1;
  for (let j = 0; j <= b.length; j += 1) last[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    row[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min((last[j - 1] ?? 0) + (same ? 0 : 1), (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const swapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return most + 1;
    [before, last, row] = [last, row, before];
  }
  return Math.min(last[b.length] ?? most + 1, most + 1);
}
