import { type PortolanError, unwatchAbort, watchAbort } from '../../base/index.js';
import type { Conversation, ToolResult } from '../../model/index.js';
import { AnswerTooLarge, type Peer, type Pending, RpcError, type RpcResult } from '../../rpc/index.js';
import type { AnswerDeadlines, AnswerTimeouts, PendingAnswer } from './answer-deadlines.js';
import { cancelled } from './call-failure.js';
import type { CallInFlight, CallsInFlight } from './calls-in-flight.js';
import { markedFault, markedResult } from './received-questions.js';
import { checkedResult } from './tool-result.js';

/** The parts of a connection that a request uses. */
export interface RequestChannel {
  readonly peer: Peer;
  readonly clock: AnswerDeadlines;
  readonly calls: CallsInFlight;
  /** The server has answered, so it is not stuck. */
  isAlive(): void;
  onTimeout(request: OpenRequest): void;
  /** Turns an error into a `PortolanError` with the right code. */
  explained(error: Error): unknown;
  /** The result with secrets masked. */
  shown(result: ToolResult): ToolResult;
}

/** The options of one request. */
export interface RequestOptions {
  readonly method: string;
  readonly timeouts: AnswerTimeouts;
  readonly conversation: Partial<Conversation>;
  readonly server: string;
  /** A client's call: progress, logs and questions of the server may belong to it. */
  readonly isCall: boolean;
}

/** The protocol forbids cancelling the handshake. */
const NEVER_CANCELLED: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/**
 * A request in progress. One object serves as pending response, timeout entry, call in flight and abort listener, because
 * every call needs all four and separate objects would slow down each call.
 */
export class OpenRequest implements Pending, PendingAnswer, CallInFlight {
  readonly id: number;
  readonly method: string;
  readonly timeouts: AnswerTimeouts;
  readonly conversation: Partial<Conversation>;
  readonly server: string;
  readonly answer: Promise<ToolResult>;
  readonly #channel: RequestChannel;
  readonly #isCall: boolean;
  ends = 0;
  due = 0;
  #isOpen = true;
  #succeed: (result: ToolResult) => void = nobody;
  #fail: (error: unknown) => void = nobody;

  constructor(channel: RequestChannel, { method, timeouts, conversation, server, isCall }: RequestOptions) {
    this.id = channel.peer.nextId();
    this.method = method;
    this.timeouts = timeouts;
    this.conversation = conversation;
    this.server = server;
    this.#channel = channel;
    this.#isCall = isCall;
    this.answer = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
    if (isCall) channel.calls.enter(this);
  }

  /** Called after sending: the work here overlaps with that of the server. */
  sent(): void {
    if (!this.#isOpen) return;
    const { signal } = this.conversation;
    this.#channel.clock.start(this);
    if (signal?.aborted) this.handleEvent();
    else if (signal) watchAbort(signal, this);
  }

  resolve({ result, json }: RpcResult): void {
    this.#channel.isAlive();
    this.#end();
    try {
      const value = checkedResult(this.method, result);
      this.#succeed(markedResult(this, this.#channel.shown(json === undefined ? { value } : { value, json })));
    } catch (error) {
      this.#fail(error instanceof RpcError ? this.#channel.explained(error) : error);
    }
  }

  reject(error: Error): void {
    // An error response also shows that the server is not stuck.
    if (error instanceof RpcError || error instanceof AnswerTooLarge) this.#channel.isAlive();
    this.#end();
    this.#fail(this.#channel.explained(markedFault(this, error)));
  }

  alive(): void {
    this.#channel.isAlive();
    this.#channel.clock.again(this);
  }

  onTimeout(): void {
    this.#channel.onTimeout(this);
  }

  /** The client's signal was aborted. */
  handleEvent(): void {
    this.giveUp(cancelled());
  }

  giveUp(error: PortolanError): void {
    const { peer, calls } = this.#channel;
    if (this.#isCall) calls.giveUp(this);
    peer.forget(this.id, error);
    if (!NEVER_CANCELLED.has(this.method))
      peer.notify('notifications/cancelled', { requestId: this.id, reason: error.message });
  }

  #end(): void {
    const { signal } = this.conversation;
    this.#isOpen = false;
    this.#channel.clock.stop(this);
    if (signal) unwatchAbort(signal, this);
    if (this.#isCall) this.#channel.calls.leave(this);
  }
}

function nobody(): void {}
