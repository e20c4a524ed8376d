import { isObject, lastingController } from '../../base/index.js';
import type { Conversation, Era } from '../../model/index.js';
import { type Answer, type Channel, type Id, IdTable, type Params, Peer, RpcCode, RpcError } from '../../rpc/index.js';
import { asRpcError } from '../surfaces/mcp-answers.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import { askOver, type ClientTraits, conversationWith, labelled, standingOf, wasAskedThrough } from './conversation.js';
import { adapt, discovery, eraOf, saidEra } from './era-adapter.js';
import { type ClientIntroduction, initializeResult, readEnvelope, readInitialize } from './initialize.js';
import { ClientSilent, MAX_OPEN_REQUESTS, ROOTS_MS, type SessionOptions } from './session-options.js';
import { isTold, listen, wants } from './subscriptions.js';

/** What a client that does not read its answers may make us hold. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;
const MAX_SPARE = 64;
const NEVER = new AbortController().signal;
const CUT_OFF_MS = 500;
/** What nobody waits for is not kept for a client that does not read: progress and logs are lost then, answers never. */
const MAX_NOTICE_BACKLOG_BYTES = 8 * 1024 * 1024;
/** Methods that the stateless revision has taken away, though the servers behind a face may still have them. */
const LEGACY_ONLY: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

export { ClientSilent, type Routes, type SessionOptions } from './session-options.js';

/** One client and what it has asked so far. */
export class Session {
  readonly #options: SessionOptions;
  readonly #peer: Peer;
  readonly #running = new IdTable<AbortController>();
  readonly #spare: AbortController[] = [];
  readonly #listeners = new Set<(notice: SurfaceNotification) => void>();
  readonly #draining = new AbortController();
  readonly #subscribed = new Set<string>();
  /** Settles when the client has said all it will. */
  readonly ended: Promise<void>;
  #introduced: ClientIntroduction | undefined;
  /** As many as it has made. */
  calls = 0;
  #envelope: unknown;
  #standing: ClientTraits | undefined;
  #logLevel: string | undefined;
  #isInitialized = false;
  #drained: (() => void) | undefined;
  #end: Promise<void> | undefined;

  constructor(channel: Channel, options: SessionOptions) {
    this.#options = options;
    let gone: () => void = () => undefined;
    this.ended = new Promise((resolve) => {
      gone = resolve;
    });
    this.#peer = new Peer(channel, {
      request: (request) => this.#answer(request),
      notification: (method, params) => this.#notified(method, params),
      noise: () => 'answer',
      closed: () => {
        options.face.onClientLeft?.(this.#caller());
        gone();
      },
      fault: (error) =>
        options.log('error', 'internal error', { error: error instanceof Error ? error.stack : String(error) }),
    });
  }

  get client(): string {
    return this.#introduced?.name ?? 'unknown';
  }

  /** Who the client said it is; undefined for one that has not said it, or says it with every request. */
  get introduced(): ClientIntroduction | undefined {
    return this.#introduced;
  }

  /** The same, and what one of the newer kind said with its last request. */
  get known(): Partial<ClientIntroduction> {
    return this.#introduced ?? readEnvelope(this.#envelope);
  }

  /** Tells the client something, about a request of it or about none; false where it does not read what it is told. */
  tell(method: string, params: Params, about?: Id): boolean {
    const isReading = this.#peer.backlogBytes <= MAX_NOTICE_BACKLOG_BYTES;
    if (isReading) this.#peer.notify(method, params, about);
    return isReading;
  }

  /** Puts a question to the client; rejects where no answer comes in time. */
  async ask(method: string, params: Params, limitMs: number): Promise<unknown> {
    if (this.#peer.backlogBytes > MAX_NOTICE_BACKLOG_BYTES) throw new ClientSilent('the client does not read');
    const { answer, id } = this.#peer.request(method, params);
    const tooLate = () => this.#peer.forget(id, new ClientSilent('the client did not answer in time'));
    const giveUp = setTimeout(tooLate, limitMs);
    try {
      return (await answer).result;
    } finally {
      clearTimeout(giveUp);
    }
  }

  /** Puts questions to the client in the place of another that cannot answer them. */
  asker(signal: AbortSignal): NonNullable<Conversation['ask']> {
    return askOver(this.#peer, { abilities: this.#introduced?.abilities ?? {} }, signal);
  }

  /** Tells the client what it asked to be told: everything if it is of the older kind, else what it listens for. */
  notice(notice: SurfaceNotification): void {
    for (const listener of this.#listeners) listener(notice);
    const isInterested = this.#isInitialized && isTold(notice, this.#subscribed, this.#logLevel);
    if (isInterested) this.tell(notice.method, notice.params);
  }

  /** The roots of this client, as it gives them now; none if it has none. */
  async roots(): Promise<Record<string, unknown>> {
    if (this.#introduced?.abilities?.roots === undefined) return { roots: [] };
    const result = await this.ask('roots/list', {}, ROOTS_MS).catch(() => undefined);
    return isObject(result) ? result : { roots: [] };
  }

  /** Takes no new request, lets the running ones end for a while, then cancels what is left. */
  drain(limitMs: number): Promise<void> {
    this.#end ??= this.#drain(limitMs);
    return this.#end;
  }

  async #drain(limitMs: number): Promise<void> {
    this.#draining.abort(); // whoever listens would listen for ever
    await this.#quiet(limitMs);
    this.cancelAll();
    // Those who are cut off get their answers in a moment: the pipe must not be closed before them.
    await this.#quiet(CUT_OFF_MS);
    await this.#peer.close();
  }

  /** Settles when nothing runs any more, or it took too long. */
  async #quiet(limitMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
      setTimeout(resolve, limitMs).unref();
    });
  }

  cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  #notified(method: string, params: Params): void {
    if (method !== 'notifications/cancelled') {
      this.#options.routes?.notified(method);
      return;
    }
    const id = params?.requestId;
    if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.abort();
  }

  async #answer({ id, method, params }: { id: Id; method: string; params: Params }): Promise<Answer | undefined> {
    if (this.#draining.signal.aborted) throw new RpcError(RpcCode.internalError, 'the gateway is shutting down');
    if (this.#running.get(id)) throw new RpcError(RpcCode.invalidRequest, 'this id is still in use');
    if (this.#running.size >= MAX_OPEN_REQUESTS)
      throw new RpcError(RpcCode.internalError, 'too many requests are open');
    const controller = this.#spare.pop() ?? lastingController();
    this.#running.set(id, controller);
    try {
      const answer = await this.#dispatch(id, method, params ?? {}, controller.signal);
      return this.#isUnwanted(controller.signal) ? undefined : adapt(answer, method, saidEra(params));
    } catch (error) {
      if (this.#isUnwanted(controller.signal)) return undefined;
      throw asRpcError(error, method, saidEra(params));
    } finally {
      this.#running.delete(id);
      // A question that is still open has lost its request. Else nobody listens any more, and making one costs the most here.
      if (wasAskedThrough(controller.signal)) controller.abort();
      else if (!controller.signal.aborted && this.#spare.length < MAX_SPARE) this.#spare.push(controller);
      // The answer is sent when this is over: whoever waits for the last one must not close the pipe before it.
      if (this.#drained && this.#running.size === 0) setImmediate(this.#drained);
    }
  }

  /** Whoever cancels a request does not wait for its answer; who is cut off by our end does. */
  #isUnwanted(signal: AbortSignal): boolean {
    return signal.aborted && !this.#draining.signal.aborted;
  }

  #dispatch(id: Id, method: string, params: NonNullable<Params>, signal: AbortSignal): Answer | Promise<Answer> {
    const era = eraOf(params);
    switch (method) {
      case 'initialize':
        if (era === 'legacy') return this.#initialize(params);
        break;
      case 'server/discover':
        if (era === 'modern') return this.#discover();
        throw new RpcError(RpcCode.invalidParams, 'server/discover says which revision it speaks');
      case 'ping':
        if (era === 'legacy') return { value: {} };
        break;
      case 'logging/setLevel':
        if (era === 'legacy') return this.#setLevel(id, params, signal);
        break;
      case 'subscriptions/listen':
        if (era === 'modern') return this.#listen(id, params, signal);
        break;
      default: {
        if (era === 'modern' && LEGACY_ONLY.has(method)) break;
        const routed = this.#options.routes?.answer(method, params);
        if (routed) return routed;
        const answer = this.#ask(id, method, params, era, signal);
        if (answer) return answer;
      }
    }
    throw new RpcError(RpcCode.methodNotFound, `unknown method ${method.slice(0, 100)}`);
  }

  #ask(
    id: Id,
    method: string,
    params: NonNullable<Params>,
    era: Era,
    signal: AbortSignal,
  ): Promise<Answer> | undefined {
    if (this.#peer.backlogBytes > MAX_BACKLOG_BYTES)
      throw new RpcError(RpcCode.internalError, 'too many answers wait to be read: read those of earlier calls first');
    const { face, questions, principal } = this.#options;
    if (method === 'tools/call') this.calls += 1;
    if (era === 'modern') this.#envelope = params._meta;
    const conversation = this.#conversation(id, params, era, signal);
    const answer = questions.answer(
      { method, params, era, conversation, principal: principal ?? conversation.client },
      face,
    );
    return LEGACY_ONLY.has(method) ? answer?.then((given) => this.#subscription(method, params, given)) : answer;
  }

  #subscription(method: string, { uri }: NonNullable<Params>, answer: Answer): Answer {
    if (method === 'resources/subscribe') this.#subscribed.add(String(uri));
    else this.#subscribed.delete(String(uri));
    return answer;
  }

  #caller(): string {
    return labelled(this.client, this.#options.label);
  }

  #conversation(id: Id, params: NonNullable<Params>, era: Era, signal: AbortSignal): Conversation {
    this.#standing ??= standingOf(this.#options, this.#caller(), this.#introduced?.abilities, this.#logLevel);
    const send = (method: string, told: Params) => this.tell(method, told, id);
    return conversationWith(this.#peer, send, this.#standing, { id, params, era, signal });
  }

  async #setLevel(id: Id, params: NonNullable<Params>, signal: AbortSignal): Promise<Answer> {
    if (typeof params.level !== 'string') throw new RpcError(RpcCode.invalidParams, 'logging/setLevel names no level');
    this.#logLevel = params.level;
    this.#standing = undefined;
    // A server that has no levels is no reason to refuse: the client is told what comes.
    await this.#ask(id, 'logging/setLevel', params, 'legacy', signal)?.catch(() => undefined);
    return { value: {} };
  }

  async #discover(): Promise<Answer> {
    const { version, face, routes } = this.#options;
    return { value: discovery(version, await face.introduction(), routes?.capabilities) };
  }

  async #initialize(params: NonNullable<Params>): Promise<Answer> {
    const client = readInitialize(params);
    this.#introduced = client;
    this.#standing = undefined;
    this.#isInitialized = true;
    this.#peer.agreed(client.protocolVersion);
    const { face, version, routes } = this.#options;
    return { value: initializeResult(client, await face.introduction(), version, routes?.capabilities) };
  }

  #listen(id: Id, params: NonNullable<Params>, signal: AbortSignal): Promise<Answer> {
    const subscribe = (method: string, uri: string) =>
      this.#ask(id, method, { uri }, 'legacy', NEVER)?.catch(() => undefined);
    return listen(id, params, AbortSignal.any([signal, this.#draining.signal]), {
      subscribe: (uri) => void subscribe('resources/subscribe', uri),
      unsubscribe: (uri) => void subscribe('resources/unsubscribe', uri),
      send: (method, told) => this.tell(method, told, id),
      hear: (filter, listener) => {
        const chosen = (notice: SurfaceNotification) => {
          if (wants(filter, notice)) listener(notice);
        };
        this.#listeners.add(chosen);
        return () => this.#listeners.delete(chosen);
      },
    });
  }
}
