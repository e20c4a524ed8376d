import { ErrorCode, isObject, LONGEST_TIMER_MS, PortolanError, randomId } from '../../base/index.js';
import { type Conversation, META, type ServerHandshake, type ToolResult } from '../../model/index.js';
import { type Channel, type Params, Peer, RpcCode, RpcError } from '../../rpc/index.js';
import { AnswerDeadlines, type AnswerTimeouts } from './answer-deadlines.js';
import { cancelled, explained, notReading, shownResult, timedOut } from './call-failure.js';
import { paramsToSend, type Sent } from './call-params.js';
import { CallsInFlight, callerOf } from './calls-in-flight.js';
import { answerQuestions, asksForMore, withAnswers } from './input-required.js';
import { OpenRequest, type RequestChannel, type RequestOptions } from './open-request.js';
import { headerFault, paramHeaders } from './param-headers.js';
import { withUrlElicitation } from './url-elicitation.js';

/** An endless list must not fill the memory. */
const MAX_ITEMS = 20_000;
const MAX_PAGES = 1_000;
/** After this many timeouts in a row, the connection is closed. */
const TIMEOUTS_UNTIL_STUCK = 3;

export interface CallOptions extends AnswerTimeouts {
  /** The client's name for the server, shown in questions of the server. */
  readonly server?: string;
  /** The client of the request; absent for requests of the gateway itself. */
  readonly conversation?: Partial<Conversation>;
  /** Requests progress even if the client does not, because progress extends the timeout. */
  readonly asksForProgress?: boolean;
  /** The input schema of the tool, which may ask to repeat arguments as HTTP headers. */
  readonly inputSchema?: unknown;
  /** The arguments of a tool as JSON text, if the caller has it. */
  readonly argumentsText?: string | undefined;
  /** Further `_meta` fields of the call, such as trace context. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

export interface ConnectionEvents {
  /** A notification that belongs to no call: a list changed, a resource was updated. */
  onNotification(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The server accepted a request whose effect lasts as long as the connection. */
  onAccepted?(method: string, params: Readonly<Record<string, unknown>>): void;
  /** Called once, with a reason for display. */
  onClose(reason: string | undefined): void;
  /** The server sent something that is not a JSON-RPC message; it gets no answer. */
  onInvalidMessage(): void;
  /** The last stderr lines of the server, for error messages. */
  stderrTail(): string;
  /** The hint of an error for a lost connection. */
  readonly logHint?: string;
  /** Masks secrets. In the result of a failed tool, only values that are secrets by name or form are masked. */
  redact(text: string, of: 'error' | 'result'): string;
  /** The roots of the client, for a server that asks before the first call. */
  roots?(): Promise<Record<string, unknown>>;
  /** The server asked for roots. */
  onRootsRequest?(): void;
  /** The server sent a sampling or elicitation request. */
  onClientRequest?(): void;
}

const MAX_WATCHED = 1_000;
/** The limit of unsent data for a server that does not read its input. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;

type Envelope = (conversation: Partial<Conversation>) => Readonly<Record<string, unknown>>;

const NOBODY: Partial<Conversation> = {};
/** Requests whose effect lasts as long as the connection. */
const LASTING: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);
/** The server name for requests of the gateway itself, whose questions reach no client. */
const UNNAMED = 'unnamed';
const NEVER = new AbortController().signal;

/** An open MCP connection to one server. */
export class Connection {
  readonly #peer: Peer;
  readonly #events: ConnectionEvents;
  readonly #calls: CallsInFlight;
  readonly #clock: AnswerDeadlines;
  readonly #channel: RequestChannel;
  readonly #watched = new Map<string, AbortController>();
  #timeoutsInARow = 0;
  #handshake: ServerHandshake | undefined;
  #closing: string | undefined;
  /** Makes the `_meta` fields that a stateless server needs in every request. */
  #envelope: Envelope | undefined;

  constructor(channel: Channel, events: ConnectionEvents) {
    this.#events = events;
    this.#calls = new CallsInFlight(events.roots?.bind(events));
    this.#clock = new AnswerDeadlines(channel.isInProcess === true);
    this.#peer = new Peer(
      channel,
      {
        request: async ({ method, params = {} }) => ({ value: await this.#asked(method, params) }),
        notification: (method, params) => this.#onNotification(method, params),
        onInvalidMessage: () => {
          events.onInvalidMessage();
          return 'skip';
        },
        closed: (reason) => {
          this.#clock.end();
          events.onClose(this.#closing ?? (reason && events.redact(reason.message, 'error')));
        },
        fault: () => undefined,
      },
      randomId(),
    );
    this.#channel = {
      peer: this.#peer,
      clock: this.#clock,
      calls: this.#calls,
      isAlive: () => {
        this.#timeoutsInARow = 0;
      },
      onTimeout: (request) => this.#onTimeout(request),
      explained: (error) => this.#explained(error),
      shown: (result) => shownResult(result, (text) => events.redact(text, 'result')),
    };
  }

  get handshake(): ServerHandshake {
    if (!this.#handshake) throw new Error('the handshake with the server is not complete');
    return this.#handshake;
  }

  /** Stores the result of the handshake, with the envelope if the server is stateless. */
  setHandshake(handshake: ServerHandshake, envelope?: Envelope): void {
    this.#handshake = handshake;
    this.#envelope = envelope;
    this.#peer.setRevision(handshake.protocolVersion);
  }

  notify(method: string, params?: Params): void {
    this.#peer.notify(method, params);
  }

  /** Reads all pages of a list. The items are not checked here. */
  async list(method: string, key: string, options: CallOptions): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    const seen = new Set<string>();
    const ends = performance.now() + options.totalMs;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      // The time limit covers all pages, so that an endless list ends.
      const totalMs = Math.max(0, ends - performance.now());
      const { value } = await this.request(method, cursor === undefined ? {} : { cursor }, { ...options, totalMs });
      const listed = value[key];
      if (!Array.isArray(listed)) throw this.connectionError(`its answer to ${method} has no ${key}`);
      items.push(...listed.slice(0, MAX_ITEMS - items.length));
      cursor = typeof value.nextCursor === 'string' ? value.nextCursor : undefined;
      if (cursor === undefined || seen.has(cursor) || items.length >= MAX_ITEMS) break;
      seen.add(cursor);
    }
    return items;
  }

  /** The tools as sent, without those whose headers cannot be sent over this channel. */
  async listTools(options: CallOptions): Promise<readonly unknown[]> {
    const tools = await this.list('tools/list', 'tools', options);
    if (!this.#envelope || !this.#peer.carriesHeaders) return tools;
    return tools.filter((tool) => !isObject(tool) || headerFault(tool.inputSchema) === undefined);
  }

  callTool(name: string, toolArguments: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolResult> {
    return this.request('tools/call', { name, arguments: toolArguments }, options);
  }

  /** Rejects with a `PortolanError` whose code tells a server error, a timeout and a lost connection apart. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolResult> {
    const answer = this.#ask(method, params, options);
    if (!LASTING.has(method)) return answer;
    return answer.then((result) => {
      this.#events.onAccepted?.(method, params);
      return result;
    });
  }

  #ask(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolResult> {
    if (this.#envelope && (method === 'resources/subscribe' || method === 'resources/unsubscribe'))
      return this.#watch(String(params.uri), method === 'resources/subscribe');
    const { conversation = NOBODY } = options;
    const { retryInput } = conversation;
    // `argumentsText` is only valid for the original parameters.
    const send = (asked: Readonly<Record<string, unknown>>) =>
      this.#request(method, asked, asked === params ? options : { ...options, argumentsText: undefined });
    const first = retryInput ? withAnswers(params, retryInput) : params;
    if (conversation.acceptsInputRequests) return withUrlElicitation(conversation, () => send(first));
    const answer = send(first);
    // Only a stateless server returns questions as a result.
    if (!this.#envelope) return answer;
    return answer.then((given) =>
      asksForMore(given, conversation) ? answerQuestions(given, params, conversation, send) : given,
    );
  }

  /** Opens a stream of notifications for the lifetime of the connection. A refusal is ignored. */
  listen(notifications: Readonly<Record<string, unknown>>, signal: AbortSignal = NEVER): void {
    const forEver = { timeoutMs: LONGEST_TIMER_MS, totalMs: LONGEST_TIMER_MS, conversation: { signal } };
    this.#request('subscriptions/listen', { notifications }, forEver).catch(() => undefined);
  }

  /** Replaces subscriptions for a stateless server by one open stream per resource. */
  async #watch(uri: string, isWanted: boolean): Promise<ToolResult> {
    this.#watched.get(uri)?.abort();
    this.#watched.delete(uri);
    if (isWanted && this.#watched.size < MAX_WATCHED) {
      const controller = new AbortController();
      this.#watched.set(uri, controller);
      this.listen({ resourceSubscriptions: [uri] }, controller.signal);
    }
    return { value: {} };
  }

  close(reason?: string): Promise<void> {
    this.#closing ??= reason;
    return this.#peer.close();
  }

  connectionError(what: string, hint?: string): PortolanError {
    const words = this.#events.stderrTail();
    const message = words === '' ? what : `${what}; last output on stderr: ${words}`;
    return new PortolanError(ErrorCode.ConnectionError, message, hint === undefined ? {} : { hint });
  }

  async #asked(method: string, params: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    if (method === 'ping') return {};
    const isQuestion = method === 'sampling/createMessage' || method === 'elicitation/create';
    if (isQuestion) this.#events.onClientRequest?.();
    if (method === 'roots/list') this.#events.onRootsRequest?.();
    if (isQuestion || method === 'roots/list') return this.#calls.ask(method, params);
    throw new RpcError(RpcCode.methodNotFound, `${method} is not supported here`);
  }

  #onNotification(method: string, params: Params = {}): void {
    if (method === 'notifications/progress') this.#calls.progress(params);
    else if (method === 'notifications/message') this.#calls.log(params);
    // These two refer to request ids that only this connection knows. Names without the prefix are reserved for Portolan.
    else if (
      method.startsWith('notifications/') &&
      method !== 'notifications/subscriptions/acknowledged' &&
      method !== 'notifications/cancelled'
    )
      this.#events.onNotification(method, plain(params));
  }

  #request(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolResult> {
    const { conversation = NOBODY } = options;
    if (conversation.signal?.aborted) return Promise.reject(cancelled());
    if (this.#peer.backlogBytes > MAX_BACKLOG_BYTES) return Promise.reject(notReading());
    // Requests of the gateway itself and long-lived streams belong to no client's call.
    const isAsked = conversation.client !== undefined || conversation.progress !== undefined;
    const isCall = isAsked && method !== 'subscriptions/listen';
    const asking = { method, timeouts: options, conversation, server: options.server ?? UNNAMED, isCall };
    return isCall && this.#calls.mustWait(callerOf(conversation))
      ? this.#calls.inTurn(conversation, options.timeoutMs, () => this.#send(asking, params, options))
      : this.#send(asking, params, options);
  }

  #send(asking: RequestOptions, params: NonNullable<Params>, options: CallOptions): Promise<ToolResult> {
    const headers = this.#headersFor(options, params);
    const request = new OpenRequest(this.#channel, asking);
    const { params: sent, text } = this.#toSend(params, options, asking.isCall ? request.id : undefined);
    this.#peer.ask(request.id, request, asking.method, sent, { headers, text });
    request.sent();
    return request.answer;
  }

  #onTimeout(request: OpenRequest): void {
    this.#timeoutsInARow += 1;
    request.giveUp(timedOut(request.method, request.timeouts.timeoutMs, this.#clock.spentMs));
    // An answer to another pending call would show that the server is slow and not stuck.
    const isAlone = this.#calls.size === 0;
    if (isAlone && this.#timeoutsInARow >= TIMEOUTS_UNTIL_STUCK) void this.close('it stopped answering');
  }

  #explained(error: Error): unknown {
    return explained(error, {
      redact: (text) => this.#events.redact(text, 'error'),
      // After a close by us, the stderr of the server does not explain the error.
      lost: (why) => this.connectionError(this.#closing ?? why, this.#closing ? undefined : this.#events.logHint),
    });
  }

  #toSend(params: NonNullable<Params>, options: CallOptions, token: number | undefined): Sent {
    const { conversation = NOBODY, asksForProgress, meta, argumentsText } = options;
    const progressToken = asksForProgress || conversation.progress ? token : undefined;
    const envelope = this.#envelope?.(conversation);
    return paramsToSend(params, { progressToken, envelope, meta, argumentsText });
  }

  #headersFor({ inputSchema }: CallOptions, params: NonNullable<Params>): Record<string, string> | undefined {
    if (inputSchema === undefined || !this.#envelope || !this.#peer.carriesHeaders) return undefined;
    return paramHeaders(inputSchema, params.arguments);
  }
}

/** Removes the subscription id, which only this connection knows. */
function plain({ _meta, ...params }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { [META.subscription]: _, ...meta } = isObject(_meta) ? _meta : {};
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
}
