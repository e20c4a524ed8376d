import { exceeded, type Limits } from './call-limits.js';
import { RateBucket } from './rate-bucket.js';

/** A call that waits for its turn. */
export interface Waiter {
  readonly client: QuotaCounter;
  readonly server: QuotaCounter;
  /** The figures of the one who calls, as they are now. */
  readonly limits: () => Limits;
  start(): void;
  refuse(error: Error): void;
}

/** A client or a server, while calls of it run, wait, or count for its rate. */
export interface QuotaCounter {
  readonly rate: RateBucket;
  inFlight: number;
  waiting: number;
  /** Who waits, by the other side of the call, in the order of their turns. The two sides of a line hold the same one. */
  readonly lines: Map<QuotaCounter, Set<Waiter>>;
}

/** More clients or servers at once are no use that anybody has. */
const MAX_PARTIES = 10_000;

/** All clients, or all servers, of which something must be remembered. */
export class QuotaCounters {
  readonly #parties = new Map<string, QuotaCounter>();

  get size(): number {
    return this.#parties.size;
  }

  get(name: string, ratePerMinute: number, now: number): QuotaCounter {
    const known = this.#parties.get(name);
    if (known) return known;
    if (this.#parties.size >= MAX_PARTIES) this.#forget(() => true);
    if (this.#parties.size >= MAX_PARTIES)
      throw exceeded(`more than ${MAX_PARTIES} clients or servers are in use at once`, 'try again later');
    const party: QuotaCounter = { rate: new RateBucket(ratePerMinute, now), inFlight: 0, waiting: 0, lines: new Map() };
    this.#parties.set(name, party);
    return party;
  }

  /** Forgets who has nothing to do and would be let in again as if never seen. */
  sweep(ratePerMinute: number, now: number): void {
    this.#forget(({ rate }) => rate.isFull(ratePerMinute, now));
  }

  #forget(isForgotten: (party: QuotaCounter) => boolean): void {
    for (const [name, party] of this.#parties) {
      if (party.inFlight === 0 && party.waiting === 0 && isForgotten(party)) this.#parties.delete(name);
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
