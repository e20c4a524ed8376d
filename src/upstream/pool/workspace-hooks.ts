import type { AdmittedServer } from '../../policy/index.js';
import type { Connection } from '../connection/connection.js';

/** An open server, as the pool uses it. */
export interface OpenServer {
  readonly connection: Connection;
  readonly pid?: number;
  close(reason?: string): Promise<void>;
}

export interface OpenEvents {
  onNotification(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The server accepted a request whose effect lasts as long as the connection. */
  onAccepted?(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The server asked for roots, so it depends on the workspace. */
  onRootsRequest?(): void;
  onClose(reason: string | undefined): void;
}

/** What the pool needs from a workspace: how it opens servers, and callbacks for their events. */
export interface WorkspaceHooks {
  readonly open: (server: AdmittedServer, events: OpenEvents, signal: AbortSignal) => Promise<OpenServer>;
  readonly idleMs: () => number;
  /** A notification of the server (list changed, resource updated), or one of Portolan about the server. */
  readonly onNotification: (server: AdmittedServer, method: string, params: Readonly<Record<string, unknown>>) => void;
  readonly onRootsRequest?: (server: AdmittedServer) => void;
  /** Called with undefined after a start, or with the reason of a failed start or a connection lost while in use. */
  readonly onStartResult?: (server: AdmittedServer, failure: string | undefined) => void;
}
