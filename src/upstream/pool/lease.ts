import type { Era } from '../../model/index.js';
import type { Connection } from '../connection/connection.js';

/** The right to use a connection. A server with an open lease is not stopped as idle. */
export interface Lease extends Disposable {
  readonly connection: Connection;
}

export interface LeaseOptions {
  readonly signal?: AbortSignal;
  /** `watch` does not keep a server that is no longer configured. `read` waits in the start queue; `inquiry` does not. */
  readonly purpose?: 'call' | 'inquiry' | 'read' | 'watch';
  /** The session of the client, for servers that are not shared. */
  readonly session?: string | undefined;
  /** The protocol era of the client. */
  readonly era?: Era | undefined;
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
