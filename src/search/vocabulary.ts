import { stem } from './stem.js';
import { STOP_WORDS } from './stop-words.js';

/** A number for each stem. */
export type TermId = number;

/** What a stop word, and a word past the limit, has for a number. */
export const NO_TERM = -1;

/** Past this a catalogue is more noise than language; what is known by then stays findable. */
const MAX_WORDS = 400_000;
const LONGEST_TYPO = 24;
const SHORTEST_TYPO = 4;
/** From this length on two letters may be wrong. */
const LONG_WORD = 9;
const MAX_CORRECTIONS = 4;

export interface Correction {
  readonly term: TermId;
  readonly word: string;
  readonly edits: number;
}

/** Every word that a tool was described with, and which of them are forms of one. */
export class Vocabulary {
  readonly #terms = new Map<string, TermId>();
  readonly #byWord = new Map<string, TermId>();
  /** Words by their length, since a typo changes it by little. */
  readonly #byLength: WordList[] = Array.from({ length: LONGEST_TYPO + 3 }, () => new WordList());

  /** With the words that it knows before any tool, so that a correct word is not taken for a typo. */
  constructor(words: readonly string[] = []) {
    for (const word of words) this.learn(word);
  }

  get size(): number {
    return this.#terms.size;
  }

  /** The number of a word, given to it if it is new. */
  learn(word: string): TermId {
    const known = this.#byWord.get(word);
    if (known !== undefined) return known;
    if (this.#byWord.size >= MAX_WORDS) return NO_TERM;
    const term = STOP_WORDS.has(word) ? NO_TERM : this.#termOf(stem(word));
    this.#byWord.set(word, term);
    if (term !== NO_TERM && word.length >= SHORTEST_TYPO) this.#byLength[word.length]?.add(word, term);
    return term;
  }

  /** The number of a stem if any form of it was ever learned. */
  findStem(stemmed: string): TermId | undefined {
    return this.#terms.get(stemmed);
  }

  /** The number of a word that was learned as it stands. */
  findWord(word: string): TermId | undefined {
    return this.#byWord.get(word);
  }

  /** Known words that a typo could have made this one from, the nearest first. */
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
  /** Which letters each word has, as bits: one look tells most words apart. */
  #letters = new Uint32Array(16);

  add(word: string, term: TermId): void {
    if (this.#words.length === this.#letters.length) {
      const wider = new Uint32Array(this.#letters.length * 2);
      wider.set(this.#letters);
      this.#letters = wider;
    }
    this.#letters[this.#words.length] = lettersOf(word);
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
  return bits >>> 0;
}

function bitCount(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

const rows = [0, 1, 2].map(() => new Uint8Array(LONGEST_TYPO + 4));

/** Letters to add, drop, change or swap with their neighbour; more than `most` is told as `most + 1`. */
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
