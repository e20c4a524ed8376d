import type { Id, Incoming, Params, RpcFault } from './message.js';

/**
 * A message to send. A result is a value, or its JSON on one line. `about` is the id of the request that caused the
 * message, for channels with one stream per request.
 */
export type Outgoing =
  | {
      readonly kind: 'request';
      readonly id: Id;
      readonly method: string;
      readonly params: Params;
      /** The parameters as JSON on one line, so that a channel need not serialize `params` again. */
      readonly text?: string | undefined;
      readonly about?: Id | undefined;
      /** HTTP headers to send with the message, on channels that have headers. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params; readonly about?: Id }
  | { readonly kind: 'result'; readonly id: Id; readonly answer: Answer }
  | { readonly kind: 'fault'; readonly id: Id | null; readonly fault: RpcFault };

export type Answer = { readonly value: unknown } | { readonly json: string | Buffer };

export interface ChannelListener {
  message(message: Incoming): void;
  /** A message was too large and was dropped. It is a response unless `isRequest` is set. */
  overlong(line: { readonly bytes: number; readonly id: Id | undefined; readonly isRequest?: boolean }): void;
  /** A request could not be delivered. Other requests are not affected. */
  undelivered(id: Id, reason: Error): void;
  /** Called once, also after our own `close`. */
  onClose(reason: Error | undefined): void;
}

/** A bidirectional message channel over pipes, a socket or HTTP. */
export interface Channel {
  start(listener: ChannelListener): void;
  /** `isLast`: no further message follows soon, so a channel that collects messages sends this one at once. */
  send(message: Outgoing, isLast?: boolean): void;
  close(): Promise<void>;
  /** Called with the negotiated protocol revision, which HTTP repeats in every request. */
  setRevision?(version: string): void;
  /** Whether the channel can send headers with a message. */
  readonly carriesHeaders?: boolean;
  /** The peer is in this process, so no socket or pipe keeps the process alive while a response is pending. */
  readonly isInProcess?: boolean;
  /** The number of bytes that were sent and are still buffered. */
  readonly backlogBytes: number;
}

/** The message as an object, for channels that serialize it themselves. Undefined fields are not serialized. */
export function toObject(message: Outgoing): Record<string, unknown> {
  switch (message.kind) {
    case 'request':
      return { jsonrpc: '2.0', id: message.id, method: message.method, params: message.params };
    case 'notification':
      return { jsonrpc: '2.0', method: message.method, params: message.params };
    case 'result': {
      const { answer } = message;
      const result: unknown = 'json' in answer ? JSON.parse(answer.json.toString()) : answer.value;
      return { jsonrpc: '2.0', id: message.id, result };
    }
    case 'fault':
      return { jsonrpc: '2.0', id: message.id, error: message.fault };
  }
}
