import type { Log } from '../../base/index.js';
import type { Engine, Limits } from '../engine.js';
import { Guest } from './guest.js';

/** Idle interpreters are ended after this time. */
const SPARE_IDLE_MS = 5 * 60_000;
/** Most programs that only print have finished after this time. */
const FILL_MS = 15;

interface Spare {
  readonly guest: Promise<Guest>;
  readonly memoryBytes: number;
  readonly folderBytes: number;
}

/** Interpreters that are started in advance. Each is used for one job or session. */
export class GuestPool implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #spares: Spare[] = [];
  readonly #starting = new Set<Guest>();
  #idle: NodeJS.Timeout | undefined;
  #filling: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(engine: Engine, log: Log) {
    this.#engine = engine;
    this.#log = log;
  }

  /** Returns a guest that is ready. Rejects if none can be started. */
  async take(limits: Limits): Promise<Guest> {
    for (;;) {
      const spare = this.#fitting(limits);
      if (!spare) break;
      const guest = await this.#waiting(spare);
      if (!guest?.alive) continue;
      this.#fillSoon(limits);
      return guest;
    }
    // Start the guest that a job waits for first, because starts in parallel would slow it down.
    const fresh = await this.#start(limits);
    this.#fillSoon(limits);
    return fresh;
  }

  /** Starts the missing interpreters. One that fails is not replaced until the next call. */
  fill(limits: Limits): void {
    if (this.#closed) return;
    while (this.#spares.length < this.#engine.spares) {
      const { memoryBytes, folderBytes } = limits;
      const spare = { guest: this.#start(limits), memoryBytes, folderBytes };
      spare.guest.catch(() => this.#drop(spare));
      this.#spares.push(spare);
    }
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#empty(), SPARE_IDLE_MS);
    this.#idle.unref();
  }

  /** Starts interpreters after a delay, because starting a process blocks the event loop for some milliseconds. */
  #fillSoon(limits: Limits): void {
    clearTimeout(this.#filling);
    this.#filling = setTimeout(() => this.fill(limits), FILL_MS);
    this.#filling.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#filling);
    for (const guest of this.#starting) guest.kill();
    await this.#empty();
  }

  /** A spare is usable only with the same limits, because some engines fix them at the start. */
  #fitting({ memoryBytes, folderBytes }: Limits): Spare | undefined {
    for (const spare of [...this.#spares]) {
      this.#drop(spare);
      if (spare.memoryBytes === memoryBytes && spare.folderBytes === folderBytes) return spare;
      void this.#waiting(spare).then((guest) => guest?.kill());
    }
    return undefined;
  }

  async #waiting(spare: Spare): Promise<Guest | undefined> {
    return spare.guest.catch(() => undefined);
  }

  async #start(limits: Limits): Promise<Guest> {
    const guest = new Guest(await this.#engine.start(limits), this.#engine.startMs, this.#log);
    this.#starting.add(guest);
    try {
      if (this.#closed) guest.kill();
      await guest.ready;
    } catch (error) {
      await guest.end();
      throw error;
    } finally {
      this.#starting.delete(guest);
    }
    return guest;
  }

  #drop(spare: Spare): void {
    const at = this.#spares.indexOf(spare);
    if (at >= 0) this.#spares.splice(at, 1);
  }

  async #empty(): Promise<void> {
    const spares = this.#spares.splice(0);
    await Promise.all(spares.map(async (spare) => (await this.#waiting(spare))?.end()));
  }
}
