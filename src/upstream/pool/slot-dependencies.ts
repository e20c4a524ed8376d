import type { Log } from '../../base/index.js';
import type { Era } from '../../model/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { StartQueue } from './start-queue.js';
import type { WorkspaceHooks } from './workspace-hooks.js';

export interface ServerStatus {
  readonly state: 'connected' | 'starting' | 'disconnected';
  /** Why the connection was lost or the start failed; cleared by the next successful start. */
  readonly error?: string;
  /** Of a server that is starting: the duration of the start so far. */
  readonly startingForMs?: number;
  readonly pid?: number;
  /** The protocol era in which it was initialized. */
  readonly era?: Era;
}

/** Dependencies that all slots of the pool share. `S` is the slot, which this file cannot import. */
export interface SlotDependencies<S> {
  readonly log: Log;
  readonly now: () => number;
  readonly random: (() => number) | undefined;
  readonly ending: AbortSignal;
  /** The start queue: local programs compete for CPU time while they start. */
  readonly turnsFor: (server: AdmittedServer) => StartQueue;
  /** False once the server was removed from the configuration: it then stops as soon as it has no user. */
  readonly isKept: (slot: S) => boolean;
  readonly onRootsRequest: (slot: S, hooks: WorkspaceHooks) => void;
  /** A connection was opened, or sent its first request to a client: from now on other clients may use it, or fewer. */
  readonly onChange: () => void;
  /** Whether another process of the same server, in the other era, is open. */
  readonly hasOpenTwin: (slot: S) => boolean;
  /** Whether it is a second process that turned out to run in the same era as the first. */
  readonly isSpare: (slot: S) => boolean;
}
