import { type Mutable, seal, unseal } from '../../base/index.js';
import type { Conversation } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';

/** A server's request to the client, in the form of the protocol. */
interface ServerQuestion {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type Ask = (question: ServerQuestion) => Promise<Record<string, unknown>>;

/** The receiver of a call's progress: the request that waits for it at the moment. */
export type ProgressSink = Mutable<Pick<Conversation, 'progress' | 'log'>>;

/** The next step of a suspended call: it ended, or it asks questions. */
type Step = { readonly kind: 'done'; readonly answer: Answer } | { readonly kind: 'asks' };

interface Held {
  readonly id: string;
  /** The client and target that alone may continue the call. */
  readonly bound: readonly string[];
  /** The number of the current state; each state can be used once. */
  round: number;
  readonly controller: AbortController;
  readonly sink: ProgressSink;
  /** The open questions by key, both those sent to the client and those not sent yet. */
  readonly open: Map<
    string,
    { readonly question: ServerQuestion; resolve(answer: Record<string, unknown>): void; reject(error: Error): void }
  >;
  ended: Promise<Answer>;
  asked: PromiseWithResolve;
  /** Runs while the client has the questions. */
  expiry: NodeJS.Timeout | undefined;
}

interface PromiseWithResolve {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** A call whose client does not come back within this time is cancelled. */
const HELD_MS = 5 * 60_000;
/** Placeholder, because a call may ask before the promise of its result is assigned. */
const NOT_BEGUN = new Promise<never>(() => undefined);
/** A limit, because each suspended call keeps a server's call running. */
const MAX_HELD = 200;
/** The time to collect questions, so that simultaneous ones are sent together. */
const GATHER_MS = 5;

/**
 * Calls that are suspended while a stateless client answers a question. A legacy server asks and waits, but a stateless
 * client cannot be asked: it gets the questions as a result and calls again with the answers. The state that it carries
 * is sealed and bound to the client and the target.
 */
export class SuspendedCalls {
  readonly #key: string;
  readonly #now: () => number;
  readonly #held = new Map<string, Held>();
  #count = 0;

  constructor(key: string, now: () => number = () => Date.now()) {
    this.#key = key;
    this.#now = now;
  }

  /** Runs a call until it ends or asks a question. */
  async start(
    bound: readonly string[],
    run: (ask: Ask, signal: AbortSignal, sink: Readonly<ProgressSink>) => Promise<Answer>,
    conversation: Conversation,
  ): Promise<Answer> {
    const { signal } = conversation;
    const sink: ProgressSink = {};
    redirectTo(sink, conversation);
    const controller = new AbortController();
    const stop = () => controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    const held: Held = {
      id: `${this.#count++}`,
      bound,
      round: 0,
      controller,
      sink,
      open: new Map(),
      ended: NOT_BEGUN,
      asked: promiseWithResolve(),
      expiry: undefined,
    };
    held.ended = run(this.#askFor(held), controller.signal, sink);
    held.ended.catch(() => undefined);
    try {
      return await this.#nextStep(held);
    } finally {
      // After its first question the call no longer depends on the request that started it.
      signal.removeEventListener('abort', stop);
    }
  }

  #askFor(held: Held): Ask {
    let questions = 0;
    return (question) =>
      new Promise((resolve, reject) => {
        if (this.#held.size >= MAX_HELD && !this.#held.has(held.id)) {
          reject(new RpcError(RpcCode.internalError, 'too many calls are waiting for answers of their clients'));
          return;
        }
        held.open.set(`${questions++}`, { question, resolve, reject });
        held.asked.resolve();
      });
  }

  /** Continues with the client's answers. */
  async resume(
    bound: readonly string[],
    state: string,
    responses: Readonly<Record<string, unknown>>,
    conversation: Conversation,
  ): Promise<Answer> {
    const { signal } = conversation;
    const held = this.#find(bound, state);
    clearTimeout(held.expiry);
    held.round += 1; // a state can be used only once
    redirectTo(held.sink, conversation);
    for (const [key, waiting] of held.open) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (typeof response !== 'object' || response === null) continue;
      held.open.delete(key);
      waiting.resolve(response as Record<string, unknown>);
    }
    // Questions without an answer are asked again.
    if (held.open.size > 0) return this.#questions(held);
    const stop = () => held.controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await this.#nextStep(held);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Whether the state was sealed here; other states belong to the server and are passed on. */
  isOurs(bound: readonly string[], state: string): boolean {
    return unseal(this.#key, { kind: 'held', bound }, state, this.#now()).kind !== 'forged';
  }

  [Symbol.dispose](): void {
    for (const held of this.#held.values()) this.#forget(held);
  }

  async #nextStep(held: Held): Promise<Answer> {
    const step = await Promise.race([
      held.ended.then((answer): Step => ({ kind: 'done', answer })),
      held.asked.promise.then((): Step => ({ kind: 'asks' })),
    ]).catch((error: unknown) => {
      this.#forget(held);
      throw error;
    });
    if (step.kind === 'done') {
      this.#forget(held);
      return step.answer;
    }
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    this.#held.set(held.id, held);
    held.asked = promiseWithResolve();
    return this.#questions(held);
  }

  #questions(held: Held): Answer {
    clearTimeout(held.expiry);
    held.expiry = setTimeout(() => this.#forget(held), HELD_MS).unref();
    held.round += 1;
    const inputRequests = Object.fromEntries([...held.open].map(([key, { question }]) => [key, question]));
    const purpose = { kind: 'held', bound: held.bound };
    const requestState = seal(this.#key, purpose, [held.id, held.round], this.#now() + HELD_MS);
    return { value: { resultType: 'input_required', inputRequests, requestState } };
  }

  #find(bound: readonly string[], state: string): Held {
    const opened = unseal(this.#key, { kind: 'held', bound }, state, this.#now());
    const [id, round] = opened.kind === 'open' && Array.isArray(opened.value) ? opened.value : [];
    const held = this.#held.get(String(id));
    if (held && held.round === round) return held;
    const why =
      opened.kind === 'forged' ? 'is invalid for this client and call' : 'has expired: repeat the call without it';
    throw new RpcError(RpcCode.invalidParams, `the requestState ${why}`);
  }

  #forget(held: Held): void {
    clearTimeout(held.expiry);
    held.controller.abort();
    // The server waits for answers that will not come.
    for (const { reject } of held.open.values())
      reject(new RpcError(RpcCode.internalError, 'the client did not answer the question in time'));
    held.open.clear();
    this.#held.delete(held.id);
  }
}

/** Redirects progress and logs to the request that waits now. */
function redirectTo(sink: ProgressSink, { progress, log }: Conversation): void {
  delete sink.progress;
  delete sink.log;
  if (progress) sink.progress = progress;
  if (log) sink.log = log;
}

function promiseWithResolve(): PromiseWithResolve {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
