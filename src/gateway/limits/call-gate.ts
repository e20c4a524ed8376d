import { setMaxListeners } from 'node:events';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { exceeded, type Limits } from './call-limits.js';
import { type Heap, heapOfProcess } from './heap-usage.js';
import { join, leave, type QuotaCounter, QuotaCounters, type Waiter } from './quota-keys.js';

export interface CallGateOptions {
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  readonly heap?: () => Heap;
  readonly maxWaitMs?: number;
}

/** The client and the server of a call, each with its own quota. */
export interface CallQuotaKeys {
  readonly client: string;
  readonly server: string;
}

/** The queue in which calls wait for their turn. */
export interface Gate {
  /**
   * Returns a turn, without a promise if there is room; the turn ends when it is disposed of. Throws or rejects with
   * `LimitExceeded`, or with `Cancelled` if the signal aborts.
   */
  enter(keys: CallQuotaKeys, signal?: AbortSignal): Disposable | Promise<Disposable>;
}

/** Above this share of the heap new calls are refused: running out of memory would fail every client's calls. */
const MAX_HEAP_SHARE = 0.9;
const HEAP_SAMPLE_MS = 100;
/** After a minute every rate bucket is full again, so idle counters can be dropped. */
const SWEEP_MS = 60_000;
/** The longest wait for a turn, also if the caller sets no timeout. */
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

/** Admits calls within the limits. Clients take turns at a server, and a busy server does not delay calls to others. */
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

  /** The number of client and server counters in memory. */
  get size(): number {
    return this.#clients.size + this.#servers.size;
  }

  /** The same gate for another workspace, which has its own limits and may know a server by another name. */
  sharedBy(limits: () => Limits, launchOf: (server: string) => string): Gate {
    return { enter: (keys, signal) => this.enter(keys, signal, limits, launchOf(keys.server)) };
  }

  enter(
    keys: CallQuotaKeys,
    signal?: AbortSignal,
    limitsOf = this.#limits,
    launch = keys.server,
  ): Disposable | Promise<Disposable> {
    // `node:v8` is loaded on the first call, because the start does not need it.
    if (!this.#heap) return this.#readHeap().then(() => this.enter(keys, signal, limitsOf, launch));
    return this.#enter(keys, signal, limitsOf, launch, this.#heap);
  }

  async #readHeap(): Promise<void> {
    this.#heap ??= await heapOfProcess();
  }

  #enter(
    keys: CallQuotaKeys,
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
    const client = this.#clients.get(keys.client, limits.ratePerMinute, now);
    const server = this.#servers.get(launch, limits.ratePerMinute, now);
    checkRate(client, server, limits, now);
    const turn = new Turn(client, server, this.#end);
    if (hasRoom(client, server, limits) && !server.lines.has(client)) {
      begin(client, server);
      return turn;
    }
    makeRoom(client, server, keys, limits);
    return this.#waitForTurn({ client, server, limits: limitsOf }, keys, signal).then(() => turn);
  }

  #waitForTurn(
    sides: Omit<Waiter, 'start' | 'refuse'>,
    { server: name }: CallQuotaKeys,
    signal?: AbortSignal,
  ): Promise<void> {
    const { client, server } = sides;
    return new Promise((resolve, reject) => {
      const end = () => {
        leave(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        ...sides,
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
      const waited = `the call was queued for ${name} for more than ${this.#maxWaitMs} ms`;
      const tooLong = () => waiter.refuse(exceeded(waited, 'the server is busy; try again later'));
      const timer = setTimeout(tooLong, this.#maxWaitMs).unref();
      // A program's calls share one signal; without this Node would warn of a listener leak.
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener('abort', onAbort);
      join(waiter);
      // The limits may have been raised since the last call ended.
      this.#advance(server);
    });
  }

  readonly #end = (client: QuotaCounter, server: QuotaCounter): void => {
    client.inFlight -= 1;
    server.inFlight -= 1;
    if (server.waiting > 0) this.#advance(server);
    if (client.waiting > 0) this.#advance(client);
  };

  /** Starts waiting calls of one client or server, one from each queue in turn, while there is room. */
  #advance(counter: QuotaCounter): void {
    for (const [other, line] of counter.lines) {
      const [waiter] = line;
      // Skip: this call's limits leave no room on one of its two sides, but the next queue's call may still start.
      if (!waiter || !hasRoom(waiter.client, waiter.server, waiter.limits())) continue;
      // Moved to the end of the map, where this loop reaches it again if there is still room.
      counter.lines.delete(other);
      counter.lines.set(other, line);
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

/** Takes a token from both buckets or from neither. */
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

/** Shares a full queue fairly: the client with the most waiting calls loses its newest one to a client with fewer. */
function makeRoom(client: QuotaCounter, server: QuotaCounter, keys: CallQuotaKeys, { queue }: Limits): void {
  const hint = 'wait until some calls have finished; limits.queue sets the limit';
  if (client.waiting >= queue) throw exceeded(`this client already has ${queue} calls waiting`, hint);
  if (server.waiting < queue) return;
  const full = exceeded(`${keys.server} already has ${queue} calls waiting`, hint);
  const own = server.lines.get(client)?.size ?? 0;
  const longest = [...server.lines.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set<Waiter>());
  const newest = [...longest].at(-1);
  if (!newest || longest.size <= own + 1) throw full;
  newest.refuse(full);
}

function cancelled(signal: AbortSignal | undefined): PortolanError {
  return new PortolanError(ErrorCode.Cancelled, 'the call was cancelled', { cause: signal?.reason });
}
