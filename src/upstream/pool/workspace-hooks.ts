import { type Era, NOT_RESTORED, type SupportedEras } from '../../model/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { NotRestored } from '../../rpc/index.js';
import type { Connection } from '../connection/connection.js';

/** An open server, as the pool uses it. */
export interface OpenServer {
  readonly connection: Connection;
  readonly pid?: number;
  /** The era in which it was initialized. */
  readonly era?: Era;
  readonly eras?: SupportedEras;
  close(reason?: string): Promise<void>;
}

export interface OpenEvents {
  onNotification(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The server accepted a request whose effect lasts as long as the connection. */
  onAccepted?(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The server asked for roots, so it depends on the workspace. */
  onRootsRequest?(): void;
  /** The server sent a sampling or elicitation request. */
  onClientRequest?(): void;
  /** The process of the server runs; its handshake is not complete. */
  onProcess?(pid: number): void;
  onClose(reason: string | undefined): void;
}

/** What the pool needs from a workspace: how it opens servers, and callbacks for their events. */
export interface WorkspaceHooks {
  /** `wanted` is the era to use if the server supports both. */
  readonly open: (server: AdmittedServer, events: OpenEvents, signal: AbortSignal, wanted?: Era) => Promise<OpenServer>;
  readonly idleMs: () => number;
  /** A notification of the server (list changed, resource updated), or one of Portolan about the server. */
  readonly onNotification: (
    server: AdmittedServer,
    method: string,
    params: Readonly<Record<string, unknown>>,
    era?: Era,
  ) => void;
  readonly onRootsRequest?: (server: AdmittedServer) => void;
  /** The server sent its first sampling or elicitation request. */
  readonly onClientRequest?: (server: AdmittedServer) => void;
  /** Called with undefined after a start, or with the reason of a failed start or a connection lost while in use. */
  readonly onStartResult?: (server: AdmittedServer, failure: string | undefined) => void;
}

/** Reports the subscriptions that were lost to a workspace. */
export function notifyLost(
  server: AdmittedServer,
  { onNotification }: WorkspaceHooks,
  lost: readonly NotRestored[],
): void {
  for (const { uri, why } of lost) if (uri !== undefined) onNotification(server, NOT_RESTORED, { uri, why });
}
