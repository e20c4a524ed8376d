import type { AdmittedServer } from '../../policy/index.js';
import type { Connection } from '../connection/connection.js';

/** An open server, as the pool needs to know it. */
export interface OpenServer {
  readonly connection: Connection;
  readonly pid?: number;
  close(reason?: string): Promise<void>;
}

export interface OpenEvents {
  onNotification(method: string, params: Readonly<Record<string, unknown>>): void;
  /** It does what it was asked for, until the connection ends. */
  onAccepted?(method: string, params: Readonly<Record<string, unknown>>): void;
  /** It wants to know where its client works, so that clients who work elsewhere need another. */
  onRootsRequest?(): void;
  onClose(reason: string | undefined): void;
}

/** One who has servers started: a workspace, with the surroundings of its client. */
export interface WorkspaceHooks {
  readonly open: (server: AdmittedServer, events: OpenEvents, signal: AbortSignal) => Promise<OpenServer>;
  readonly idleMs: () => number;
  /** What a server says unasked: a list of it changed, a resource was updated; and what we say of it, under names of our own. */
  readonly onNotification: (server: AdmittedServer, method: string, params: Readonly<Record<string, unknown>>) => void;
  readonly onRootsRequest?: (server: AdmittedServer) => void;
  /** It has started; or it could not, or was lost while somebody used it, and why. */
  readonly onStartResult?: (server: AdmittedServer, failure: string | undefined) => void;
}
