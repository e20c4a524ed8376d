import { LastingRequests, type NotRestored } from '../../rpc/index.js';
import type { Connection } from '../connection/connection.js';

/** A server that does not take a request back by then has lost it. */
const RESTORE_MS = 10_000;

/** What clients asked one server for that lasts as long as its connection: the log level, and the resources that they watch. */
export class StandingRequests {
  readonly #lasting = new LastingRequests();
  readonly #report: (lost: readonly NotRestored[]) => void;
  #isReported = false;
  #timer: NodeJS.Timeout | undefined;

  /** `report` hears what the server does not do any more. */
  constructor(report: (lost: readonly NotRestored[]) => void) {
    this.#report = report;
  }

  note(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#lasting.note(method, params);
  }

  get hasSubscriptions(): boolean {
    return this.#lasting.hasSubscriptions;
  }

  /** Asks a new connection for everything, before anything else is asked of it. */
  restore(connection: Connection): void {
    const time = { timeoutMs: RESTORE_MS, totalMs: RESTORE_MS };
    this.#isReported = false;
    void this.#lasting
      .restore((method, params) => connection.request(method, params, time))
      .then((lost) => {
        if (lost.length > 0) this.#report(lost);
      });
  }

  /** Opens the server again after a delay, because those who watch make no calls. Reported once until it succeeds. */
  openSoon(delayMs: number, open: () => Promise<unknown>, failed: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      open().catch((error: unknown) => {
        if (!this.#isReported) this.#report(this.#lasting.without(error));
        this.#isReported = true;
        failed();
      });
    }, delayMs).unref();
  }

  /** The subscriptions, for those who have lost them for good. */
  lost(why: string): readonly NotRestored[] {
    return this.#lasting.without(why);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
