// Our own JSON-RPC: loading the SDK costs more memory than the whole gateway may use, and its stdio reader takes quadratic time in
// the length of a line (docs/decisions/0008).
import type { Answer, Channel, ChannelListener } from './channel.js';
import { type Id, type Incoming, type Params, RpcCode, type RpcFault, tooLarge } from './message.js';

/** An error response, received or to be sent. */
export class RpcError extends Error {
  readonly fault: RpcFault;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.fault = { code, message, ...(data !== undefined && { data }) };
  }
}

/** The connection was closed before the response arrived. */
export class ChannelClosed extends Error {
  override readonly name: string = 'ChannelClosed';
}

/** The request was not delivered; the connection may still work. */
export class Undelivered extends ChannelClosed {}

/** The response exceeded the size limit and was dropped. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  readonly bytes: number;

  constructor(bytes: number) {
    super(`an answer of ${bytes} bytes`);
    this.bytes = bytes;
  }
}

export interface PeerHandlers {
  /**
   * Returns the response, or undefined for no response. An `RpcError` is sent as it is; any other exception as an
   * internal error.
   */
  request(request: { readonly id: Id; readonly method: string; readonly params: Params }): Promise<Answer | undefined>;
  notification(method: string, params: Params): void;
  /** Called for data that is not a JSON-RPC message. `answer` sends an error response, `skip` ignores the data. */
  onInvalidMessage(fault: RpcFault): 'answer' | 'skip';
  closed(reason: Error | undefined): void;
  /** An exception that no caller would see. */
  fault(error: unknown): void;
}

/** Data sent with a request beside its parameters. */
interface RequestExtras {
  readonly about?: Id | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly text?: string | undefined;
}
const NOTHING: RequestExtras = {};

/** More than a peer that reads its responses ever leaves unread. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;

export type RpcResult = Extract<Incoming, { kind: 'result' }>;

/**
 * A caller that waits for a response. Exactly one of the methods is called, once; `reject` with `RpcError`,
 * `ChannelClosed` or `AnswerTooLarge`.
 */
export interface Pending {
  resolve(result: RpcResult): void;
  reject(error: Error): void;
}

/** One end of a JSON-RPC connection: sends requests, matches their responses, and answers the requests of the peer. */
export class Peer {
  readonly #channel: Channel;
  readonly #handlers: PeerHandlers;
  readonly #pending = new Map<Id, Pending>();
  #nextId: number;
  /** The number of requests from the peer without a response yet. */
  #open = 0;
  #closed = false;

  /** The ids of our requests count up from `firstId`. */
  constructor(channel: Channel, handlers: PeerHandlers, firstId = 0) {
    this.#channel = channel;
    this.#handlers = handlers;
    this.#nextId = firstId;
    channel.start({
      message: (message) => this.#receive(message),
      overlong: (line) => this.#overlong(line),
      undelivered: (id, reason) => this.#take(id)?.reject(new Undelivered(reason.message, { cause: reason })),
      onClose: (reason) => this.#end(reason),
    });
  }

  get backlogBytes(): number {
    return this.#channel.backlogBytes;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** The promise rejects with the errors of `Pending`. To stop waiting, call `forget`. */
  request(
    method: string,
    params: Params,
    beside: RequestExtras = NOTHING,
  ): { readonly id: Id; readonly answer: Promise<RpcResult> } {
    const id = this.nextId();
    const answer = new Promise<RpcResult>((resolve, reject) =>
      this.ask(id, { resolve, reject }, method, params, beside),
    );
    return { id, answer };
  }

  /** Reserves the id of a request before it is sent. */
  nextId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** Like `request`, for a caller that needs no promise. */
  ask(id: number, pending: Pending, method: string, params: Params, { about, headers, text }: RequestExtras): void {
    if (this.#closed) {
      pending.reject(new ChannelClosed('the connection is closed'));
      return;
    }
    this.#pending.set(id, pending);
    // Without other pending requests no further message is about to follow.
    const isLast = this.#pending.size === 1;
    try {
      this.#channel.send({ kind: 'request', id, method, params, text, about, headers }, isLast);
    } catch (error) {
      this.forget(id, error instanceof Error ? error : new Error(String(error))); // nothing was sent, so no response will arrive
    }
  }

  /** A later response is dropped. */
  forget(id: Id, reason: Error): void {
    this.#take(id)?.reject(reason);
  }

  notify(method: string, params?: Params, about?: Id): void {
    this.#channel.send({ kind: 'notification', method, params, ...(about !== undefined && { about }) });
  }

  get carriesHeaders(): boolean {
    return this.#channel.carriesHeaders === true;
  }

  setRevision(version: string): void {
    this.#channel.setRevision?.(version);
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  #receive(message: Incoming): void {
    switch (message.kind) {
      case 'request':
        // Buffered responses are the only memory that a peer can fill without limit, so a peer that sends requests and
        // never reads is disconnected.
        if (this.#channel.backlogBytes > MAX_UNREAD_BYTES) void this.#channel.close();
        else void this.#answer(message);
        return;
      case 'notification':
        this.#guarded(() => this.#handlers.notification(message.method, message.params));
        return;
      case 'result':
        this.#take(message.id)?.resolve(message);
        return;
      case 'fault': {
        const { code, message: text, data } = message.fault;
        if (message.id !== undefined) this.#take(message.id)?.reject(new RpcError(code, text, data));
        return;
      }
      case 'invalid':
        this.#unreadable(message);
        return;
    }
  }

  /** Skips or answers an invalid message. If it is a response, its pending request is rejected. */
  #unreadable({ id, fault, isAnswer, mayAnswer }: Extract<Incoming, { kind: 'invalid' }>): void {
    const isHeard = this.#handlers.onInvalidMessage(fault) === 'answer';
    const pending = (isAnswer || mayAnswer) && id !== undefined ? this.#take(id) : undefined;
    pending?.reject(new RpcError(fault.code, `its answer cannot be read: ${fault.message}`));
    if (!pending && !isAnswer && isHeard) this.#channel.send({ kind: 'fault', id: id ?? null, fault });
  }

  async #answer(request: Extract<Incoming, { kind: 'request' }>): Promise<void> {
    const { id } = request;
    this.#open += 1;
    try {
      const answer = await this.#handlers.request(request);
      if (answer) this.#channel.send({ kind: 'result', id, answer }, this.#open === 1);
    } catch (error) {
      if (!(error instanceof RpcError)) this.#handlers.fault(error);
      const fault =
        error instanceof RpcError ? error.fault : { code: RpcCode.internalError, message: 'internal error' };
      this.#channel.send({ kind: 'fault', id, fault });
    } finally {
      this.#open -= 1;
    }
  }

  /**
   * Rejects the matching request. An oversized response without a readable id would leave a request hanging, so the
   * connection is closed.
   */
  #overlong({ bytes, id, isRequest = false }: Parameters<ChannelListener['overlong']>[0]): void {
    // A request of the peer may have the same id as one of ours.
    const pending = id === undefined || isRequest ? undefined : this.#take(id);
    if (pending) {
      pending.reject(new AnswerTooLarge(bytes));
      return;
    }
    const fault = tooLarge(bytes);
    const isHeard = this.#handlers.onInvalidMessage(fault) === 'answer';
    // A request needs a response even if invalid messages are skipped.
    const isAsked = isRequest && id !== undefined;
    if (isAsked || (isHeard && id === undefined)) this.#channel.send({ kind: 'fault', id: id ?? null, fault });
    else if (!isHeard && !isRequest && id === undefined && this.#pending.size > 0) void this.#channel.close();
  }

  #take(id: Id): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #end(reason: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of waiting) pending.reject(new ChannelClosed('the connection was lost', { cause: reason }));
    this.#guarded(() => this.#handlers.closed(reason));
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#handlers.fault(error);
    }
  }
}
