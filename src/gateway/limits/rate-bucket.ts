const MINUTE_MS = 60_000;

/** A token bucket: as many calls at once as a minute allows, and then as fast as it fills again. */
export class RateBucket {
  #tokens: number;
  #at: number;

  constructor(ratePerMinute: number, now: number) {
    this.#tokens = ratePerMinute;
    this.#at = now;
  }

  /** How long until there is a token, in milliseconds: 0 if there is one. */
  wait(ratePerMinute: number, now: number): number {
    this.#fill(ratePerMinute, now);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) * MINUTE_MS) / ratePerMinute;
  }

  take(): void {
    this.#tokens -= 1;
  }

  /** A full bucket is like a new one, and need not be remembered. */
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
