import { type Answer, isObject, type Params, RpcCode, RpcError } from '../base/index.js';
import { type Routes, type Session, Unanswered } from './session.js';

/** What is known of a client before it has said anything itself. */
export interface Arrival {
  readonly id?: string;
  readonly pid?: number;
  readonly cwd?: string;
}

/** A connected client, as `portolan clients` shows it. */
export interface ConnectedClient {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly pid?: number;
  readonly cwd?: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly since: string;
  readonly calls: number;
  readonly visible: boolean;
}

/** A client that is here, until it is disposed of. */
export interface Visit extends Disposable {
  readonly id: string;
  readonly routes: Routes;
  attach(session: Session): void;
  /** Settles when the client says that it sends no more requests. */
  readonly left: Promise<void>;
}

interface Client {
  readonly id: string;
  readonly arrival: Arrival;
  readonly since: Date;
  session?: Session;
  isVisible: boolean;
}

/** Everything between clients and about them begins with this. */
const PREFIX = 'bridge/';
const LEFT = 'notifications/bridge/left';
const MESSAGE = 'notifications/bridge/message';
const MAX_ID_CHARACTERS = 100;
/** Another client may have to ask a person. */
const REQUEST_MS = 60_000;
/** What a client answers to the gateway alone: another client asking for it would use its model or its person. */
const NOT_BETWEEN_CLIENTS = /^(?:initialize|ping|sampling|elicitation|roots|bridge)(?:\/|$)/;

/** Every connected client, and the way from one to another. */
export class ConnectionManager {
  readonly #clients = new Map<string, Client>();
  readonly #more: (method: string) => Promise<Answer> | undefined;
  #count = 0;

  /** `more` answers what one may ask about the gateway itself. */
  constructor(more: (method: string) => Promise<Answer> | undefined = () => undefined) {
    this.#more = more;
  }

  get size(): number {
    return this.#clients.size;
  }

  list(): ConnectedClient[] {
    return [...this.#clients.values()].map(shown);
  }

  enter(arrival: Arrival): Visit {
    const client: Client = { id: this.#freeId(arrival.id), arrival, since: new Date(), isVisible: true };
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
        notified: (method) => {
          if (method === LEFT) leave();
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
      case 'bridge/send':
        this.#find(from, params.to).session?.tell(MESSAGE, { from: from.id, message: params.message });
        return { value: {} };
      case 'bridge/request':
        return { value: await this.#request(from, params) };
      case 'bridge/visibility':
        if (typeof params.visible !== 'boolean')
          throw new RpcError(RpcCode.invalidParams, 'visible is neither true nor false');
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
    if (typeof method !== 'string') throw new RpcError(RpcCode.invalidParams, 'method is not a text');
    if (NOT_BETWEEN_CLIENTS.test(method))
      throw new RpcError(
        RpcCode.invalidParams,
        `${method.slice(0, MAX_ID_CHARACTERS)} is not for another client to ask`,
      );
    try {
      return await other.session?.ask(method, isObject(params) ? params : {}, REQUEST_MS);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      const why = error instanceof Unanswered ? 'did not answer in time' : 'left before it answered';
      throw new RpcError(RpcCode.internalError, `the client ${other.id} ${why}`);
    }
  }

  #others(from: Client): Client[] {
    return [...this.#clients.values()].filter((one) => one !== from && one.isVisible && one.session?.introduced);
  }

  #find(from: Client, to: unknown): Client {
    const found = this.#others(from).find(({ id }) => id === to);
    if (!found) throw new RpcError(RpcCode.invalidParams, 'there is no such client');
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

function shown({ id, arrival, since, session, isVisible }: Client): ConnectedClient {
  const { name = 'unknown', version, abilities = {}, pid = arrival.pid } = session?.introduced ?? {};
  return {
    ...{ id, name, capabilities: abilities, since: since.toISOString() },
    ...{ calls: session?.calls ?? 0, visible: isVisible },
    ...(version !== undefined && { version }),
    ...(pid !== undefined && { pid }),
    ...(arrival.cwd !== undefined && { cwd: arrival.cwd }),
  };
}

/** As much as other clients may know. */
function introduced(client: Client) {
  const { id, name, version, capabilities } = shown(client);
  return { id, name, ...(version !== undefined && { version }), capabilities };
}
