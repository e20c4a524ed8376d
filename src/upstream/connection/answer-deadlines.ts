import { LONGEST_TIMER_MS } from '../../base/index.js';

/** The time limits of a request. */
export interface AnswerTimeouts {
  /** The request fails after this time without an answer or progress. */
  readonly timeoutMs: number;
  /** The request fails after this time even if there is progress. */
  readonly totalMs: number;
}

/** A request that waits for its answer. */
export interface PendingAnswer {
  /** Unique among the pending requests. */
  readonly id: number;
  readonly timeouts: AnswerTimeouts;
  /** The total deadline, and the next deadline without progress. Only `AnswerDeadlines` sets them. */
  ends: number;
  due: number;
  onTimeout(): void;
}

/**
 * Times out requests. All pending requests share one timer: most calls are short, and starting and stopping a timer for
 * each costs more than checking the remaining ones when the timer fires.
 */
export class AnswerDeadlines {
  readonly #waits = new Map<number, PendingAnswer>();
  readonly #keepsAlive: boolean;
  #timer: NodeJS.Timeout | undefined;
  #rings = Number.POSITIVE_INFINITY;
  #spentMs: number | undefined;

  /** `keepsAlive`: whether the timer must keep the process alive while a request is pending. */
  constructor(keepsAlive: boolean) {
    this.#keepsAlive = keepsAlive;
  }

  /** Watches the request until `stop`. */
  start(wait: PendingAnswer): void {
    const now = performance.now();
    wait.ends = now + wait.timeouts.totalMs;
    wait.due = dueAfter(wait, now);
    this.#waits.set(wait.id, wait);
    if (wait.due < this.#rings) this.#ringAt(wait.due, now);
    else if (this.#keepsAlive && this.#waits.size === 1) this.#timer?.ref();
  }

  /** Extends the deadline after progress, up to the total limit. The timer checks it when it fires. */
  again(wait: PendingAnswer): void {
    wait.due = dueAfter(wait, performance.now());
  }

  stop(wait: PendingAnswer): void {
    this.#waits.delete(wait.id);
    // The timer must not keep the process alive without pending requests.
    if (this.#keepsAlive && this.#waits.size === 0) this.#timer?.unref();
  }

  /** During `onTimeout`: the total limit, if that was reached and not `timeoutMs`. */
  get spentMs(): number | undefined {
    return this.#spentMs;
  }

  /** Stops the timer when the connection closes. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#rings = Number.POSITIVE_INFINITY;
  }

  #ringAt(due: number, now: number): void {
    clearTimeout(this.#timer);
    this.#rings = due;
    // A delay over the timer maximum is split: the timer fires early and is set again.
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
