import type { Connection } from '../connection/connection.js';

/** The right to use a connection. A server with an open lease is not stopped as idle. */
export interface Lease extends Disposable {
  readonly connection: Connection;
}

/** Releases once, however often it is disposed. */
export class ConnectionLease implements Lease {
  readonly connection: Connection;
  #release: (() => void) | undefined;

  constructor(connection: Connection, release: () => void) {
    this.connection = connection;
    this.#release = release;
  }

  [Symbol.dispose](): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }
}
