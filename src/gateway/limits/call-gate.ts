import { setMaxListeners } from 'node:events';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { exceeded, type Limits } from './call-limits.js';
import { type Heap, heapOfProcess } from './heap-usage.js';
import { join, leave, type QuotaCounter, QuotaCounters, type Waiter } from './quota-keys.js';

export interface CallGateOptions {
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
  readonly heap?: () => Heap;
  readonly maxWaitMs?: number;
}

/** Who calls, and whom. */
export interface CallQuotaKeys {
  readonly client: string;
  readonly server: string;
}

/** Where calls wait for their turn. */
export interface Gate {
  /**
   * A turn, at once where there is room, which lasts until it is disposed of; throws or rejects with `LimitExceeded`,
   * or `Cancelled` by the signal.
   */
  enter(who: CallQuotaKeys, signal?: AbortSignal): Disposable | Promise<Disposable>;
}

/** Above this part of the heap the process is about to die, and everybody's calls with it. */
const MAX_HEAP_SHARE = 0.9;
const HEAP_SAMPLE_MS = 100;
/** After a minute every rate is full again. */
const SWEEP_MS = 60_000;
/** No call waits longer for its turn, also where its caller sets no end. */
const MAX_WAIT_MS = 60_000;

class Turn implements Disposable {
  readonly #client: QuotaCounter;
  readonly #server: QuotaCounter;
  #end: ((client: QuotaCounter, server: QuotaCounter) => void) | undefined;

  constructor(client: QuotaCounter, server: QuotaCounter, end: (client: QuotaCounter, server: QuotaCounter) => void) {
    this.#client = client;
    this.#server = server;
    this.#end = end;
  }

  [Symbol.dispose](): void {
    const end = this.#end;
    this.#end = undefined;
    end?.(this.#client, this.#server);
  }
}

/** Lets calls through as the limits allow. Clients take turns at a server, and nobody waits for a server but its own callers. */
export class CallGate implements Gate {
  readonly #limits: () => Limits;
  readonly #now: () => number;
  readonly #maxWaitMs: number;
  readonly #clients = new QuotaCounters();
  readonly #servers = new QuotaCounters();
  #heap: (() => Heap) | undefined;
  #heapAt = Number.NEGATIVE_INFINITY;
  #isHeapFull = false;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(limits: () => Limits, options: CallGateOptions = {}) {
    this.#limits = limits;
    this.#now = options.now ?? (() => performance.now());
    this.#heap = options.heap;
    this.#maxWaitMs = options.maxWaitMs ?? MAX_WAIT_MS;
  }

  /** How many clients and servers are remembered. */
  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  /** The same gate for others, who have figures of their own and may know a server by another name. */
  sharedBy(limits: () => Limits, launchOf: (server: string) => string): Gate {
    return { enter: (who, signal) => this.enter(who, signal, limits, launchOf(who.server)) };
  }

  enter(
    who: CallQuotaKeys,
    signal?: AbortSignal,
    limitsOf = this.#limits,
    launch = who.server,
  ): Disposable | Promise<Disposable> {
    // What tells of the heap is loaded with the first call, because the start has no use for it.
    if (!this.#heap) return this.#readHeap().then(() => this.enter(who, signal, limitsOf, launch));
    return this.#enter(who, signal, limitsOf, launch, this.#heap);
  }

  async #readHeap(): Promise<void> {
    this.#heap ??= await heapOfProcess();
  }

  #enter(
    who: CallQuotaKeys,
    signal: AbortSignal | undefined,
    limitsOf: () => Limits,
    launch: string,
    heap: () => Heap,
  ): Disposable | Promise<Disposable> {
    if (signal?.aborted) throw cancelled(signal);
    const limits = limitsOf();
    const now = this.#now();
    if (this.#isHeapNearlyFull(heap, now))
      throw exceeded('Portolan is nearly out of memory', 'try again in a moment, with fewer calls at once');
    this.#sweep(limits, now);
    const client = this.#clients.get(who.client, limits.ratePerMinute, now);
    const server = this.#servers.get(launch, limits.ratePerMinute, now);
    checkRate(client, server, limits, now);
    const turn = new Turn(client, server, this.#left);
    if (hasRoom(client, server, limits) && !server.lines.has(client)) {
      begin(client, server);
      return turn;
    }
    makeRoom(client, server, who, limits);
    return this.#turn({ client, server, limits: limitsOf }, who, signal).then(() => turn);
  }

  #turn(party: Omit<Waiter, 'start' | 'refuse'>, { server: name }: CallQuotaKeys, signal?: AbortSignal): Promise<void> {
    const { client, server } = party;
    return new Promise((resolve, reject) => {
      const end = () => {
        leave(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        ...party,
        start: () => {
          end();
          begin(client, server);
          resolve();
        },
        refuse: (error) => {
          end();
          reject(error);
        },
      };
      const onAbort = () => waiter.refuse(cancelled(signal));
      const waited = `the call waited ${this.#maxWaitMs} ms for its turn at ${name}`;
      const tooLong = () => waiter.refuse(exceeded(waited, 'the server is busy: try again later'));
      const timer = setTimeout(tooLong, this.#maxWaitMs).unref();
      // A program that makes many calls has one signal for all, which Node would take for a leak.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener('abort', onAbort);
      join(waiter);
      // The limits may have been raised since the last call ended.
      this.#advance(server);
    });
  }

  readonly #left = (client: QuotaCounter, server: QuotaCounter): void => {
    client.inFlight -= 1;
    server.inFlight -= 1;
    if (server.waiting > 0) this.#advance(server);
    if (client.waiting > 0) this.#advance(client);
  };

  /** Starts who can be started of those who wait for one party, one of each line in turn. */
  #advance(party: QuotaCounter): void {
    for (const [other, line] of party.lines) {
      const [waiter] = line;
      // Passed over: this side has no room as this one counts, or the other side has none; the next line's may have.
      if (!waiter || !hasRoom(waiter.client, waiter.server, waiter.limits())) continue;
      // To the end of the map, where this loop comes by again if there is still room.
      party.lines.delete(other);
      party.lines.set(other, line);
      waiter.start();
    }
  }

  #isHeapNearlyFull(heap: () => Heap, now: number): boolean {
    if (now - this.#heapAt < HEAP_SAMPLE_MS) return this.#isHeapFull;
    const { used, limit } = heap();
    this.#heapAt = now;
    this.#isHeapFull = used > limit * MAX_HEAP_SHARE;
    return this.#isHeapFull;
  }

  #sweep({ ratePerMinute }: Limits, now: number): void {
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    this.#clients.sweep(ratePerMinute, now);
    this.#servers.sweep(ratePerMinute, now);
  }
}

function hasRoom(
  client: QuotaCounter,
  server: QuotaCounter,
  { inFlightPerClient, inFlightPerServer }: Limits,
): boolean {
  return client.inFlight < inFlightPerClient && server.inFlight < inFlightPerServer;
}

function begin(client: QuotaCounter, server: QuotaCounter): void {
  client.inFlight += 1;
  server.inFlight += 1;
}

/** Takes from both or from none. */
function checkRate(client: QuotaCounter, server: QuotaCounter, { ratePerMinute }: Limits, now: number): void {
  const wait = Math.max(client.rate.wait(ratePerMinute, now), server.rate.wait(ratePerMinute, now));
  if (wait > 0)
    throw exceeded(
      `more than ${ratePerMinute} calls in a minute`,
      `wait ${Math.ceil(wait)} ms; limits.ratePerMinute sets the limit`,
    );
  client.rate.take();
  server.rate.take();
}

/** A full queue is shared alike: who has more calls in it than the one who comes loses his newest. */
function makeRoom(client: QuotaCounter, server: QuotaCounter, who: CallQuotaKeys, { queue }: Limits): void {
  const hint = 'wait for some of your calls; limits.queue sets the limit';
  if (client.waiting >= queue) throw exceeded(`${queue} calls of this client are waiting already`, hint);
  if (server.waiting < queue) return;
  const full = exceeded(`${queue} calls are waiting for ${who.server} already`, hint);
  const own = server.lines.get(client)?.size ?? 0;
  const longest = [...server.lines.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set<Waiter>());
  const newest = [...longest].at(-1);
  if (!newest || longest.size <= own + 1) throw full;
  newest.refuse(full);
}

function cancelled(signal: AbortSignal | undefined): PortolanError {
  return new PortolanError(ErrorCode.Cancelled, 'the call was cancelled', { cause: signal?.reason });
}
