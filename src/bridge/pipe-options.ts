import type { Readable, Writable } from 'node:stream';
import type { Log } from '../base/index.js';
import type { DaemonConnection } from './daemon-connection.js';

export interface PipeOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Finds another daemon or a gateway in this process. Undefined if there is none. */
  readonly again: (search: ReconnectRequest) => Promise<DaemonConnection | undefined>;
  readonly log: Log;
}

/** Input to the search for another daemon. */
export interface ReconnectRequest {
  readonly isStopped: () => boolean;
  /** Whether the last search failed; then one attempt is enough. */
  readonly isLate: boolean;
  /** Whether the lost daemon kept state for the client. */
  readonly hasLost: boolean;
}
