import type { Connection } from '../connection/connection.js';

/** The right to use a connection. Who holds one keeps the server from being stopped. */
export interface Lease extends Disposable {
  readonly connection: Connection;
}

/** Gives back once, however often it is disposed of. */
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
