import type { Conversation, Era } from '../../model/index.js';
import type { Answer, Params } from '../../rpc/index.js';

/** A notification in the form that a surface sends to clients. */
export interface SurfaceNotification {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The resource whose subscribers get the notification; omitted for all clients. */
  readonly about?: string;
}

/** The capabilities and instructions for a new client. */
export interface Introduction {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions?: string;
}

export interface SurfaceRequest {
  readonly method: string;
  readonly params: NonNullable<Params>;
  readonly era: Era;
  readonly conversation: Conversation;
  /** The identity that alone may continue a call which this request starts. */
  readonly principal: string;
}

/** The view that a client gets of the servers: the meta-tools, or the servers' own tools. */
export interface Surface {
  /** The gateway's own tools that change nothing. The client's bridge may repeat a call of them at another daemon. */
  readonly readOnlyTools?: readonly string[];
  /** `era` is that of the client that is introduced to it. */
  introduction(era: Era): Promise<Introduction>;
  /** Undefined for an unsupported method. */
  answer(request: SurfaceRequest): Promise<Answer> | undefined;
  /** Drops all state of a disconnected client. */
  onClientLeft?(caller: string): void;
  /** The cached input schema of a tool. */
  inputSchemaOf?(name: string): unknown;
  /** Converts a server's notification for clients of this surface; undefined if it does not concern them. */
  translate(server: string, notice: SurfaceNotification): SurfaceNotification | undefined;
}
