import { newCounter, type QueueCounter } from '../../base/index.js';
import { exceeded } from './call-limits.js';
import { RateBucket } from './rate-bucket.js';

/** The counters of one client or one server. */
export interface QuotaCounter extends QueueCounter {
  readonly rate: RateBucket;
}

/** A limit on memory; no real use has this many clients or servers at once. */
const MAX_COUNTERS = 10_000;

/** The counters of all clients, or of all servers. */
export class QuotaCounters {
  readonly #counters = new Map<string, QuotaCounter>();

  get size(): number {
    return this.#counters.size;
  }

  get(name: string, ratePerMinute: number, now: number): QuotaCounter {
    const known = this.#counters.get(name);
    if (known) return known;
    if (this.#counters.size >= MAX_COUNTERS) this.#forget(() => true);
    if (this.#counters.size >= MAX_COUNTERS)
      throw exceeded(`more than ${MAX_COUNTERS} clients or servers are active at once`, 'try again later');
    const counter: QuotaCounter = { ...newCounter(), rate: new RateBucket(ratePerMinute, now) };
    this.#counters.set(name, counter);
    return counter;
  }

  /** Drops idle counters with a full bucket, because a new counter would be the same. */
  sweep(ratePerMinute: number, now: number): void {
    this.#forget(({ rate }) => rate.isFull(ratePerMinute, now));
  }

  #forget(isForgotten: (counter: QuotaCounter) => boolean): void {
    for (const [name, counter] of this.#counters) {
      if (counter.inFlight === 0 && counter.waiting === 0 && isForgotten(counter)) this.#counters.delete(name);
    }
  }
}
