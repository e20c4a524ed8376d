import { ErrorCode, PortolanError, type QueueLimits, type Refusal, tryPlace, waitForPlace } from '../../base/index.js';
import { type CallLimits, exceeded } from './call-limits.js';
import { type Heap, heapOfProcess } from './heap-usage.js';
import { type QuotaCounter, QuotaCounters } from './quota-keys.js';

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

/** Admits calls within the limits. Clients take turns at a server, and a busy server does not delay calls to others. */
export class CallGate implements Gate {
  readonly #limits: () => CallLimits;
  readonly #now: () => number;
  readonly #maxWaitMs: number;
  readonly #clients = new QuotaCounters();
  readonly #servers = new QuotaCounters();
  #heap: (() => Heap) | undefined;
  #heapAt = Number.NEGATIVE_INFINITY;
  #isHeapFull = false;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(limits: () => CallLimits, options: CallGateOptions = {}) {
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
  sharedBy(limits: () => CallLimits, launchOf: (server: string) => string): Gate {
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
    limitsOf: () => CallLimits,
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
    const { inFlightPerClient, inFlightPerServer } = limits;
    return (
      tryPlace(client, server, inFlightPerClient, inFlightPerServer) ??
      waitForPlace({
        ...{ client, resource: server, maxWaitMs: this.#maxWaitMs, signal },
        limits: () => queueLimits(limitsOf()),
        error: (why) => this.#refusal(why, keys, limits, signal),
      })
    );
  }

  #refusal(
    why: Refusal,
    { server }: CallQuotaKeys,
    { queue }: CallLimits,
    signal: AbortSignal | undefined,
  ): PortolanError {
    const hint = 'wait until some calls have finished; limits.queue sets the limit';
    switch (why) {
      case 'client-full':
        return exceeded(`this client already has ${queue} calls waiting`, hint);
      case 'resource-full':
        return exceeded(`${server} already has ${queue} calls waiting`, hint);
      case 'too-long':
        return exceeded(
          `the call was queued for ${server} for more than ${this.#maxWaitMs} ms`,
          'the server is busy; try again later',
        );
      case 'cancelled':
        return cancelled(signal);
    }
  }

  #isHeapNearlyFull(heap: () => Heap, now: number): boolean {
    if (now - this.#heapAt < HEAP_SAMPLE_MS) return this.#isHeapFull;
    const { used, limit } = heap();
    this.#heapAt = now;
    this.#isHeapFull = used > limit * MAX_HEAP_SHARE;
    return this.#isHeapFull;
  }

  #sweep({ ratePerMinute }: CallLimits, now: number): void {
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    this.#clients.sweep(ratePerMinute, now);
    this.#servers.sweep(ratePerMinute, now);
  }
}

function queueLimits({ inFlightPerClient, inFlightPerServer, queue }: CallLimits): QueueLimits {
  return { perClient: inFlightPerClient, perResource: inFlightPerServer, waiting: queue };
}

/** Takes a token from both buckets or from neither. */
function checkRate(client: QuotaCounter, server: QuotaCounter, { ratePerMinute }: CallLimits, now: number): void {
  const wait = Math.max(client.rate.wait(ratePerMinute, now), server.rate.wait(ratePerMinute, now));
  if (wait > 0)
    throw exceeded(
      `more than ${ratePerMinute} calls in a minute`,
      `wait ${Math.ceil(wait)} ms; limits.ratePerMinute sets the limit`,
    );
  client.rate.take();
  server.rate.take();
}

function cancelled(signal: AbortSignal | undefined): PortolanError {
  return new PortolanError(ErrorCode.Cancelled, 'the call was cancelled', { cause: signal?.reason });
}
