import { LastingRequests, type NotRestored } from '../../rpc/index.js';
import type { Connection } from '../connection/connection.js';

/** Timeout for restoring a request. */
const RESTORE_MS = 10_000;

/** Requests whose effect lasts as long as the connection (log level, resource subscriptions), restored after a reconnect. */
export class StandingRequests {
  readonly #lasting = new LastingRequests();
  readonly #report: (lost: readonly NotRestored[]) => void;
  #isReported = false;
  #timer: NodeJS.Timeout | undefined;

  /** `report` is called with the requests that could not be restored. */
  constructor(report: (lost: readonly NotRestored[]) => void) {
    this.#report = report;
  }

  note(method: string, params: Readonly<Record<string, unknown>>): void {
    this.#lasting.note(method, params);
  }

  get hasSubscriptions(): boolean {
    return this.#lasting.hasSubscriptions;
  }

  /** Sends all requests to a new connection, before any other request. */
  restore(connection: Connection): void {
    const time = { timeoutMs: RESTORE_MS, totalMs: RESTORE_MS };
    this.#isReported = false;
    void this.#lasting
      .restore((method, params) => connection.request(method, params, time))
      .then((lost) => {
        if (lost.length > 0) this.#report(lost);
      });
  }

  /** Reopens the server after a delay. A failure is reported once until a start succeeds. */
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

  /** The subscriptions as lost, with the reason. */
  lost(why: string): readonly NotRestored[] {
    return this.#lasting.without(why);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
