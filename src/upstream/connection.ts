import {
  AnswerTooLarge,
  type Channel,
  ChannelClosed,
  ErrorCode,
  isObject,
  type Params,
  Peer,
  PortolanError,
  RpcCode,
  RpcError,
} from '../base/index.js';
import type { Progress, ServerGreeting, ToolResult } from '../model/index.js';

/** The newest revision of the `initialize` generation first, then every older one that servers still answer with. */
const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

/** More tools than any server has; a list without an end must not fill the memory. */
const MAX_TOOLS = 20_000;
const MAX_PAGES = 1_000;
/** A server that let this many calls in a row run out of time is taken to be stuck. */
const TIMEOUTS_UNTIL_STUCK = 3;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Without an answer or progress for this long, the call is given up. */
  readonly timeoutMs: number;
  /** Progress does not keep a call alive for longer than this. */
  readonly totalMs: number;
  readonly onProgress?: (step: Progress) => void;
  /** Travels with the call: trace context and the like. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface ConnectionEvents {
  toolsChanged(): void;
  /** Called once. `reason` is for people. */
  closed(reason: string | undefined): void;
  /** Something came that is no message; counted, never answered. */
  noise(): void;
  /** The last words of the server, for an error's text. */
  lastWords(): string;
  /** Takes out what may not be shown. */
  redact(text: string): string;
}

/** An open connection to one server, spoken to in MCP. */
export class Connection {
  readonly #peer: Peer;
  readonly #events: ConnectionEvents;
  readonly #progress = new Map<number, (params: Record<string, unknown>) => void>();
  #nextToken = 0;
  #timeoutsInARow = 0;
  #greeting: ServerGreeting | undefined;
  #closing: string | undefined;

  constructor(channel: Channel, events: ConnectionEvents) {
    this.#events = events;
    this.#peer = new Peer(channel, {
      request: async ({ method }) => {
        if (method === 'ping') return { value: {} };
        throw new RpcError(RpcCode.methodNotFound, `${method} is not supported here`);
      },
      notification: (method, params) => this.#notified(method, params),
      noise: () => {
        events.noise();
        return 'skip';
      },
      closed: (reason) => events.closed(this.#closing ?? (reason && events.redact(reason.message))),
      fault: () => undefined,
    });
  }

  get greeting(): ServerGreeting {
    if (!this.#greeting) throw new Error('the server has not been greeted');
    return this.#greeting;
  }

  /** Says who we are and learns who the server is. */
  async greet(client: { readonly name: string; readonly version: string }, options: CallOptions): Promise<void> {
    const { value } = await this.#request(
      'initialize',
      { protocolVersion: PROTOCOL_VERSIONS[0], capabilities: {}, clientInfo: client },
      options,
    );
    this.#greeting = this.#readGreeting(value);
    this.#peer.notify('notifications/initialized');
  }

  /** Everything the server lists, page after page, as it came: nothing of it is checked here. */
  async listTools(options: CallOptions): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    const seen = new Set<string>();
    const ends = performance.now() + options.totalMs;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      // The time is for all pages: one that always has another must not keep us for good.
      const totalMs = Math.max(0, ends - performance.now());
      const params = cursor === undefined ? {} : { cursor };
      const { value } = await this.#request('tools/list', params, { ...options, totalMs });
      if (!Array.isArray(value.tools)) throw this.#connectionError('its answer to tools/list has no tools');
      tools.push(...value.tools.slice(0, MAX_TOOLS - tools.length));
      cursor = typeof value.nextCursor === 'string' ? value.nextCursor : undefined;
      if (cursor === undefined || seen.has(cursor) || tools.length >= MAX_TOOLS) break;
      seen.add(cursor);
    }
    return tools;
  }

  /** Rejects with a `PortolanError` whose code says whether the tool, the time or the connection failed. */
  callTool(name: string, toolArguments: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolResult> {
    return this.#request('tools/call', { name, arguments: toolArguments }, options);
  }

  close(reason?: string): Promise<void> {
    this.#closing ??= reason;
    return this.#peer.close();
  }

  #notified(method: string, params: Params): void {
    if (method === 'notifications/tools/list_changed') this.#events.toolsChanged();
    else if (method === 'notifications/progress' && typeof params?.progressToken === 'number')
      this.#progress.get(params.progressToken)?.(params);
  }

  #readGreeting({ protocolVersion, serverInfo, instructions }: Record<string, unknown>): ServerGreeting {
    if (typeof protocolVersion !== 'string') throw this.#connectionError('its answer to initialize names no revision');
    if (!PROTOCOL_VERSIONS.some((known) => known === protocolVersion)) {
      const shown = JSON.stringify(protocolVersion.slice(0, 40));
      throw this.#connectionError(`it speaks revision ${shown}, which is not known here`);
    }
    const info = isObject(serverInfo) ? serverInfo : {};
    return {
      name: typeof info.name === 'string' ? info.name : '',
      version: typeof info.version === 'string' ? info.version : '',
      protocolVersion,
      ...(typeof instructions === 'string' && { instructions }),
    };
  }

  async #request(method: string, params: Record<string, unknown>, options: CallOptions): Promise<ToolResult> {
    const { signal, onProgress, meta } = options;
    if (signal?.aborted) throw cancelled();
    const token = onProgress && this.#nextToken++;
    const { id, answer } = this.#peer.request(method, withMeta(params, meta, token));
    const giveUp = (error: PortolanError) => {
      this.#peer.forget(id, error);
      // The request that begins a connection may not be cancelled.
      if (method !== 'initialize')
        this.#peer.notify('notifications/cancelled', { requestId: id, reason: error.message });
    };
    const clock = this.#limitTime(method, options, giveUp);
    const onAbort = () => giveUp(cancelled());
    signal?.addEventListener('abort', onAbort, { once: true });
    if (token !== undefined) {
      this.#progress.set(token, (step) => {
        clock.again();
        this.#timeoutsInARow = 0;
        const read = readProgress(step);
        if (read) onProgress?.(read);
      });
    }
    try {
      const { result, bytes } = await answer;
      this.#timeoutsInARow = 0;
      if (isObject(result)) return { value: result, ...(bytes && { bytes }) };
      throw new PortolanError(ErrorCode.ToolExecutionError, 'the server answered with something that is no result');
    } catch (error) {
      // Also who refuses has answered.
      if (error instanceof RpcError || error instanceof AnswerTooLarge) this.#timeoutsInARow = 0;
      throw this.#explained(error);
    } finally {
      clock.stop();
      signal?.removeEventListener('abort', onAbort);
      if (token !== undefined) this.#progress.delete(token);
    }
  }

  #limitTime(method: string, { timeoutMs, totalMs }: CallOptions, giveUp: (error: PortolanError) => void) {
    const ends = performance.now() + totalMs;
    const onTimeout = () => {
      this.#timeoutsInARow += 1;
      giveUp(timedOut(method, Math.min(timeoutMs, totalMs)));
      if (this.#timeoutsInARow >= TIMEOUTS_UNTIL_STUCK) void this.close('it stopped answering');
    };
    let timer = setTimeout(onTimeout, Math.min(timeoutMs, totalMs));
    return {
      again: () => {
        clearTimeout(timer);
        timer = setTimeout(onTimeout, Math.max(0, Math.min(timeoutMs, ends - performance.now())));
      },
      stop: () => clearTimeout(timer),
    };
  }

  #explained(error: unknown): unknown {
    if (error instanceof RpcError)
      return new PortolanError(ErrorCode.ToolExecutionError, this.#events.redact(error.message), { cause: error });
    if (error instanceof AnswerTooLarge) {
      return new PortolanError(ErrorCode.ResultTooLarge, `the result has ${error.bytes} bytes, more than the limit`, {
        hint: 'ask for less at once, or raise limits.maxResultBytes',
      });
    }
    if (error instanceof ChannelClosed) {
      const { cause, message } = error;
      return this.#connectionError(
        this.#closing ?? this.#events.redact(cause instanceof Error ? cause.message : message),
      );
    }
    return error;
  }

  #connectionError(what: string): PortolanError {
    const words = this.#events.lastWords();
    return new PortolanError(ErrorCode.ConnectionError, words === '' ? what : `${what}; its last words: ${words}`);
  }
}

function withMeta(
  params: Record<string, unknown>,
  meta: CallOptions['meta'],
  progressToken: number | undefined,
): Record<string, unknown> {
  if (!meta && progressToken === undefined) return params;
  return { ...params, _meta: { ...meta, ...(progressToken !== undefined && { progressToken }) } };
}

function readProgress({ progress, total, message }: Record<string, unknown>): Progress | undefined {
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

function cancelled(): PortolanError {
  return new PortolanError(ErrorCode.Cancelled, 'the call was cancelled');
}

function timedOut(method: string, timeoutMs: number): PortolanError {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return new PortolanError(ErrorCode.ToolExecutionTimeout, `no answer to ${method} within ${seconds} s`, {
    hint: 'try again, ask for less at once, or raise timeouts.callMs',
  });
}
