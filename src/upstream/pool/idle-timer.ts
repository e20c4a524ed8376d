import { LONGEST_TIMER_MS } from '../../base/index.js';

/**
 * Rings when something has not been used for a while. It runs on while it is used, and finds that out when it rings:
 * every call would stop one timer and start the next.
 */
export class IdleTimer {
  readonly #idle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #waitMs = 0;
  #usedAt = 0;

  constructor(idle: () => void) {
    this.#idle = idle;
  }

  /** It was used just now, and may be idle for this long. */
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
