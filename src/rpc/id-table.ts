import type { Id } from './message.js';

const FEWEST_PLACES = 64;
/** A larger table is given back when nothing is left in it. */
const MOST_PLACES_KEPT = 4_096;

/**
 * What is open under an id, and soon is not any more. A `Map` lays out a new table every few dozen entries, and what its
 * old ones held is kept alive by them until the whole heap is swept; here places are only filled and emptied. A busy
 * gateway spends a sixth less processor time for it (docs/decisions/0020).
 */
export class IdTable<T extends NonNullable<unknown>> {
  /** A number is at its home, or at the next free place after it. */
  #ids: (number | undefined)[] = [];
  #values: (T | undefined)[] = [];
  #mask = 0;
  #shift = 0;
  #numbered = 0;
  /** Nobody knows it: no numbers can be chosen that all have the same home. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0;
  /** Few clients number their requests with texts, fractions or larger numbers. */
  readonly #others = new Map<Id, T>();

  constructor() {
    this.#layOut(FEWEST_PLACES);
  }

  get size(): number {
    return this.#numbered + this.#others.size;
  }

  get(id: Id): T | undefined {
    return hasPlace(id) ? this.#values[this.#placeOf(id)] : this.#others.get(id);
  }

  set(id: Id, value: T): void {
    if (!hasPlace(id)) {
      this.#others.set(id, value);
      return;
    }
    // At most half full, so that a free place is near.
    if (this.#numbered * 2 > this.#mask) this.#layOut(this.#values.length * 2);
    const place = this.#placeOf(id);
    if (this.#values[place] === undefined) this.#numbered += 1;
    this.#ids[place] = id;
    this.#values[place] = value;
  }

  delete(id: Id): void {
    if (!hasPlace(id)) {
      this.#others.delete(id);
      return;
    }
    const place = this.#placeOf(id);
    if (this.#values[place] === undefined) return;
    this.#empty(place);
    this.#numbered -= 1;
    if (this.#numbered === 0 && this.#values.length > MOST_PLACES_KEPT) this.#layOut(FEWEST_PLACES);
  }

  clear(): void {
    this.#others.clear();
    this.#numbered = 0;
    this.#values = [];
    this.#layOut(FEWEST_PLACES);
  }

  /** All that is open now, in no order. */
  values(): T[] {
    const open = [...this.#others.values()];
    if (this.#numbered > 0) for (const value of this.#values) if (value !== undefined) open.push(value);
    return open;
  }

  /** Whether it holds for any that is open now; the others are not gathered for it. */
  some(test: (value: T) => boolean): boolean {
    if (this.#numbered > 0) for (const value of this.#values) if (value !== undefined && test(value)) return true;
    for (const value of this.#others.values()) if (test(value)) return true;
    return false;
  }

  /** Where it is, or would be. */
  #placeOf(id: number): number {
    let place = this.#homeOf(id);
    while (this.#values[place] !== undefined && this.#ids[place] !== id) place = (place + 1) & this.#mask;
    return place;
  }

  /**
   * Every bit of the number has a say (the finishing steps of MurmurHash3). One multiplication is not enough: where a client
   * counts in steps, some factors put all its numbers side by side, and whoever leaves has to look past them all.
   */
  #homeOf(id: number): number {
    let mixed = id ^ this.#seed;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> this.#shift;
  }

  /** Who had to go on because of this one comes back, so that nobody is looked for beyond a gap. */
  #empty(place: number): void {
    let gap = place;
    for (let at = (gap + 1) & this.#mask; this.#values[at] !== undefined; at = (at + 1) & this.#mask) {
      const id = this.#ids[at] ?? 0;
      const home = this.#homeOf(id);
      // Whoever is at home behind the gap is found without crossing it.
      if (((at - home) & this.#mask) < ((at - gap) & this.#mask)) continue;
      this.#ids[gap] = id;
      this.#values[gap] = this.#values[at];
      gap = at;
    }
    this.#ids[gap] = undefined;
    this.#values[gap] = undefined;
  }

  #layOut(places: number): void {
    const [ids, values] = [this.#ids, this.#values];
    this.#ids = new Array(places).fill(undefined);
    this.#values = new Array(places).fill(undefined);
    this.#mask = places - 1;
    this.#shift = Math.clz32(this.#mask);
    for (const [at, value] of values.entries()) {
      if (value === undefined) continue;
      const place = this.#placeOf(ids[at] ?? 0);
      this.#ids[place] = ids[at];
      this.#values[place] = value;
    }
  }
}

/** A whole number of 32 bits, as everybody counts. */
function hasPlace(id: Id): id is number {
  return typeof id === 'number' && (id | 0) === id;
}
