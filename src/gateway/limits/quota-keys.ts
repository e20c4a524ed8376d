import { exceeded, type Limits } from './call-limits.js';
import { RateBucket } from './rate-bucket.js';

/** A call that waits for its turn. */
export interface Waiter {
  readonly client: QuotaCounter;
  readonly server: QuotaCounter;
  /** The current limits of the caller. */
  readonly limits: () => Limits;
  start(): void;
  refuse(error: Error): void;
}

/** The counters of one client or one server. */
export interface QuotaCounter {
  readonly rate: RateBucket;
  inFlight: number;
  waiting: number;
  /** The waiting calls by the other side of the call, in the order of their turns. Both sides share a queue. */
  readonly lines: Map<QuotaCounter, Set<Waiter>>;
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
    const counter: QuotaCounter = {
      rate: new RateBucket(ratePerMinute, now),
      inFlight: 0,
      waiting: 0,
      lines: new Map(),
    };
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

export function join(waiter: Waiter): void {
  const { client, server } = waiter;
  const line = client.lines.get(server) ?? new Set();
  line.add(waiter);
  client.lines.set(server, line);
  server.lines.set(client, line);
  client.waiting += 1;
  server.waiting += 1;
}

export function leave(waiter: Waiter): void {
  const { client, server } = waiter;
  const line = client.lines.get(server);
  if (!line?.delete(waiter)) return;
  client.waiting -= 1;
  server.waiting -= 1;
  if (line.size > 0) return;
  client.lines.delete(server);
  server.lines.delete(client);
}
