/** How long an answer is waited for. */
export interface Patience {
  /** Without an answer or progress for this long, the call is given up. */
  readonly timeoutMs: number;
  /** Progress does not keep a call alive for longer than this. */
  readonly totalMs: number;
}

/** Runs until an answer comes: each sign of life winds it up again, up to a bound. Made for every call, so without closures. */
export class AnswerClock {
  readonly #patience: Patience;
  readonly #ends: number;
  readonly #ranOut: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(patience: Patience, ranOut: () => void) {
    const now = performance.now();
    this.#patience = patience;
    this.#ends = now + patience.totalMs;
    this.#ranOut = ranOut;
    this.#timer = this.#wound(now);
  }

  /** A sign of life. */
  again(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = this.#wound(performance.now());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wound(now: number): NodeJS.Timeout {
    return setTimeout(this.#ranOut, Math.max(0, Math.min(this.#patience.timeoutMs, this.#ends - now)));
  }
}
