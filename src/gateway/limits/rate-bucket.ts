const MINUTE_MS = 60_000;

/** A token bucket that holds one minute of calls and refills at that rate. */
export class RateBucket {
  #tokens: number;
  #at: number;

  constructor(ratePerMinute: number, now: number) {
    this.#tokens = ratePerMinute;
    this.#at = now;
  }

  /** The milliseconds until a token is available; 0 if one is. */
  wait(ratePerMinute: number, now: number): number {
    this.#fill(ratePerMinute, now);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) * MINUTE_MS) / ratePerMinute;
  }

  take(): void {
    this.#tokens -= 1;
  }

  /** A full bucket equals a new one, so it can be dropped. */
  isFull(ratePerMinute: number, now: number): boolean {
    this.#fill(ratePerMinute, now);
    return this.#tokens >= ratePerMinute;
  }

  #fill(ratePerMinute: number, now: number): void {
    const elapsed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(ratePerMinute, this.#tokens + (elapsed * ratePerMinute) / MINUTE_MS);
    this.#at = now;
  }
}
