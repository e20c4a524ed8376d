import { FIELDS } from './ranking-weights.js';

/** Averages are rounded to steps of this ratio, so that a small change does not require new impacts. */
const STEP = Math.log(1.04);
const MAX_LENGTH = 255;

/** The number of words in each field of some tools, in one byte each. */
export type FieldLengths = Uint8Array;

/** The average number of words in each field over all tools, updated when tools come and go. */
export class FieldAverages {
  readonly #sums = FIELDS.map(() => 0);
  #tools = 0;

  add(lengths: FieldLengths): void {
    for (let place = 0; place * FIELDS.length < lengths.length; place += 1) this.#count(lengths, place, 1);
  }

  remove(lengths: FieldLengths, place: number): void {
    this.#count(lengths, place, -1);
  }

  /** Does not depend on the order of additions and removals. */
  rounded(): readonly number[] {
    return this.#sums.map((sum) => (sum > 0 ? Math.exp(STEP * Math.round(Math.log(sum / this.#tools) / STEP)) : 1));
  }

  #count(lengths: FieldLengths, place: number, sign: 1 | -1): void {
    this.#tools += sign;
    for (let field = 0; field < FIELDS.length; field += 1)
      this.#sums[field] = (this.#sums[field] ?? 0) + sign * (lengths[place * FIELDS.length + field] ?? 0);
  }
}

/** Adds one word to a field of a tool; a longer field counts as one of 255 words. */
export function countWord(lengths: FieldLengths, place: number, field: number): void {
  const at = place * FIELDS.length + field;
  lengths[at] = Math.min(MAX_LENGTH, (lengths[at] ?? 0) + 1);
}
