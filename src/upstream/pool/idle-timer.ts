import { LONGEST_TIMER_MS } from '../../base/index.js';

/**
 * Calls back when a server was not used for a while. A use only records the time and the timer checks it when it fires,
 * which saves restarting a timer with every call.
 */
export class IdleTimer {
  readonly #idle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #waitMs = 0;
  #usedAt = 0;

  constructor(idle: () => void) {
    this.#idle = idle;
  }

  /** Records a use; the callback runs after `waitMs` without another one. */
  used(waitMs: number): void {
    this.#usedAt = performance.now();
    if (this.#timer && waitMs === this.#waitMs) return;
    this.#waitMs = waitMs;
    this.#ringIn(waitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #ringIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ring(), Math.min(ms, LONGEST_TIMER_MS)).unref();
  }

  #ring(): void {
    const left = this.#usedAt + this.#waitMs - performance.now();
    if (left > 0) {
      this.#ringIn(Math.ceil(left));
      return;
    }
    this.#timer = undefined;
    this.#idle();
  }
}
