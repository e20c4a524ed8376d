import {
  type Answer,
  type Channel,
  ErrorCode,
  type Id,
  isObject,
  type Log,
  type Params,
  Peer,
  PortolanError,
  RpcCode,
  RpcError,
} from '../base/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Conversation } from '../model/index.js';
import { type MetaCall, readMetaCall } from './meta-arguments.js';
import { instructions, metaTools } from './meta-tools.js';
import { complete, discovery, eraOf, LEGACY_VERSIONS, listHints } from './revisions.js';

/** What a client that does not read its answers may make us hold. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;
const MAX_CLIENT_NAME_CHARACTERS = 100;

export interface SessionOptions {
  readonly gateway: Gateway;
  readonly version: string;
  readonly log: Log;
}

/** One client and what it has asked so far: the MCP face of the gateway. */
export class Session {
  readonly #gateway: Gateway;
  readonly #options: SessionOptions;
  readonly #peer: Peer;
  readonly #running = new Map<Id, AbortController>();
  readonly #gone = withResolvers();
  #client = 'unknown';
  #drained: (() => void) | undefined;
  #isDraining = false;

  constructor(channel: Channel, options: SessionOptions) {
    this.#gateway = options.gateway;
    this.#options = options;
    this.#peer = new Peer(channel, {
      request: (request) => this.#answer(request),
      notification: (method, params) => this.#notified(method, params),
      noise: () => 'answer',
      closed: () => this.#gone.resolve(),
      fault: (error) =>
        options.log('error', 'internal error', { error: error instanceof Error ? error.stack : String(error) }),
    });
  }

  /** Settles when the client has said all it will. */
  get ended(): Promise<void> {
    return this.#gone.promise;
  }

  /** Our own list is another one now. */
  toolsChanged(): void {
    this.#peer.notify('notifications/tools/list_changed');
  }

  /** Takes no new request, lets the running ones end for a while, then cancels what is left. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    if (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
        setTimeout(resolve, limitMs).unref();
      });
    }
    for (const controller of this.#running.values()) controller.abort();
    await this.#peer.close();
  }

  #notified(method: string, params: Params): void {
    if (method !== 'notifications/cancelled') return;
    const id = params?.requestId;
    if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.abort();
  }

  async #answer({ id, method, params }: { id: Id; method: string; params: Params }): Promise<Answer> {
    if (this.#isDraining) throw new RpcError(RpcCode.internalError, 'the gateway is shutting down');
    if (this.#running.has(id)) throw new RpcError(RpcCode.invalidRequest, 'this id is still in use');
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      return await this.#dispatch(method, params, controller.signal);
    } finally {
      this.#running.delete(id);
      // The answer is sent when this is over: whoever waits for the last one must not close the pipe before it.
      if (this.#running.size === 0) setImmediate(() => this.#drained?.());
    }
  }

  async #dispatch(method: string, params: Params, signal: AbortSignal): Promise<Answer> {
    const era = eraOf(params);
    switch (method) {
      case 'initialize':
        return { value: this.#initialize(params) };
      case 'server/discover':
        return { value: complete(discovery(this.#serverInfo(), instructions(this.#aliases())), 'modern') };
      case 'ping':
        return { value: complete({}, era) };
      case 'tools/list':
        return { value: complete({ tools: metaTools(this.#aliases()), ...listHints(era) }, era) };
      case 'tools/call': {
        const answer = await this.#call(params, signal);
        return era === 'modern' ? { value: complete(objectOf(answer), era) } : answer;
      }
      default:
        throw new RpcError(RpcCode.methodNotFound, `unknown method ${method.slice(0, 100)}`);
    }
  }

  #initialize(params: Params): object {
    const wanted = params?.protocolVersion;
    if (typeof wanted !== 'string') throw new RpcError(RpcCode.invalidParams, 'initialize names no protocolVersion');
    const info = isObject(params?.clientInfo) ? params.clientInfo : {};
    if (typeof info.name === 'string') this.#client = info.name.slice(0, MAX_CLIENT_NAME_CHARACTERS);
    return {
      protocolVersion: LEGACY_VERSIONS.find((known) => known === wanted) ?? LEGACY_VERSIONS[0],
      capabilities: { tools: { listChanged: true } },
      serverInfo: this.#serverInfo(),
      instructions: instructions(this.#aliases()),
    };
  }

  #serverInfo() {
    return { name: 'portolan', title: 'Portolan', version: this.#options.version };
  }

  #aliases(): string[] {
    return this.#gateway.view.servers.filter(({ admitted }) => admitted).map(({ alias }) => alias);
  }

  async #call(params: Params, signal: AbortSignal): Promise<Answer> {
    const name = params?.name;
    if (typeof name !== 'string') throw new RpcError(RpcCode.invalidParams, 'tools/call names no tool');
    const given = params?.arguments;
    try {
      const call = readMetaCall(name, given);
      if (!call) throw new RpcError(RpcCode.invalidParams, `Unknown tool: ${name.slice(0, 100)}`);
      if (this.#peer.backlogBytes > MAX_BACKLOG_BYTES) throw unreadAnswers();
      return await this.#run(call, this.#conversation(params, signal), passedOn(params?._meta));
    } catch (error) {
      // What the model can mend comes back as a result; anything else is our fault and must surface as one.
      if (!(error instanceof PortolanError)) throw error;
      return failed(error, given);
    }
  }

  async #run(call: MetaCall, conversation: Conversation, meta: Record<string, unknown> | undefined): Promise<Answer> {
    const gateway = this.#gateway;
    switch (call.tool) {
      case 'list_mcp_servers':
        return structured(await gateway.listServers(conversation));
      case 'search_tools': {
        const { results, ...rest } = await gateway.searchTools(call.query, call, conversation);
        // Why a tool was found is for people who look into the search.
        return structured({ results: results.map(({ why: _, ...result }) => result), ...rest });
      }
      case 'list_tools':
        return structured(await gateway.listTools(call.server, call));
      case 'get_tool_details':
        return structured(await gateway.getToolDetails(call.server, call.name));
      case 'execute_tool': {
        const { server, name, toolArguments } = call;
        const { value, bytes } = await gateway.executeTool(server, name, toolArguments, conversation, meta);
        return bytes ? { bytes } : { value };
      }
    }
  }

  #conversation(params: Params, signal: AbortSignal): Conversation {
    const meta = isObject(params?._meta) ? params._meta : {};
    const { progressToken } = meta;
    const isWanted = typeof progressToken === 'string' || typeof progressToken === 'number';
    return {
      client: this.#client,
      signal,
      ...(isWanted && {
        progress: (step) => {
          if (!signal.aborted) this.#peer.notify('notifications/progress', { ...step, progressToken });
        },
      }),
    };
  }
}

/** The answer as compact JSON for a model, and the same as a value for a program. */
function structured(value: object): Answer {
  return { value: { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value } };
}

function failed(error: PortolanError, given: unknown): Answer {
  const { server, tool } = isObject(given) ? given : {};
  const value = {
    success: false,
    error: {
      code: error.code,
      message: error.message,
      ...(typeof server === 'string' && { server: server.slice(0, 100) }),
      ...(typeof tool === 'string' && { tool: tool.slice(0, 100) }),
      ...(error.hint !== undefined && { hint: error.hint }),
    },
  };
  return {
    value: { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value, isError: true },
  };
}

function objectOf(answer: Answer): Record<string, unknown> {
  const value: unknown = 'bytes' in answer ? JSON.parse(answer.bytes.toString()) : answer.value;
  return isObject(value) ? value : {};
}

/** What travels on with a call: everything but what is meant for this hop. */
function passedOn(meta: unknown): Record<string, unknown> | undefined {
  if (!isObject(meta)) return undefined;
  const rest = Object.entries(meta).filter(
    ([key]) => key !== 'progressToken' && !key.startsWith('io.modelcontextprotocol/'),
  );
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function unreadAnswers(): PortolanError {
  return new PortolanError(ErrorCode.LimitExceeded, 'too many answers wait to be read', {
    hint: 'read the answers of earlier calls first',
  });
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
