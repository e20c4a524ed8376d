import { type Mutable, seal, unseal } from '../../base/index.js';
import type { Conversation } from '../../model/index.js';
import { type Answer, RpcCode, RpcError } from '../../rpc/index.js';

/** A question that a server has for the client, as MCP words it. */
interface ServerQuestion {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type Ask = (question: ServerQuestion) => Promise<Record<string, unknown>>;

/** Where a call tells how far it is: to the request that waits for it now. */
export type ProgressSink = Mutable<Pick<Conversation, 'progress' | 'log'>>;

/** How a held call goes on: it ended, or it has questions. */
type Step = { readonly kind: 'done'; readonly answer: Answer } | { readonly kind: 'asks' };

interface Held {
  readonly id: string;
  /** Who alone may go on with it, and with what. */
  readonly bound: readonly string[];
  /** How often it has asked: an answer counts once. */
  round: number;
  readonly controller: AbortController;
  readonly voice: ProgressSink;
  /** Questions that were not put to the client yet, and those that wait for its answer, by key. */
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

/** A client that has not come back by then will not. */
const HELD_MS = 5 * 60_000;
/** A call may ask before the promise of its end is there. */
const NOT_BEGUN = new Promise<never>(() => undefined);
/** Each holds a running call of a server. */
const MAX_HELD = 200;
/** Questions that come together go out together. */
const GATHER_MS = 5;

/**
 * Calls that wait in the middle for a client of the stateless revision: a server of the older kind asks and waits, such
 * a client cannot be asked, it comes back with the answer. What it carries between is sealed and bound to it.
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

  /** Runs a call until it ends or has a question. */
  async start(
    bound: readonly string[],
    run: (ask: Ask, signal: AbortSignal, voice: Readonly<ProgressSink>) => Promise<Answer>,
    conversation: Conversation,
  ): Promise<Answer> {
    const { signal } = conversation;
    const voice: ProgressSink = {};
    speakTo(voice, conversation);
    const controller = new AbortController();
    const stop = () => controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    const held: Held = {
      id: `${this.#count++}`,
      bound,
      round: 0,
      controller,
      voice,
      open: new Map(),
      ended: NOT_BEGUN,
      asked: promiseWithResolve(),
      expiry: undefined,
    };
    held.ended = run(this.#askFor(held), controller.signal, voice);
    held.ended.catch(() => undefined);
    try {
      return await this.#nextStep(held);
    } finally {
      // From its first question on the call belongs to whoever answers it, not to the request that began it.
      signal.removeEventListener('abort', stop);
    }
  }

  #askFor(held: Held): Ask {
    let questions = 0;
    return (question) =>
      new Promise((resolve, reject) => {
        if (this.#held.size >= MAX_HELD && !this.#held.has(held.id)) {
          reject(new RpcError(RpcCode.internalError, 'too many calls wait for their clients'));
          return;
        }
        held.open.set(`${questions++}`, { question, resolve, reject });
        held.asked.resolve();
      });
  }

  /** Goes on with the answers that the client brought. */
  async resume(
    bound: readonly string[],
    state: string,
    responses: Readonly<Record<string, unknown>>,
    conversation: Conversation,
  ): Promise<Answer> {
    const { signal } = conversation;
    const held = this.#find(bound, state);
    clearTimeout(held.expiry);
    held.round += 1; // whoever brings the same again is too late
    speakTo(held.voice, conversation);
    for (const [key, waiting] of held.open) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (typeof response !== 'object' || response === null) continue;
      held.open.delete(key);
      waiting.resolve(response as Record<string, unknown>);
    }
    // Whoever brings no answer is asked the same again.
    if (held.open.size > 0) return this.#questions(held);
    const stop = () => held.controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await this.#nextStep(held);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Whether a state was sealed here, so that others can be passed on. */
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
    const why = opened.kind === 'forged' ? 'is not one of ours' : 'has expired: make the call again without it';
    throw new RpcError(RpcCode.invalidParams, `the requestState ${why}`);
  }

  #forget(held: Held): void {
    clearTimeout(held.expiry);
    held.controller.abort();
    // Whoever asked waits for an answer that will not come.
    for (const { reject } of held.open.values())
      reject(new RpcError(RpcCode.internalError, 'the client did not come back'));
    held.open.clear();
    this.#held.delete(held.id);
  }
}

/** Whoever waits now is told, and whoever waited before is not. */
function speakTo(voice: ProgressSink, { progress, log }: Conversation): void {
  delete voice.progress;
  delete voice.log;
  if (progress) voice.progress = progress;
  if (log) voice.log = log;
}

function promiseWithResolve(): PromiseWithResolve {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
