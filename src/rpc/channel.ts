import type { Id, Incoming, Params, RpcFault } from './message.js';

/** A message to be sent. A result is a value, or JSON already: one line, for everybody. `about` is the request that caused it, for roads that keep requests apart. */
export type Outgoing =
  | {
      readonly kind: 'request';
      readonly id: Id;
      readonly method: string;
      readonly params: Params;
      /** The parameters as JSON of one line, for roads that write it themselves; who has no use for it takes the others. */
      readonly text?: string | undefined;
      readonly about?: Id | undefined;
      /** Said beside the message, on roads where that is possible. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params; readonly about?: Id }
  | { readonly kind: 'result'; readonly id: Id; readonly answer: Answer }
  | { readonly kind: 'fault'; readonly id: Id | null; readonly fault: RpcFault };

export type Answer = { readonly value: unknown } | { readonly json: string | Buffer };

export interface ChannelListener {
  message(message: Incoming): void;
  /** A message went by that was too large to keep; an answer, unless it is said to be a request. */
  overlong(line: { readonly bytes: number; readonly id: Id | undefined; readonly isRequest?: boolean }): void;
  /** A request could not be delivered; others may be. */
  undelivered(id: Id, reason: Error): void;
  /** Called once, whoever closed it. */
  onClose(reason: Error | undefined): void;
}

/** A two-way road for messages: a pair of pipes, a socket, HTTP. */
export interface Channel {
  start(listener: ChannelListener): void;
  /** With `isLast` nothing else is about to be sent: a road that gathers messages need not wait for more. */
  send(message: Outgoing, isLast?: boolean): void;
  close(): Promise<void>;
  /** Both sides have agreed on a revision, which some roads name in every request. */
  agreed?(version: string): void;
  /** Whether something can be said beside a message. */
  readonly carriesHeaders?: boolean;
  /** The other end lives in this program: nothing of the road keeps it alive while an answer is waited for. */
  readonly isInProcess?: boolean;
  /** What was sent and has not left yet. */
  readonly backlogBytes: number;
}

/** The message as an object, for roads that write it themselves: what is undefined in it is not written. */
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
