import {
  ErrorCode,
  newCounter,
  PortolanError,
  type QueueCounter,
  type QueueLimits,
  tryPlace,
  waitForPlace,
} from '../../base/index.js';

const MAX_WAITING = 64;
const WAIT_MS = 30_000;
const CANCELLED = new Error('cancelled');

/** Runs a limited number of programs at once, in total and for each client, and the rest in order. */
export class RunQueue {
  readonly #limits: QueueLimits;
  readonly #waitMs: number;
  readonly #all = newCounter();
  readonly #clients = new Map<string, QueueCounter>();

  constructor(limits: QueueLimits, waitMs: number) {
    this.#limits = limits;
    this.#waitMs = waitMs;
  }

  get idle(): boolean {
    return this.#clients.size === 0;
  }

  /**
   * Resolves to a handle that releases the slot, or to undefined if the caller cancelled. Rejects if the queue is full or
   * the wait too long.
   */
  async take(client: string, signal: AbortSignal): Promise<Disposable | undefined> {
    if (signal.aborted) return undefined;
    const counter = this.#clients.get(client) ?? newCounter();
    this.#clients.set(client, counter);
    const { perClient, perResource } = this.#limits;
    try {
      const place =
        tryPlace(counter, this.#all, perClient, perResource) ??
        (await waitForPlace({
          ...{ client: counter, resource: this.#all, limits: () => this.#limits, maxWaitMs: this.#waitMs, signal },
          error: (why) => (why === 'cancelled' ? CANCELLED : busy()),
        }));
      return {
        [Symbol.dispose]: () => {
          place[Symbol.dispose]();
          this.#tidy(client, counter);
        },
      };
    } catch (error) {
      this.#tidy(client, counter);
      if (error === CANCELLED) return undefined;
      throw error;
    }
  }

  /** Drops clients that have no running job. */
  #tidy(client: string, counter: QueueCounter): void {
    if (counter.inFlight === 0 && counter.waiting === 0 && this.#clients.get(client) === counter)
      this.#clients.delete(client);
  }
}

/** A queue in which no client holds more than half of the slots, so that others need not wait for its programs. */
export function runQueue(atOnce: number): RunQueue {
  const perClient = Math.max(1, Math.floor(atOnce / 2));
  return new RunQueue({ perClient, perResource: atOnce, waiting: MAX_WAITING }, WAIT_MS);
}

function busy(): PortolanError {
  return new PortolanError(ErrorCode.LimitExceeded, 'too many programs are running in the sandbox', {
    hint: 'retry when one of them has finished',
  });
}
