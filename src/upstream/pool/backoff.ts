/** Maximum of the first wait; it doubles with each further failure. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** Maximum number of starts of one server within the window, whatever their outcome. */
export const START_BUDGET = 10;
export const BUDGET_WINDOW_MS = 5 * 60_000;
/** After this many failures in a row, calls are refused at once instead of waiting. */
const FAILURES_UNTIL_OPEN = 3;
/** A server that ran this long counts as started successfully. */
export const STABLE_MS = 10_000;

/** Whether a server may start now, may start after a wait, or is refused for `ms`. */
export type StartVerdict =
  | { readonly kind: 'start' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'refuse'; readonly ms: number; readonly because: 'failing' | 'budget' };

/** Records the starts of one server and decides when the next one may happen. */
export class Backoff {
  readonly #random: () => number;
  #starts: number[] = [];
  #failures = 0;
  #notBefore = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  ask(now: number): StartVerdict {
    this.#starts = this.#starts.filter((at) => now - at < BUDGET_WINDOW_MS);
    const [oldest] = this.#starts;
    if (oldest !== undefined && this.#starts.length >= START_BUDGET)
      return { kind: 'refuse', ms: oldest + BUDGET_WINDOW_MS - now, because: 'budget' };
    const ms = this.#notBefore - now;
    if (ms <= 0) return { kind: 'start' };
    return this.#failures < FAILURES_UNTIL_OPEN ? { kind: 'wait', ms } : { kind: 'refuse', ms, because: 'failing' };
  }

  started(now: number): void {
    this.#starts.push(now);
  }

  /** An orderly stop: its start does not count against the budget. */
  stopped(): void {
    this.#starts.pop();
    this.succeeded();
  }

  /** Full jitter, so that many gateways do not reconnect to a recovered server at the same moment. */
  failed(now: number): void {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#notBefore = now + this.#random() * longest;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#notBefore = 0;
  }
}
