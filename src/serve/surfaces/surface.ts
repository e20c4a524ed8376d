import type { Conversation, Era } from '../../model/index.js';
import type { Answer, Params } from '../../rpc/index.js';

/** A notification in the words of a face. */
export interface SurfaceNotification {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The resource that it is about, for a notice that only its subscribers are to see. */
  readonly about?: string;
}

/** What a client is told when it comes. */
export interface Introduction {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions?: string;
}

export interface SurfaceRequest {
  readonly method: string;
  readonly params: NonNullable<Params>;
  readonly era: Era;
  readonly conversation: Conversation;
  /** Who alone may go on with what this request begins. */
  readonly principal: string;
}

/** What a client sees of the servers: a few tools that reach them all, or their own tools. */
export interface Surface {
  introduction(): Promise<Introduction>;
  /** Undefined for a method that it does not have. */
  answer(request: SurfaceRequest): Promise<Answer> | undefined;
  /** A client is gone: nothing is kept for it any more. */
  onClientLeft?(caller: string): void;
  /** What a tool takes, as far as it is known without asking anybody. */
  inputSchemaOf?(name: string): unknown;
  /** What a server said unasked, as a client of this face understands it; undefined where it is none of its business. */
  translate(server: string, notice: SurfaceNotification): SurfaceNotification | undefined;
}
