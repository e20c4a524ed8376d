import { LONGEST_TIMER_MS } from '../../base/index.js';
import { IdTable } from '../../rpc/index.js';

/** How long an answer is waited for. */
export interface AnswerTimeouts {
  /** Without an answer or progress for this long, the call is given up. */
  readonly timeoutMs: number;
  /** Progress does not keep a call alive for longer than this. */
  readonly totalMs: number;
}

/** One who waits for an answer. */
export interface PendingAnswer {
  /** No two who wait have the same. */
  readonly id: number;
  readonly timeouts: AnswerTimeouts;
  /** When it ends, and when it is due before that: the clock's own. */
  ends: number;
  due: number;
  onTimeout(): void;
}

/**
 * Gives up answers that do not come. One timer for all who wait: most calls take a moment, and setting and stopping a
 * timer for each costs more than the look at those that are left when it rings.
 */
export class AnswerDeadlines {
  readonly #waits = new IdTable<PendingAnswer>();
  readonly #keepsAlive: boolean;
  #timer: NodeJS.Timeout | undefined;
  #rings = Number.POSITIVE_INFINITY;
  #spentMs: number | undefined;

  /** Whether the program has nothing else that keeps it alive while somebody waits. */
  constructor(keepsAlive: boolean) {
    this.#keepsAlive = keepsAlive;
  }

  /** Until it is stopped. */
  start(wait: PendingAnswer): void {
    const now = performance.now();
    wait.ends = now + wait.timeouts.totalMs;
    wait.due = dueAfter(wait, now);
    this.#waits.set(wait.id, wait);
    if (wait.due < this.#rings) this.#ringAt(wait.due, now);
    else if (this.#keepsAlive && this.#waits.size === 1) this.#timer?.ref();
  }

  /** A sign of life: it is waited for anew, up to a bound. The timer finds that out when it rings. */
  again(wait: PendingAnswer): void {
    wait.due = dueAfter(wait, performance.now());
  }

  stop(wait: PendingAnswer): void {
    this.#waits.delete(wait.id);
    // A program is kept alive by what is waited for, not by what was.
    if (this.#keepsAlive && this.#waits.size === 0) this.#timer?.unref();
  }

  /** For `onTimeout`, while it is called: the whole time of the one that is given up, if that was used up before its timeouts with silence. */
  get spentMs(): number | undefined {
    return this.#spentMs;
  }

  /** Nobody will wait any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#rings = Number.POSITIVE_INFINITY;
  }

  #ringAt(due: number, now: number): void {
    clearTimeout(this.#timer);
    this.#rings = due;
    // Who is due later than that is looked at again then.
    this.#timer = setTimeout(() => this.#ring(), Math.min(due - now, LONGEST_TIMER_MS));
    if (!this.#keepsAlive) this.#timer.unref();
  }

  #ring(): void {
    const now = performance.now();
    this.#rings = Number.POSITIVE_INFINITY;
    for (const wait of this.#waits.values()) if (wait.due <= now) this.#giveUp(wait);
    let next = Number.POSITIVE_INFINITY;
    for (const { due } of this.#waits.values()) next = Math.min(next, due);
    if (next < this.#rings) this.#ringAt(next, now);
  }

  #giveUp(wait: PendingAnswer): void {
    this.#waits.delete(wait.id);
    const { timeoutMs, totalMs } = wait.timeouts;
    this.#spentMs = wait.due >= wait.ends && totalMs !== timeoutMs ? totalMs : undefined;
    wait.onTimeout();
  }
}

function dueAfter({ timeouts, ends }: PendingAnswer, now: number): number {
  return Math.min(now + timeouts.timeoutMs, ends);
}
