import { newCounter, tryPlace, waitForPlace } from '../../base/index.js';

/** Limits concurrent starts to `atOnce`, in order of arrival. A start that takes longer than `slowMs` frees its place. */
export class StartQueue {
  readonly #atOnce: number;
  readonly #slowMs: number;
  readonly #client = newCounter();
  readonly #starts = newCounter();

  constructor(atOnce: number, slowMs: number) {
    this.#atOnce = atOnce;
    this.#slowMs = slowMs;
  }

  /** Runs `act` in turn, or at once when `urgent` resolves because a call needs the server. */
  async take<T>(act: () => Promise<T>, urgent?: Promise<void>): Promise<T> {
    const place = await this.#place(urgent);
    const slow = setTimeout(() => place?.[Symbol.dispose](), this.#slowMs).unref();
    try {
      return await act();
    } finally {
      clearTimeout(slow);
      place?.[Symbol.dispose]();
    }
  }

  async #place(urgent: Promise<void> | undefined): Promise<Disposable | undefined> {
    const place = tryPlace(this.#client, this.#starts, this.#atOnce, this.#atOnce);
    if (place) return place;
    const skipWait = new AbortController();
    void urgent?.then(() => skipWait.abort());
    const limits = { perClient: this.#atOnce, perResource: this.#atOnce, waiting: Number.POSITIVE_INFINITY };
    return waitForPlace({
      ...{ client: this.#client, resource: this.#starts, limits: () => limits, signal: skipWait.signal },
      error: (why) => new Error(why),
    }).catch(() => undefined);
  }
}
