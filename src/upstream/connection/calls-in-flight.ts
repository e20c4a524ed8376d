import { deadline, isObject } from '../../base/index.js';
import type { Conversation, Progress } from '../../model/index.js';
import { IdTable, RpcCode, RpcError } from '../../rpc/index.js';
import { cancelled, inUse } from './call-failure.js';
import { markedRequest } from './received-questions.js';

/** A call that is under way. */
export interface CallInFlight {
  /** Under which progress comes. Those that came later have higher ones. */
  readonly id: number;
  readonly conversation: Partial<Conversation>;
  /** The name of the server as the client knows it. */
  readonly server: string;
  /** A sign of life. */
  alive(): void;
}

/** The calls under way on one connection, and to which of them belongs what the server says meanwhile. */
export class CallsInFlight {
  readonly #flights = new IdTable<CallInFlight>();
  readonly #waiting: (() => void)[] = [];
  /** Calls that were cancelled or took too long, the oldest first. */
  readonly #givenUp: { readonly caller: string; readonly until: number }[] = [];
  /** On a pipe a question does not say whose call it is about: a server that asks is used by one client at a time. */
  #asksQuestions = false;
  readonly #roots: () => Promise<Record<string, unknown>>;

  /** `roots` answers for whoever is served while no call is under way. */
  constructor(roots: () => Promise<Record<string, unknown>> = async () => ({ roots: [] })) {
    this.#roots = roots;
  }

  /** Whether a client has to wait: another one uses a server that asks questions. */
  mustWait(caller: string): boolean {
    return this.#asksQuestions && this.#isUsedByOthers(caller);
  }

  /** Waits for a turn at a server that asks questions, and goes. Rejects where it is cancelled meanwhile, or takes longer than `timeoutMs`. */
  async inTurn<T>(conversation: Partial<Conversation>, timeoutMs: number, go: () => Promise<T>): Promise<T> {
    using limit = deadline(timeoutMs, conversation.signal);
    // Of all who are woken by one that leaves, the first enters before the next looks again.
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

  enter(flight: CallInFlight): void {
    this.#flights.set(flight.id, flight);
  }

  get size(): number {
    return this.#flights.size;
  }

  /** Nobody waits for it any more, but the server may still be at it. */
  giveUp(flight: CallInFlight): void {
    if (!this.#flights.get(flight.id)) return;
    this.#givenUp.push({ caller: callerOf(flight.conversation), until: performance.now() + GIVEN_UP_MS });
    if (this.#givenUp.length > MAX_GIVEN_UP) this.#givenUp.shift();
    this.leave(flight);
  }

  leave({ id }: CallInFlight): void {
    this.#flights.delete(id);
    if (this.#waiting.length > 0) for (const go of this.#waiting.splice(0)) go();
  }

  progress(params: Readonly<Record<string, unknown>>): void {
    const { progressToken } = params;
    const flight = typeof progressToken === 'number' ? this.#flights.get(progressToken) : undefined;
    if (!flight) return;
    flight.alive();
    const step = readProgress(params);
    if (step) flight.conversation.progress?.(step);
  }

  /** What a server writes into its log goes to the one whose call it is about; what may be about another's is nobody's to read. */
  log(params: Readonly<Record<string, unknown>>): void {
    const [first] = this.#inOrder();
    if (first && this.#isSurelyOf(callerOf(first.conversation))) first.conversation.log?.(params);
  }

  /** Puts a server's question to the client whose call caused it. Where that cannot be said, nobody is asked (G8). */
  async ask(method: string, params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    this.#asksQuestions = true;
    const flights = this.#inOrder();
    const [first] = flights;
    if (!first) {
      // Some servers want to know the roots before anything is called.
      if (method === 'roots/list') return this.#roots();
      throw new RpcError(RpcCode.methodNotFound, `${method}: no call is under way that could have caused it`);
    }
    if (!this.#isSurelyOf(callerOf(first.conversation)))
      throw new RpcError(RpcCode.internalError, `${method}: it cannot be said whose call caused it; try again`);
    const asking = flights.findLast(({ conversation }) => conversation.ask !== undefined);
    if (!asking?.conversation.ask) throw new RpcError(RpcCode.methodNotFound, `the client cannot do ${method}`);
    const marked = markedRequest(asking, method, params);
    // Nobody is blamed for the time that a person takes to answer.
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
    return this.#flights.values().sort((a, b) => a.id - b.id);
  }

  /** What the server says now can be about no call of anybody else, not even one that was given up a moment ago. */
  #isSurelyOf(caller: string): boolean {
    const now = performance.now();
    while (this.#givenUp[0] && this.#givenUp[0].until < now) this.#givenUp.shift();
    return !this.#isUsedByOthers(caller) && this.#givenUp.every((one) => one.caller === caller);
  }

  #isUsedByOthers(caller: string): boolean {
    return this.#flights.some(({ conversation }) => callerOf(conversation) !== caller);
  }
}

const KEEP_ALIVE_MS = 1_000;
/** A server that was told to stop need not say when it has. */
const GIVEN_UP_MS = 10_000;
const MAX_GIVEN_UP = 1_000;

/** Who is asked back. */
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
