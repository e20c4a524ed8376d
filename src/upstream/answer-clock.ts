/** How long an answer is waited for. */
export interface Patience {
  /** Without an answer or progress for this long, the call is given up. */
  readonly timeoutMs: number;
  /** Progress does not keep a call alive for longer than this. */
  readonly totalMs: number;
}

/** One who waits for an answer. */
export interface Wait {
  readonly patience: Patience;
  readonly ranOut: () => void;
  readonly ends: number;
  due: number;
}

/**
 * Gives up answers that do not come. One timer for all who wait: most calls take a moment, and setting and stopping a
 * timer for each costs more than the look at those that are left when it rings.
 */
export class AnswerClock {
  readonly #waits = new Set<Wait>();
  #timer: NodeJS.Timeout | undefined;
  #rings = Number.POSITIVE_INFINITY;

  /** Until it is stopped. */
  start(patience: Patience, ranOut: () => void): Wait {
    const now = performance.now();
    const wait = { patience, ranOut, ends: now + patience.totalMs, due: 0 };
    wait.due = dueAfter(wait, now);
    this.#waits.add(wait);
    if (wait.due < this.#rings) this.#ringAt(wait.due, now);
    return wait;
  }

  /** A sign of life: it is waited for anew, up to a bound. The timer finds that out when it rings. */
  again(wait: Wait): void {
    wait.due = dueAfter(wait, performance.now());
  }

  stop(wait: Wait): void {
    this.#waits.delete(wait);
  }

  #ringAt(due: number, now: number): void {
    clearTimeout(this.#timer);
    this.#rings = due;
    // What it waits for keeps the process alive, not this.
    this.#timer = setTimeout(() => this.#ring(), due - now).unref();
  }

  #ring(): void {
    const now = performance.now();
    this.#rings = Number.POSITIVE_INFINITY;
    for (const wait of this.#waits) if (wait.due <= now) this.#giveUp(wait);
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.#waits) next = Math.min(next, due);
    if (next < this.#rings) this.#ringAt(next, now);
  }

  #giveUp(wait: Wait): void {
    this.#waits.delete(wait);
    wait.ranOut();
  }
}

function dueAfter({ patience, ends }: Wait, now: number): number {
  return Math.min(now + patience.timeoutMs, ends);
}
