/** A Prometheus histogram: each bucket counts the calls that took at most `seconds`. */
export interface Durations {
  readonly buckets: readonly { readonly seconds: number; readonly count: number }[];
  readonly sum: number;
  readonly count: number;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;
/** More than the number of error codes; further codes are counted as `OTHER`. */
const MAX_CODES = 64;
const OTHER = 'OTHER';

/** Counts calls, errors by code and durations since the start. It keeps nothing of the calls' content. */
export class CallMetrics {
  readonly #errors = new Map<string, number>();
  readonly #buckets: number[] = BUCKETS.map(() => 0);
  #count = 0;
  #sum = 0;

  record({ outcome, durationMs }: { readonly outcome: string; readonly durationMs: number }): void {
    const seconds = durationMs / 1_000;
    this.#count += 1;
    this.#sum += seconds;
    const at = BUCKETS.findIndex((most) => seconds <= most);
    if (at >= 0) this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
    if (outcome === 'ok') return;
    const code = this.#errors.has(outcome) || this.#errors.size < MAX_CODES ? outcome : OTHER;
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
  }

  /** The number of failed calls by error code. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  get durations(): Durations {
    let sum = 0;
    const buckets = BUCKETS.map((seconds, at) => {
      sum += this.#buckets[at] ?? 0;
      return { seconds, count: sum };
    });
    return { buckets, sum: this.#sum, count: this.#count };
  }
}
