import { isObject, lastingController } from '../../base/index.js';
import type { Conversation, Era } from '../../model/index.js';
import { type Answer, type Channel, type Id, type Params, Peer, RpcCode, RpcError } from '../../rpc/index.js';
import { asRpcError } from '../surfaces/mcp-answers.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import {
  type ClientTraits,
  conversationWith,
  hasAskedClient,
  labelled,
  requestFromClient,
  traitsOf,
} from './conversation.js';
import { adapt, claimedEra, discovery, eraOf } from './era-adapter.js';
import { type ClientIntroduction, initializeResult, readEnvelope, readInitialize } from './initialize.js';
import { ClientSilent, MAX_OPEN_REQUESTS, ROOTS_MS, type SessionOptions } from './session-options.js';
import { isSubscribed, listen, wants } from './subscriptions.js';

/** The limit of unsent responses to a client that does not read. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;
const MAX_SPARE = 64;
const NEVER = new AbortController().signal;
const CUT_OFF_MS = 500;
/** Above this backlog, notifications (progress, logs) to a client are dropped; responses are kept. */
const MAX_NOTICE_BACKLOG_BYTES = 8 * 1024 * 1024;
/** Methods that the stateless revision removed, although upstream servers may still have them. */
const LEGACY_ONLY: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

export { ClientSilent, type Routes, type SessionOptions } from './session-options.js';

/** The connection to one client and its running requests. */
export class Session {
  readonly #options: SessionOptions;
  readonly #peer: Peer;
  readonly #running = new Map<Id, AbortController>();
  readonly #spare: AbortController[] = [];
  readonly #listeners = new Set<(notice: SurfaceNotification) => void>();
  readonly #draining = new AbortController();
  readonly #subscribed = new Set<string>();
  /** Settles when the client has closed its side of the connection. */
  readonly ended: Promise<void>;
  #introduced: ClientIntroduction | undefined;
  /** The number of tool calls so far. */
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
      notification: (method, params) => this.#forwardNotification(method, params),
      onInvalidMessage: () => 'answer',
      closed: () => {
        options.surface.onClientLeft?.(this.#caller());
        gone();
      },
      fault: (error) =>
        options.log('error', 'internal error', { error: error instanceof Error ? error.stack : String(error) }),
    });
  }

  get client(): string {
    return this.#introduced?.name ?? 'unknown';
  }

  /** The client's `initialize` data; undefined before it, and for stateless clients. */
  get introduced(): ClientIntroduction | undefined {
    return this.#introduced;
  }

  /** The same, or for a modern client the data of its last request. */
  get known(): Partial<ClientIntroduction> {
    return this.#introduced ?? readEnvelope(this.#envelope);
  }

  /** Sends a notification, optionally about a request; false if it was dropped because the client does not read. */
  tell(method: string, params: Params, about?: Id): boolean {
    const isReading = this.#peer.backlogBytes <= MAX_NOTICE_BACKLOG_BYTES;
    if (isReading) this.#peer.notify(method, params, about);
    return isReading;
  }

  /** Sends a request to the client; rejects if no response arrives in time. */
  async ask(method: string, params: Params, limitMs: number): Promise<unknown> {
    if (this.#peer.backlogBytes > MAX_NOTICE_BACKLOG_BYTES)
      throw new ClientSilent('the client does not read its messages');
    const { answer, id } = this.#peer.request(method, params);
    const tooLate = () => this.#peer.forget(id, new ClientSilent('the client did not respond in time'));
    const giveUp = setTimeout(tooLate, limitMs);
    try {
      return (await answer).result;
    } finally {
      clearTimeout(giveUp);
    }
  }

  /** Sends this client questions on behalf of another client that cannot answer them. */
  asker(signal: AbortSignal): NonNullable<Conversation['ask']> {
    return requestFromClient(this.#peer, { capabilities: this.#introduced?.capabilities ?? {} }, signal);
  }

  /** Sends a notification if a legacy client's subscriptions and log level, or a modern one's listeners, include it. */
  notice(notice: SurfaceNotification): void {
    for (const listener of this.#listeners) listener(notice);
    const isInterested = this.#isInitialized && isSubscribed(notice, this.#subscribed, this.#logLevel);
    if (isInterested) this.tell(notice.method, notice.params);
  }

  /** The client's current roots; an empty list if it has none. */
  async roots(): Promise<Record<string, unknown>> {
    if (this.#introduced?.capabilities?.roots === undefined) return { roots: [] };
    const result = await this.ask('roots/list', {}, ROOTS_MS).catch(() => undefined);
    return isObject(result) ? result : { roots: [] };
  }

  /** Refuses new requests, waits for running ones up to the limit, then cancels the rest. */
  drain(limitMs: number): Promise<void> {
    this.#end ??= this.#drain(limitMs);
    return this.#end;
  }

  async #drain(limitMs: number): Promise<void> {
    this.#draining.abort(); // ends open subscriptions, which would never end by themselves
    await this.#quiet(limitMs);
    this.cancelAll();
    // Cancelled requests still respond; wait for their responses before closing the connection.
    await this.#quiet(CUT_OFF_MS);
    await this.#peer.close();
  }

  /** Settles when no request is running, or after the time limit. */
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

  #forwardNotification(method: string, params: Params): void {
    if (method !== 'notifications/cancelled') {
      this.#options.routes?.onNotification(method);
      return;
    }
    const id = params?.requestId;
    if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.abort();
  }

  async #answer({ id, method, params }: { id: Id; method: string; params: Params }): Promise<Answer | undefined> {
    if (this.#draining.signal.aborted) throw new RpcError(RpcCode.internalError, 'the gateway is shutting down');
    if (this.#running.get(id)) throw new RpcError(RpcCode.invalidRequest, 'a request with this id is still running');
    if (this.#running.size >= MAX_OPEN_REQUESTS)
      throw new RpcError(RpcCode.internalError, 'too many requests are open');
    const controller = this.#spare.pop() ?? lastingController();
    this.#running.set(id, controller);
    try {
      const answer = await this.#dispatch(id, method, params ?? {}, controller.signal);
      return this.#isUnwanted(controller.signal) ? undefined : adapt(answer, method, claimedEra(params));
    } catch (error) {
      if (this.#isUnwanted(controller.signal)) return undefined;
      throw asRpcError(error, method, claimedEra(params));
    } finally {
      this.#running.delete(id);
      // An open question ends with its request. Unused controllers are reused, because creating one is costly.
      if (hasAskedClient(controller.signal)) controller.abort();
      else if (!controller.signal.aborted && this.#spare.length < MAX_SPARE) this.#spare.push(controller);
      // The response is sent after this block, so `drain` must not close the connection before.
      if (this.#drained && this.#running.size === 0) setImmediate(this.#drained);
    }
  }

  /** A request that its client cancelled gets no response; one that we cancelled on shutdown does. */
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
        throw new RpcError(RpcCode.invalidParams, 'server/discover must name its protocol version in _meta');
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
    clientEra = era,
  ): Promise<Answer> | undefined {
    if (this.#peer.backlogBytes > MAX_BACKLOG_BYTES)
      throw new RpcError(RpcCode.internalError, 'too many unread responses: read the responses to earlier calls first');
    const { surface, questions, principal } = this.#options;
    if (method === 'tools/call') this.calls += 1;
    if (era === 'modern') this.#envelope = params._meta;
    const made = this.#conversation(id, params, era, signal);
    const conversation = clientEra === era ? made : { ...made, era: clientEra };
    const answer = questions.answer(
      { method, params, era, conversation, principal: principal ?? conversation.client },
      surface,
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
    this.#standing ??= traitsOf(this.#options, this.#caller(), this.#introduced?.capabilities, this.#logLevel);
    const send = (method: string, told: Params) => this.tell(method, told, id);
    return conversationWith(this.#peer, send, this.#standing, { id, params, era, signal });
  }

  async #setLevel(id: Id, params: NonNullable<Params>, signal: AbortSignal): Promise<Answer> {
    if (typeof params.level !== 'string') throw new RpcError(RpcCode.invalidParams, 'logging/setLevel has no level');
    this.#logLevel = params.level;
    this.#standing = undefined;
    // A server without log levels is no error: the level still filters what we send.
    await this.#ask(id, 'logging/setLevel', params, 'legacy', signal)?.catch(() => undefined);
    return { value: {} };
  }

  async #discover(): Promise<Answer> {
    const { version, surface, routes } = this.#options;
    return { value: discovery(version, await surface.introduction('modern'), routes?.capabilities) };
  }

  async #initialize(params: NonNullable<Params>): Promise<Answer> {
    const client = readInitialize(params);
    this.#introduced = client;
    this.#standing = undefined;
    this.#isInitialized = true;
    this.#peer.setRevision(client.protocolVersion);
    const { surface, version, routes } = this.#options;
    return { value: initializeResult(client, await surface.introduction('legacy'), version, routes?.capabilities) };
  }

  #listen(id: Id, params: NonNullable<Params>, signal: AbortSignal): Promise<Answer> {
    const subscribe = (method: string, uri: string) =>
      this.#ask(id, method, { uri }, 'legacy', NEVER, 'modern')?.catch(() => undefined);
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
