import { cleanText, deadline, isObject } from '../../base/index.js';
import { CAPABILITY_FOR } from '../../model/index.js';
import { type Answer, type Params, RpcCode, RpcError } from '../../rpc/index.js';
import { unsupportedByClient } from './conversation.js';
import { ClientSilent, type Routes, type Session } from './session.js';

/** The data about a client that its bridge sends when it connects. */
export interface ConnectingClient {
  readonly id?: string;
  readonly pid?: number;
  readonly cwd?: string;
}

/** A connected client, as `portolan clients` shows it. */
export interface ConnectedClient {
  readonly id: string;
  /** The transport of the connection. */
  readonly transport: 'socket' | 'http';
  readonly name: string;
  readonly version?: string;
  readonly pid?: number;
  readonly cwd?: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly since: string;
  readonly calls: number;
  readonly visible: boolean;
}

/** Whether questions may go from this client to others and back, by the current settings of its workspace. */
export interface ClientRoutingPolicy {
  readonly mayAskOtherClients: boolean;
  readonly mayAnswerForOtherClients: boolean;
}

/** A connected client, until it is disposed of. */
export interface ClientConnection extends Disposable {
  readonly id: string;
  readonly routes: Routes;
  attach(session: Session): void;
  /** Settles when the client announces that it sends no more requests. */
  readonly left: Promise<void>;
}

interface Client {
  readonly id: string;
  readonly connecting: ConnectingClient;
  readonly since: Date;
  readonly routingPolicy: () => ClientRoutingPolicy;
  readonly transport: ConnectedClient['transport'];
  session?: Session;
  isVisible: boolean;
}

/** The prefix of methods for and between clients. */
const PREFIX = 'bridge/';
const LEFT = 'notifications/bridge/left';
const MESSAGE = 'notifications/bridge/message';
const MAX_ID_CHARACTERS = 100;
/** The size limit of one message between clients. */
const MAX_MESSAGE_CHARACTERS = 1_000_000;
/** The time limit of a request to another client, which may have to ask its user. */
const REQUEST_MS = 60_000;
/** Requests that only the gateway may send to a client, because they would use its model or ask its user. */
const NOT_BETWEEN_CLIENTS = /^(?:initialize|ping|sampling|elicitation|roots|bridge)(?:\/|$)/;

/** The capabilities that a client may use on behalf of another; not roots, which describe its own workspace. */
const SHARED_CAPABILITIES = ['sampling', 'elicitation'] as const;
/** Long, because the other client's user may be away. */
const SHARED_REQUEST_MS = 10 * 60_000;
const ALONE: ClientRoutingPolicy = { mayAskOtherClients: false, mayAnswerForOtherClients: false };
const ON_BEHALF = 'portolan/onBehalfOf';

/** The registry of connected clients, and the routing of messages between them. */
export class ConnectionManager {
  readonly #clients = new Map<string, Client>();
  readonly #more: (method: string) => Promise<Answer> | undefined;
  #count = 0;

  /** `more` answers methods about the gateway itself. */
  constructor(more: (method: string) => Promise<Answer> | undefined = () => undefined) {
    this.#more = more;
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Registers an HTTP client. Routing excludes it, because it may be on another machine. */
  registerHttpClient(session: Session): Disposable {
    const id = this.#freeId(undefined);
    const kind = { transport: 'http', routingPolicy: () => ALONE, isVisible: false } as const;
    this.#clients.set(id, { id, connecting: {}, since: new Date(), session, ...kind });
    return { [Symbol.dispose]: () => void this.#clients.delete(id) };
  }

  list(): ConnectedClient[] {
    return [...this.#clients.values()].map(shown);
  }

  enter(connecting: ConnectingClient, routingPolicy: () => ClientRoutingPolicy = () => ALONE): ClientConnection {
    const kind = { transport: 'socket', routingPolicy, isVisible: true } as const;
    const client: Client = { id: this.#freeId(connecting.id), connecting, since: new Date(), ...kind };
    this.#clients.set(client.id, client);
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    return {
      id: client.id,
      left,
      routes: {
        capabilities: { supportsMessageRouting: true },
        answer: (method, params) => (method.startsWith(PREFIX) ? this.#answer(client, method, params) : undefined),
        onNotification: (method) => {
          if (method === LEFT) leave();
        },
        others: {
          capabilities: () => this.#otherCapabilities(client),
          ask: (method, params, signal) => this.#askAnother(client, method, params, signal),
        },
      },
      attach: (session) => {
        client.session = session;
      },
      [Symbol.dispose]: () => {
        this.#clients.delete(client.id);
        leave();
      },
    };
  }

  async #answer(from: Client, method: string, params: NonNullable<Params>): Promise<Answer> {
    switch (method) {
      case 'bridge/clients':
        return { value: { clients: this.#others(from).map(introduced) } };
      case 'bridge/send': {
        const other = this.#find(from, params.to);
        if (other.session?.tell(MESSAGE, { from: from.id, message: sized(params.message) }) === false)
          throw new RpcError(RpcCode.internalError, `the client ${other.id} does not read its messages`);
        return { value: {} };
      }
      case 'bridge/request':
        return { value: await this.#request(from, params) };
      case 'bridge/visibility':
        if (typeof params.visible !== 'boolean')
          throw new RpcError(RpcCode.invalidParams, 'visible must be true or false');
        from.isVisible = params.visible;
        return { value: {} };
      default: {
        const answer = this.#more(method);
        if (answer) return answer;
        throw new RpcError(RpcCode.methodNotFound, `unknown method ${method.slice(0, MAX_ID_CHARACTERS)}`);
      }
    }
  }

  async #request(from: Client, { to, method, params }: Readonly<Record<string, unknown>>): Promise<unknown> {
    const other = this.#find(from, to);
    if (typeof method !== 'string') throw new RpcError(RpcCode.invalidParams, 'method must be a string');
    if (NOT_BETWEEN_CLIENTS.test(method))
      throw new RpcError(
        RpcCode.invalidParams,
        `${method.slice(0, MAX_ID_CHARACTERS)} cannot be sent to another client`,
      );
    try {
      return await other.session?.ask(method, isObject(params) ? sized(params) : {}, REQUEST_MS);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      const why = error instanceof ClientSilent ? 'did not respond in time' : 'disconnected before it responded';
      throw new RpcError(RpcCode.internalError, `the client ${other.id} ${why}`);
    }
  }

  /** The clients that may answer for this client, most recently connected first. */
  #answeringClients(from: Client): Client[] {
    if (!from.routingPolicy().mayAskOtherClients) return [];
    return this.#others(from)
      .filter(({ routingPolicy }) => routingPolicy().mayAnswerForOtherClients)
      .reverse();
  }

  #otherCapabilities(from: Client): Readonly<Record<string, unknown>> | undefined {
    const answering = this.#answeringClients(from);
    const found = SHARED_CAPABILITIES.flatMap((capability) => {
      const client = answering.find((one) => one.session?.introduced?.capabilities?.[capability] !== undefined);
      return client ? [[capability, client.session?.introduced?.capabilities?.[capability]]] : [];
    });
    return found.length > 0 ? Object.fromEntries(found) : undefined;
  }

  async #askAnother(
    from: Client,
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const capability = SHARED_CAPABILITIES.find((one) => one === CAPABILITY_FOR[method]);
    const canIt = ({ session }: Client) => capability && session?.introduced?.capabilities?.[capability] !== undefined;
    const session = this.#answeringClients(from).find(canIt)?.session;
    if (!session) throw unsupportedByClient(method);
    using limit = deadline(SHARED_REQUEST_MS, signal);
    return await session.asker(limit.signal)(method, onBehalf(params, from.id, from.session?.client ?? 'unknown'));
  }

  #others(from: Client): Client[] {
    return [...this.#clients.values()].filter((one) => one !== from && one.isVisible && one.session?.introduced);
  }

  #find(from: Client, to: unknown): Client {
    const found = this.#others(from).find(({ id }) => id === to);
    if (!found) throw new RpcError(RpcCode.invalidParams, 'the client does not exist');
    return found;
  }

  #freeId(wanted: string | undefined): string {
    this.#count += 1;
    const base = wanted?.slice(0, MAX_ID_CHARACTERS) || `client-${this.#count}`;
    let id = base;
    for (let n = 2; this.#clients.has(id); n += 1) id = `${base}-${n}`;
    return id;
  }
}

function shown({ id, transport, connecting, since, session, isVisible }: Client): ConnectedClient {
  const { name = 'unknown', version, capabilities = {}, pid = connecting.pid } = session?.known ?? {};
  return {
    ...{ id, transport, name, capabilities, since: since.toISOString() },
    ...{ calls: session?.calls ?? 0, visible: isVisible },
    ...(version !== undefined && { version }),
    ...(pid !== undefined && { pid }),
    ...(connecting.cwd !== undefined && { cwd: connecting.cwd }),
  };
}

/** Adds the name of the asking client, so that the user does not take the question for one of their own client. */
function onBehalf(params: Readonly<Record<string, unknown>>, id: string, client: string) {
  const name = cleanText(client, MAX_ID_CHARACTERS).text;
  const { _meta, message } = params;
  return {
    ...params,
    ...(typeof message === 'string' && { message: `For another client, ${name}: ${message}` }),
    _meta: { ...(isObject(_meta) ? _meta : {}), [ON_BEHALF]: { id, name } },
  };
}

/** The public part of a client's data, which other clients may see. */
function introduced(client: Client) {
  const { id, name, version, capabilities } = shown(client);
  return { id, name, ...(version !== undefined && { version }), capabilities };
}

/** The message, if it is within the size limit for messages between clients. */
function sized<T>(message: T): T {
  if ((JSON.stringify(message) ?? '').length <= MAX_MESSAGE_CHARACTERS) return message;
  throw new RpcError(RpcCode.invalidParams, `the message is longer than ${MAX_MESSAGE_CHARACTERS} characters`);
}
