import { deadline, isObject } from '../../base/index.js';
import type { Conversation, Progress } from '../../model/index.js';
import { RpcCode, RpcError } from '../../rpc/index.js';
import { cancelled, inUse } from './call-failure.js';
import { markedRequest } from './received-questions.js';

/** A call in progress. */
export interface CallInFlight {
  /** The progress token. Later calls have higher ids. */
  readonly id: number;
  readonly conversation: Partial<Conversation>;
  /** The name of the server as the client knows it. */
  readonly server: string;
  /** Extends its deadline. */
  alive(): void;
}

/** The calls in progress on one connection; assigns progress, logs and questions of the server to them. */
export class CallsInFlight {
  readonly #calls = new Map<number, CallInFlight>();
  readonly #waiting: (() => void)[] = [];
  /** Calls that were cancelled or timed out, oldest first. */
  readonly #givenUp: { readonly caller: string; readonly until: number }[] = [];
  /** A question over stdio does not name its call, so a server that asks questions serves one client at a time. */
  #asksQuestions = false;
  readonly #roots: () => Promise<Record<string, unknown>>;

  /** `roots` answers roots/list while no call is in progress. */
  constructor(roots: () => Promise<Record<string, unknown>> = async () => ({ roots: [] })) {
    this.#roots = roots;
  }

  /** Whether a client has to wait because another one uses a server that asks questions. */
  mustWait(caller: string): boolean {
    return this.#asksQuestions && this.#isUsedByOthers(caller);
  }

  /** Runs `go` when no other client uses the server. Rejects on cancellation or after `timeoutMs`. */
  async inTurn<T>(conversation: Partial<Conversation>, timeoutMs: number, go: () => Promise<T>): Promise<T> {
    using limit = deadline(timeoutMs, conversation.signal);
    // Check again after each wake-up: another waiting call may have gone first.
    while (this.mustWait(callerOf(conversation)) && !limit.signal.aborted) await this.#someoneLeaves(limit.signal);
    if (conversation.signal?.aborted) throw cancelled();
    if (limit.signal.aborted) throw inUse(timeoutMs);
    return go();
  }

  #someoneLeaves(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', go);
        resolve();
      };
      this.#waiting.push(go);
      signal.addEventListener('abort', go, { once: true });
    });
  }

  enter(call: CallInFlight): void {
    this.#calls.set(call.id, call);
  }

  get size(): number {
    return this.#calls.size;
  }

  /** The client no longer waits for this call, but the server may still be working on it. */
  giveUp(call: CallInFlight): void {
    if (!this.#calls.get(call.id)) return;
    this.#givenUp.push({ caller: callerOf(call.conversation), until: performance.now() + GIVEN_UP_MS });
    if (this.#givenUp.length > MAX_GIVEN_UP) this.#givenUp.shift();
    this.leave(call);
  }

  leave({ id }: CallInFlight): void {
    this.#calls.delete(id);
    if (this.#waiting.length > 0) for (const go of this.#waiting.splice(0)) go();
  }

  progress(params: Readonly<Record<string, unknown>>): void {
    const { progressToken } = params;
    const call = typeof progressToken === 'number' ? this.#calls.get(progressToken) : undefined;
    if (!call) return;
    call.alive();
    const step = readProgress(params);
    if (step) call.conversation.progress?.(step);
  }

  /** Sends a log message to the only client with calls in progress. Drops it if it may concern a call of another client. */
  log(params: Readonly<Record<string, unknown>>): void {
    const [first] = this.#inOrder();
    if (first && this.#isSurelyOf(callerOf(first.conversation))) first.conversation.log?.(params);
  }

  /** Sends a server's question to the client whose call caused it. Rejects it if that client is not certain (G8). */
  async ask(method: string, params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    this.#asksQuestions = true;
    const calls = this.#inOrder();
    const [first] = calls;
    if (!first) {
      // Some servers ask for the roots before the first call.
      if (method === 'roots/list') return this.#roots();
      throw new RpcError(RpcCode.methodNotFound, `${method}: no call is in progress that could have caused it`);
    }
    if (!this.#isSurelyOf(callerOf(first.conversation)))
      throw new RpcError(RpcCode.internalError, `${method}: it may concern a call of another client; try again`);
    const asking = calls.findLast(({ conversation }) => conversation.ask !== undefined);
    if (!asking?.conversation.ask) throw new RpcError(RpcCode.methodNotFound, `the client does not support ${method}`);
    const marked = markedRequest(asking, method, params);
    // The time in which a person answers must not count against the timeout.
    const keepAlive = setInterval(() => asking.alive(), KEEP_ALIVE_MS).unref();
    try {
      const answer = await asking.conversation.ask(method, marked);
      return isObject(answer) ? answer : {};
    } finally {
      clearInterval(keepAlive);
      asking.alive();
    }
  }

  #inOrder(): CallInFlight[] {
    return [...this.#calls.values()].sort((a, b) => a.id - b.id);
  }

  /** Whether all calls in progress, and those given up recently, belong to this client. */
  #isSurelyOf(caller: string): boolean {
    const now = performance.now();
    while (this.#givenUp[0] && this.#givenUp[0].until < now) this.#givenUp.shift();
    return !this.#isUsedByOthers(caller) && this.#givenUp.every((one) => one.caller === caller);
  }

  #isUsedByOthers(caller: string): boolean {
    for (const { conversation } of this.#calls.values()) if (callerOf(conversation) !== caller) return true;
    return false;
  }
}

const KEEP_ALIVE_MS = 1_000;
/** After a cancellation, the server may work on the call for a while without notice. */
const GIVEN_UP_MS = 10_000;
const MAX_GIVEN_UP = 1_000;

/** The client that receives questions. */
export function callerOf({ caller, client = '' }: Partial<Pick<Conversation, 'caller' | 'client'>>): string {
  return caller ?? client;
}

function readProgress({ progress, total, message }: Readonly<Record<string, unknown>>): Progress | undefined {
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}
