const NEVER = new Promise<void>(() => undefined);

/** Limits concurrent starts to `atOnce`, in order of arrival. A start that takes longer than `slowMs` frees its place. */
export class StartQueue {
  readonly #atOnce: number;
  readonly #slowMs: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(atOnce: number, slowMs: number) {
    this.#atOnce = atOnce;
    this.#slowMs = slowMs;
  }

  /** Runs `act` in turn, or at once when `hurry` resolves because a call needs the server. */
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
    // Both may settle at once: a place that was assigned must be freed later.
    return hasPlace || at < 0;
  }

  /** Hands the place directly to the next in the queue. */
  #passOn(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#busy -= 1;
  }
}
