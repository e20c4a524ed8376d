import { RunQueue } from './run-queue.js';

const MAX_WAITING = 64;
const WAIT_MS = 30_000;

/**
 * A queue in which no client holds more than half of the slots; a client that submits many programs waits for its own.
 */
export class FairRunQueue {
  readonly #all: RunQueue;
  readonly #each: number;
  readonly #clients = new Map<string, RunQueue>();

  constructor(atOnce: number) {
    this.#all = new RunQueue(atOnce, MAX_WAITING, WAIT_MS);
    this.#each = Math.max(1, Math.floor(atOnce / 2));
  }

  /** Resolves to a handle that releases the slot, or to undefined if the caller cancelled. */
  async take(client: string, signal: AbortSignal): Promise<Disposable | undefined> {
    const own = this.#clients.get(client) ?? new RunQueue(this.#each, MAX_WAITING, WAIT_MS);
    this.#clients.set(client, own);
    const share = await own.take(signal).finally(() => this.#tidy(client, own));
    if (!share) return undefined;
    const giveBack = () => {
      share[Symbol.dispose]();
      this.#tidy(client, own);
    };
    try {
      const turn = await this.#all.take(signal);
      if (!turn) {
        giveBack();
        return undefined;
      }
      return {
        [Symbol.dispose]: () => {
          turn[Symbol.dispose]();
          giveBack();
        },
      };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Drops clients that have no running job. */
  #tidy(client: string, own: RunQueue): void {
    if (own.idle && this.#clients.get(client) === own) this.#clients.delete(client);
  }
}
