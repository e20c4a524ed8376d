import { RunQueue } from './run-queue.js';

const MAX_WAITING = 64;
const WAIT_MS = 30_000;

/** Turns for everybody, of which no client has more than half: whoever sends endless programs waits for its own. */
export class FairRunQueue {
  readonly #all: RunQueue;
  readonly #each: number;
  readonly #clients = new Map<string, RunQueue>();

  constructor(atOnce: number) {
    this.#all = new RunQueue(atOnce, MAX_WAITING, WAIT_MS);
    this.#each = Math.max(1, Math.floor(atOnce / 2));
  }

  /** Resolves to what gives the turn back; undefined if the caller went away meanwhile. */
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

  /** Who has nothing running is nobody we have to know. */
  #tidy(client: string, own: RunQueue): void {
    if (own.idle && this.#clients.get(client) === own) this.#clients.delete(client);
  }
}
