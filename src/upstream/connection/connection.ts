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

/** More tools than any server has; a list without an end must not fill the memory. */
const MAX_ITEMS = 20_000;
const MAX_PAGES = 1_000;
/** A server that let this many calls in a row run out of time is taken to be stuck. */
const TIMEOUTS_UNTIL_STUCK = 3;

export interface CallOptions extends AnswerTimeouts {
  /** The name under which the client knows the server; what the server asks of the client carries it. */
  readonly server?: string;
  /** With whom a client's request is spoken about; absent for what we ask for ourselves. */
  readonly conversation?: Partial<Conversation>;
  /** Also where nobody looks at it. */
  readonly asksForProgress?: boolean;
  /** What the tool takes, for servers behind those who read headers and no bodies. */
  readonly inputSchema?: unknown;
  /** The arguments of a tool as JSON, by whoever has written them already and says nothing else but the tool's name. */
  readonly argumentsText?: string | undefined;
  /** Travels with the call: trace context and the like. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

export interface ConnectionEvents {
  /** Something that the server says unasked and to nobody: a list changed, a resource was updated. */
  onNotification(method: string, params: Readonly<Record<string, unknown>>): void;
  /** The server does what it was asked for, until the connection ends. */
  onAccepted?(method: string, params: Readonly<Record<string, unknown>>): void;
  /** Called once. `reason` is for people. */
  onClose(reason: string | undefined): void;
  /** Something came that is no message; counted, never answered. */
  onInvalidMessage(): void;
  /** The last words of the server, for an error's text. */
  stderrTail(): string;
  /** Where a person finds out why it was lost. */
  readonly logHint?: string;
  /** Takes out what may not be shown. In the result of a failed tool, values of the entry that are no secrets stay. */
  redact(text: string, of: 'error' | 'result'): string;
  /** The roots of whoever is served, for a server that asks before anything is called. */
  roots?(): Promise<Record<string, unknown>>;
  /** The server wants to know where its client works. */
  onRootsRequest?(): void;
}

const MAX_WATCHED = 1_000;
/** What a server that does not read may make us hold. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;

type Envelope = (conversation: Partial<Conversation>) => Readonly<Record<string, unknown>>;

const NOBODY: Partial<Conversation> = {};
/** Requests whose effect lasts as long as the connection. */
const LASTING: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);
/** What we ask for ourselves has no client to be asked. */
const UNNAMED = 'unnamed';
const NEVER = new AbortController().signal;

/** An open connection to one server, spoken to in MCP. */
export class Connection {
  readonly #peer: Peer;
  readonly #events: ConnectionEvents;
  readonly #flights: CallsInFlight;
  readonly #clock: AnswerDeadlines;
  readonly #channel: RequestChannel;
  readonly #watched = new Map<string, AbortController>();
  #timeoutsInARow = 0;
  #greeting: ServerHandshake | undefined;
  #closing: string | undefined;
  /** What a stateless server wants to hear with every request. */
  #envelope: Envelope | undefined;

  constructor(channel: Channel, events: ConnectionEvents) {
    this.#events = events;
    this.#flights = new CallsInFlight(events.roots?.bind(events));
    this.#clock = new AnswerDeadlines(channel.isInProcess === true);
    this.#peer = new Peer(
      channel,
      {
        request: async ({ method, params = {} }) => ({ value: await this.#asked(method, params) }),
        notification: (method, params) => this.#onNotification(method, params),
        noise: () => {
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
      flights: this.#flights,
      isAlive: () => {
        this.#timeoutsInARow = 0;
      },
      onTimeout: (request) => this.#onTimeout(request),
      explained: (error) => this.#explained(error),
      shown: (result) => shownResult(result, (text) => events.redact(text, 'result')),
    };
  }

  get greeting(): ServerHandshake {
    if (!this.#greeting) throw new Error('the server has not been greeted');
    return this.#greeting;
  }

  /** What was learned from the greeting. A stateless server wants an envelope around every request. */
  greeted(greeting: ServerHandshake, envelope?: Envelope): void {
    this.#greeting = greeting;
    this.#envelope = envelope;
    this.#peer.agreed(greeting.protocolVersion);
  }

  notify(method: string, params?: Params): void {
    this.#peer.notify(method, params);
  }

  /** Everything that a server lists under a method, page after page, as it came: nothing of it is checked here. */
  async list(method: string, key: string, options: CallOptions): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    const seen = new Set<string>();
    const ends = performance.now() + options.totalMs;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      // The time is for all pages: a list that always has another must not keep us for good.
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

  /** As it came, but for tools that cannot be called on this road. */
  async listTools(options: CallOptions): Promise<readonly unknown[]> {
    const tools = await this.list('tools/list', 'tools', options);
    if (!this.#envelope || !this.#peer.carriesHeaders) return tools;
    return tools.filter((tool) => !isObject(tool) || headerFault(tool.inputSchema) === undefined);
  }

  callTool(name: string, toolArguments: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolResult> {
    return this.request('tools/call', { name, arguments: toolArguments }, options);
  }

  /** Rejects with a `PortolanError` whose code says whether the server, the time or the connection failed. */
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
    const { brought } = conversation;
    // Who says more than at first has not written it yet.
    const send = (asked: Readonly<Record<string, unknown>>) =>
      this.#request(method, asked, asked === params ? options : { ...options, argumentsText: undefined });
    const first = brought ? withAnswers(params, brought) : params;
    if (conversation.takesQuestions) return withUrlElicitation(conversation, () => send(first));
    const answer = send(first);
    // Only a stateless server answers with questions.
    if (!this.#envelope) return answer;
    return answer.then((given) =>
      asksForMore(given, conversation) ? answerQuestions(given, params, conversation, send) : given,
    );
  }

  /** A request that stays open as long as the connection, for servers that say nothing unasked. Who refuses it says nothing. */
  listen(notifications: Readonly<Record<string, unknown>>, signal: AbortSignal = NEVER): void {
    const forEver = { timeoutMs: LONGEST_TIMER_MS, totalMs: LONGEST_TIMER_MS, conversation: { signal } };
    this.#request('subscriptions/listen', { notifications }, forEver).catch(() => undefined);
  }

  /** A stateless server has no subscriptions: somebody listens, or nobody does. */
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
    if (method === 'roots/list') this.#events.onRootsRequest?.();
    if (method === 'sampling/createMessage' || method === 'elicitation/create' || method === 'roots/list')
      return this.#flights.ask(method, params);
    throw new RpcError(RpcCode.methodNotFound, `${method} is not supported here`);
  }

  #onNotification(method: string, params: Params = {}): void {
    if (method === 'notifications/progress') this.#flights.progress(params);
    else if (method === 'notifications/message') this.#flights.log(params);
    // These two are about requests between us and the server: their numbers mean nothing to anybody else. Other names are ours.
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
    // What no client asked for is nobody's call: the lists that we read for ourselves, a request that lives as long as the connection.
    const isAsked = conversation.client !== undefined || conversation.progress !== undefined;
    const isCall = isAsked && method !== 'subscriptions/listen';
    const asking = { method, timeouts: options, conversation, server: options.server ?? UNNAMED, isCall };
    return isCall && this.#flights.mustWait(callerOf(conversation))
      ? this.#flights.inTurn(conversation, options.timeoutMs, () => this.#send(asking, params, options))
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
    // Whoever else waits may yet get an answer, which shows that it is slow and not stuck.
    const isAlone = this.#flights.size === 0;
    if (isAlone && this.#timeoutsInARow >= TIMEOUTS_UNTIL_STUCK) void this.close('it stopped answering');
  }

  #explained(error: Error): unknown {
    return explained(error, {
      redact: (text) => this.#events.redact(text, 'error'),
      // What was ended from here has left no last words about it.
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

/** Under which number we listen for it is between us and the server. */
function plain({ _meta, ...params }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { [META.subscription]: _, ...meta } = isObject(_meta) ? _meta : {};
  return Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
}
