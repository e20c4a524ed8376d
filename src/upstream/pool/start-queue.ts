const NEVER = new Promise<void>(() => undefined);

/** Lets a few at a time; the others wait in the order in which they came, but not for one who takes longer than `slowMs`. */
export class StartQueue {
  readonly #atOnce: number;
  readonly #slowMs: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(atOnce: number, slowMs: number) {
    this.#atOnce = atOnce;
    this.#slowMs = slowMs;
  }

  /** Once `hurry` settles, the place in the line does not matter any more: somebody waits for this one. */
  async take<T>(act: () => Promise<T>, hurry: Promise<void> = NEVER): Promise<T> {
    let hasPlace = await this.#place(hurry);
    const giveUpPlace = () => {
      if (hasPlace) this.#passOn();
      hasPlace = false;
    };
    const slow = setTimeout(giveUpPlace, this.#slowMs).unref();
    try {
      return await act();
    } finally {
      clearTimeout(slow);
      giveUpPlace();
    }
  }

  async #place(hurry: Promise<void>): Promise<boolean> {
    if (this.#busy < this.#atOnce) {
      this.#busy += 1;
      return true;
    }
    let mine: () => void = () => undefined;
    const turn = new Promise<boolean>((resolve) => {
      mine = () => resolve(true);
      this.#waiting.push(mine);
    });
    const hasPlace = await Promise.race([turn, hurry.then(() => false)]);
    const at = this.#waiting.indexOf(mine);
    if (at >= 0) this.#waiting.splice(at, 1);
    // Both may have come at once: a place that was given has to be given on.
    return hasPlace || at < 0;
  }

  /** The place goes to the next in line without being free in between. */
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#busy -= 1;
  }
}
