/** The first wait is up to this, each further one up to twice the one before. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** No server is started more often than this within the window, whatever happens to it. */
export const START_BUDGET = 10;
export const BUDGET_WINDOW_MS = 5 * 60_000;
/** After this many failures in a row nobody waits any more: a call is refused at once until the wait is over. */
const FAILURES_UNTIL_OPEN = 3;
/** A server that lived this long was not a failed start. */
export const STABLE_MS = 10_000;

/** Whether a server may be started now: at once, after a wait, or not before a time. */
export type StartVerdict =
  | { readonly kind: 'start' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'refuse'; readonly ms: number; readonly because: 'failing' | 'budget' };

/** Remembers how the starts of one server went, and says when the next may be. */
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

  /** It was stopped in order, which says nothing against starting it again. */
  stopped(): void {
    this.#starts.pop();
    this.succeeded();
  }

  /** Full jitter: many gateways whose server came back must not all knock in the same moment. */
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
