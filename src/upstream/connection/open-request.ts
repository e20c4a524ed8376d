import { type PortolanError, unwatchAbort, watchAbort } from '../../base/index.js';
import type { Conversation, ToolResult } from '../../model/index.js';
import { AnswerTooLarge, type Peer, type Pending, RpcError, type RpcResult } from '../../rpc/index.js';
import type { AnswerDeadlines, AnswerTimeouts, PendingAnswer } from './answer-deadlines.js';
import { cancelled } from './call-failure.js';
import type { CallInFlight, CallsInFlight } from './calls-in-flight.js';
import { markedFault, markedResult } from './received-questions.js';
import { checkedResult } from './tool-result.js';

/** What a request needs of the connection that it goes over. */
export interface RequestChannel {
  readonly peer: Peer;
  readonly clock: AnswerDeadlines;
  readonly flights: CallsInFlight;
  /** The server has shown that it is not stuck. */
  isAlive(): void;
  ranOut(request: OpenRequest): void;
  /** What went wrong, with a code that says whether the server, the time or the connection failed. */
  explained(error: Error): unknown;
  /** The result as it may be passed on. */
  shown(result: ToolResult): ToolResult;
}

/** How a request is made. */
export interface RequestOptions {
  readonly method: string;
  readonly patience: AnswerTimeouts;
  readonly conversation: Partial<Conversation>;
  readonly server: string;
  /** A client's own call: what the server says meanwhile may be about it. */
  readonly isCall: boolean;
}

/** The requests that begin a connection may not be cancelled. */
const NEVER_CANCELLED: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/**
 * A request under way: to the peer the one who waits for the answer, to the clock the one who may run out of time, to the server's
 * questions and progress the call that they are about, and to the client's signal the one who gives up. One object for all of
 * them, because every call makes one.
 */
export class OpenRequest implements Pending, PendingAnswer, CallInFlight {
  readonly id: number;
  readonly method: string;
  readonly patience: AnswerTimeouts;
  readonly conversation: Partial<Conversation>;
  readonly server: string;
  readonly answer: Promise<ToolResult>;
  readonly #road: RequestChannel;
  readonly #isCall: boolean;
  ends = 0;
  due = 0;
  #isOpen = true;
  #succeed: (result: ToolResult) => void = nobody;
  #fail: (error: unknown) => void = nobody;

  constructor(road: RequestChannel, { method, patience, conversation, server, isCall }: RequestOptions) {
    this.id = road.peer.nextId();
    this.method = method;
    this.patience = patience;
    this.conversation = conversation;
    this.server = server;
    this.#road = road;
    this.#isCall = isCall;
    this.answer = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
    if (isCall) road.flights.enter(this);
  }

  /** It has been sent: the server is at work, and what is done from here on costs nobody's time. */
  sent(): void {
    if (!this.#isOpen) return;
    const { signal } = this.conversation;
    this.#road.clock.start(this);
    if (signal?.aborted) this.handleEvent();
    else if (signal) watchAbort(signal, this);
  }

  resolve({ result, json }: RpcResult): void {
    this.#road.isAlive();
    this.#end();
    try {
      const value = checkedResult(this.method, result);
      this.#succeed(markedResult(this, this.#road.shown(json === undefined ? { value } : { value, json })));
    } catch (error) {
      this.#fail(error instanceof RpcError ? this.#road.explained(error) : error);
    }
  }

  reject(error: Error): void {
    // Also who refuses has answered.
    if (error instanceof RpcError || error instanceof AnswerTooLarge) this.#road.isAlive();
    this.#end();
    this.#fail(this.#road.explained(markedFault(this, error)));
  }

  alive(): void {
    this.#road.isAlive();
    this.#road.clock.again(this);
  }

  onTimeout(): void {
    this.#road.ranOut(this);
  }

  /** The client's signal was aborted. */
  handleEvent(): void {
    this.giveUp(cancelled());
  }

  giveUp(error: PortolanError): void {
    const { peer, flights } = this.#road;
    if (this.#isCall) flights.giveUp(this);
    peer.forget(this.id, error);
    if (!NEVER_CANCELLED.has(this.method))
      peer.notify('notifications/cancelled', { requestId: this.id, reason: error.message });
  }

  #end(): void {
    const { signal } = this.conversation;
    this.#isOpen = false;
    this.#road.clock.stop(this);
    if (signal) unwatchAbort(signal, this);
    if (this.#isCall) this.#road.flights.leave(this);
  }
}

function nobody(): void {}
