/** Lets a few at a time; the others wait in the order in which they came. */
export class Turns {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async take<T>(act: () => Promise<T>): Promise<T> {
    if (this.#busy >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    try {
      return await act();
    } finally {
      // The place goes to the next in line without being free in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy -= 1;
    }
  }
}
