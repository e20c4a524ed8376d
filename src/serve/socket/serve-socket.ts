import type { Socket } from 'node:net';
import { isObject, PortolanError } from '../../base/index.js';
import { type Incoming, RpcCode, StreamChannel, type StreamLimits } from '../../rpc/index.js';
import type { ClientRoutingPolicy, ConnectingClient, ConnectionManager } from '../session/connection-manager.js';
import { Session, type SessionOptions } from '../session/session.js';
import { FirstMessage } from './first-message.js';
import { listenSocket } from './listen-socket.js';
import { watchSocket } from './watch-socket.js';

/** The environment of a client, as its bridge reports it. */
export interface ClientContext extends ConnectingClient {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The client's start options: another config file, servers of its own, one server to expose. */
  readonly options: Readonly<Record<string, unknown>>;
  /** State of the client was lost with an earlier daemon. */
  readonly hasLost: boolean;
}

/** The workspace's handler of one client, until the client disconnects. */
export interface ConnectHandler extends Disposable {
  readonly session: Omit<SessionOptions, 'label' | 'principal' | 'routes'>;
  readonly limits: () => StreamLimits;
  readonly routingPolicy: () => ClientRoutingPolicy;
  /** Facts about the workspace for the client's bridge, sent when it connects. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** `id` identifies the servers that belong to this client alone. */
  joined(session: Session, id: string): void;
}

export interface SocketOptions {
  readonly path: string;
  readonly clients: ConnectionManager;
  /** Finds or creates the workspace of a client; without a context, the user's default one. */
  readonly enter: (context: ClientContext | undefined) => Promise<ConnectHandler>;
  /** Facts about the daemon for the client's bridge. */
  readonly about: Readonly<Record<string, unknown>>;
  /** Called whenever a client connects or disconnects. */
  readonly changed: () => void;
  readonly timeouts?: SocketTimeouts;
}

/** Time limits for clients that may never send or finish. */
interface SocketTimeouts {
  /** The time limit for the first message. */
  readonly firstMessageMs: number;
  /** The time limit for the calls of a client that has ended its side of the connection. */
  readonly halfClosedMs: number;
}

/** All clients connected through the socket. */
export interface SocketServing {
  /** Announces the shutdown to clients, waits for running requests up to the limit, then disconnects. */
  drain(limitMs: number): Promise<void>;
  isOurs(): boolean;
}

const OPEN = 'bridge/open';
const LEAVING = 'notifications/bridge/leaving';
const DEFAULT_TIMEOUTS: SocketTimeouts = { firstMessageMs: 30_000, halfClosedMs: 60_000 };
/** The time for a client to react to the announced shutdown. */
const LEAVE_MS = 2_000;
/** Limits before the client and its settings are known. */
const FIRST_LIMITS: StreamLimits = { maxLineBytes: 4 * 1024 * 1024, maxDepth: 128 };

/** Serves any number of clients of both eras, each in its own workspace. */
export async function serveSocket(options: SocketOptions): Promise<SocketServing> {
  const leaving = new Set<(limitMs: number) => Promise<void>>();
  const listening = await listenSocket(options.path, (socket) => {
    socket.on('error', () => undefined); // `close` follows and ends the session
    void serveOne(socket, options, leaving).catch(() => socket.destroy());
  });
  return {
    isOurs: listening.isOurs,
    drain: async (limitMs) => {
      listening.stop();
      await Promise.race([Promise.all([...leaving].map((leave) => leave(limitMs))), later(limitMs + LEAVE_MS)]);
    },
  };
}

async function serveOne(
  socket: Socket,
  { clients, enter, about, changed, timeouts = DEFAULT_TIMEOUTS }: SocketOptions,
  leaving: Set<(limitMs: number) => Promise<void>>,
): Promise<void> {
  let limits = () => FIRST_LIMITS;
  const channel = new FirstMessage(new StreamChannel(socket, socket, () => limits()));
  const tooLate = setTimeout(() => socket.destroy(), timeouts.firstMessageMs);
  const first = await channel.first;
  clearTimeout(tooLate);
  if (!first) return void socket.end();
  const context = first.kind === 'request' && first.method === OPEN ? readContext(first) : undefined;
  if (context === 'broken') return refuse(channel, first, 'bridge/open must contain home, cwd and env');
  socket.pause(); // later messages wait until the session is attached
  let onConnect: ConnectHandler;
  try {
    onConnect = await enter(context);
  } catch (error) {
    if (error instanceof PortolanError)
      return refuse(channel, first, error.message, { code: error.code, hint: error.hint });
    throw error;
  }
  using _entrance = onConnect;
  limits = onConnect.limits;
  using connection = clients.enter(context ?? {}, onConnect.routingPolicy);
  if (context && first.kind === 'request') {
    channel.take();
    channel.send({
      kind: 'result',
      id: first.id,
      answer: { value: { ...about, ...onConnect.about, id: connection.id } },
    });
  }
  const { id, routes } = connection;
  const session = new Session(channel, {
    ...{ ...onConnect.session, label: id, principal: id, routes },
    lostState: context?.hasLost === true,
  });
  connection.attach(session);
  onConnect.joined(session, id);
  socket.resume();
  changed();
  // After a disconnect nobody can receive the responses.
  socket.once('close', () => session.cancelAll());
  const leave = async (limitMs: number) => {
    if (context) {
      session.tell(LEAVING, {});
      // Requests that the client sent before it got the announcement are still served.
      await Promise.race([connection.left, session.ended, later(LEAVE_MS)]);
    }
    await session.drain(limitMs);
  };
  leaving.add(leave);
  using _watch = watchSocket(socket, session);
  await session.ended;
  await session.drain(timeouts.halfClosedMs);
  leaving.delete(leave);
  socket.destroySoon();
  setImmediate(changed);
}

async function refuse(channel: FirstMessage, first: Incoming, message: string, data?: unknown): Promise<void> {
  const id = first.kind === 'request' ? first.id : null;
  const fault = { code: RpcCode.invalidParams, message, ...(data !== undefined && { data }) };
  channel.send({ kind: 'fault', id, fault });
  await channel.close();
}

function readContext({ params }: Extract<Incoming, { kind: 'request' }>): ClientContext | 'broken' {
  const { home, cwd, env, options, id, pid, hasLost } = params ?? {};
  if (typeof home !== 'string' || typeof cwd !== 'string' || !isObject(env)) return 'broken';
  const variables = Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    home,
    cwd,
    env: Object.fromEntries(variables),
    options: isObject(options) ? options : {},
    hasLost: hasLost === true,
    ...(typeof id === 'string' && id !== '' && { id }),
    ...(typeof pid === 'number' && { pid }),
  };
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
