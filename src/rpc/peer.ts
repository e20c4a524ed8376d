import type { Answer, Channel, ChannelListener } from './channel.js';
import { type Id, type Incoming, type Params, RpcCode, type RpcFault, tooLarge } from './message.js';

/** An answer that is an error, from the other side or for it. */
export class RpcError extends Error {
  readonly fault: RpcFault;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.fault = { code, message, ...(data !== undefined && { data }) };
  }
}

/** The other side is gone, and with it the answer. */
export class ChannelClosed extends Error {
  override readonly name: string = 'ChannelClosed';
}

/** The request did not arrive; the connection may be whole. */
export class Undelivered extends ChannelClosed {}

/** The answer came and was too large to keep. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
  readonly bytes: number;

  constructor(bytes: number) {
    super(`an answer of ${bytes} bytes`);
    this.bytes = bytes;
  }
}

export interface PeerHandlers {
  /** Gives the answer, nothing where none is wanted any more, or throws an `RpcError`; anything else that is thrown is told to the other side as a fault of ours. */
  request(request: { readonly id: Id; readonly method: string; readonly params: Params }): Promise<Answer | undefined>;
  notification(method: string, params: Params): void;
  /** What came was no message. With an answer, the other side learns of it. */
  noise(fault: RpcFault): 'answer' | 'skip';
  closed(reason: Error | undefined): void;
  /** An exception that no caller will see. */
  fault(error: unknown): void;
}

/** What may be said of a request beside its parameters. */
interface Beside {
  readonly about?: Id | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly text?: string | undefined;
}
const NOTHING: Beside = {};

/** More than any side leaves unread that means to read. */
const MAX_UNREAD_BYTES = 128 * 1024 * 1024;

export type RpcResult = Extract<Incoming, { kind: 'result' }>;

/** Who waits for an answer: one of the two is called, once, with `RpcError`, `ChannelClosed` or `AnswerTooLarge` where there is none. */
export interface Pending {
  resolve(result: RpcResult): void;
  reject(error: Error): void;
}

/** One end of a JSON-RPC connection: sends requests and finds their answers, answers the requests of the other end. */
export class Peer {
  readonly #channel: Channel;
  readonly #handlers: PeerHandlers;
  readonly #pending = new Map<Id, Pending>();
  #nextId: number;
  /** Requests of the other side that have no answer yet. */
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

  /** The answer rejects as `Pending` says. Who stops waiting calls `forget`. */
  request(
    method: string,
    params: Params,
    beside: Beside = NOTHING,
  ): { readonly id: Id; readonly answer: Promise<RpcResult> } {
    const id = this.nextId();
    const answer = new Promise<RpcResult>((resolve, reject) =>
      this.ask(id, { resolve, reject }, method, params, beside),
    );
    return { id, answer };
  }

  /** For a request of ours, which it is known by before it is sent. */
  nextId(): number {
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }

  /** The same for whoever is there to be told, and needs no promise. */
  ask(id: number, pending: Pending, method: string, params: Params, { about, headers, text }: Beside): void {
    if (this.#closed) {
      pending.reject(new ChannelClosed('the connection is closed'));
      return;
    }
    this.#pending.set(id, pending);
    // Where nobody else waits, nothing else is on its way.
    const isLast = this.#pending.size === 1;
    try {
      this.#channel.send({ kind: 'request', id, method, params, text, about, headers }, isLast);
    } catch (error) {
      this.forget(id, error instanceof Error ? error : new Error(String(error))); // nothing was sent to be answered
    }
  }

  /** An answer that comes after this is dropped. */
  forget(id: Id, reason: Error): void {
    this.#take(id)?.reject(reason);
  }

  notify(method: string, params?: Params, about?: Id): void {
    this.#channel.send({ kind: 'notification', method, params, ...(about !== undefined && { about }) });
  }

  get carriesHeaders(): boolean {
    return this.#channel.carriesHeaders === true;
  }

  agreed(version: string): void {
    this.#channel.agreed?.(version);
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  #receive(message: Incoming): void {
    switch (message.kind) {
      case 'request':
        // Answers are the one thing that the other side can make us hold without end: who asks and never reads is cut off.
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

  /** Noise is skipped or answered. What only nests too deep may be an answer: whoever waits for it learns why it does not come. */
  #unreadable({ id, fault, isAnswer }: Extract<Incoming, { kind: 'invalid' }>): void {
    const isHeard = this.#handlers.noise(fault) === 'answer';
    if (isAnswer && id !== undefined)
      this.#take(id)?.reject(new RpcError(fault.code, `its answer cannot be read: ${fault.message}`));
    else if (isHeard) this.#channel.send({ kind: 'fault', id: id ?? null, fault });
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

  /** Who waits for it learns of it. An answer of which cannot be said whose it is leaves somebody waiting for ever: the connection ends. */
  #overlong({ bytes, id, isRequest = false }: Parameters<ChannelListener['overlong']>[0]): void {
    // The other side numbers its requests as it likes, also like ours.
    const pending = id === undefined || isRequest ? undefined : this.#take(id);
    if (pending) {
      pending.reject(new AnswerTooLarge(bytes));
      return;
    }
    const fault = tooLarge(bytes);
    const isHeard = this.#handlers.noise(fault) === 'answer';
    // Who asks waits for an answer, also where noise is passed over.
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
