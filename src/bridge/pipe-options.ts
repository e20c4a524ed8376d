import type { Readable, Writable } from 'node:stream';
import type { Log } from '../base/index.js';
import type { DaemonConnection } from './daemon-connection.js';

export interface PipeOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Another daemon, or what serves in its place, for a client that had one; undefined where there is none to be had. */
  readonly again: (search: ReconnectRequest) => Promise<DaemonConnection | undefined>;
  /** Whether the tools are Portolan's own, of which it is known what they do. */
  readonly hasOwnTools: boolean;
  readonly log: Log;
}

/** What the search for another daemon depends on. */
export interface ReconnectRequest {
  readonly isStopped: () => boolean;
  /** The last search found nothing: one look will do. */
  readonly isLate: boolean;
  /** The lost one kept something for the client. */
  readonly hasLost: boolean;
}
