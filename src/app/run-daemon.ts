import { homeFolder, isInRuntimeFolder, type Log, legacySocketPath, silentLog } from '../base/index.js';
import { releaseStartClaim } from '../bridge/index.js';
import type { DiscoverOptions } from '../discovery/index.js';
import { ConnectionManager, httpAddress, LegacyLink, metaToolNames, serveHttp, serveSocket } from '../serve/index.js';
import { announceSelf } from './announce-self.js';
import { recordDaemon } from './daemon-process.js';
import { aborted } from './gateway-serving.js';
import { httpRoutes } from './http-routes.js';
import { skippedLog } from './skipped-entries.js';
import { endOrphans } from './start-gateway.js';
import { Workspaces } from './workspaces.js';

export interface DaemonOptions extends DiscoverOptions {
  /** The socket path. */
  readonly socket: string;
  /** A further HTTP address, as the user wrote it. */
  readonly http?: string;
  readonly token?: string;
  /** Exit after the idle time in the settings. */
  readonly leavesWhenIdle?: boolean;
  readonly listening: (where: readonly string[]) => void;
  readonly ending: AbortSignal;
  readonly log?: Log;
  readonly version?: string;
}

/** The interval of the checks for a taken socket path and for remaining clients. */
const POLL_MS = 5_000;
/** The minimum interval, used if `timeouts.daemonIdleMs` is short, so that the daemon exits in time. */
const SHORTEST_POLL_MS = 250;
/** The time for the client that started the daemon to connect. */
const FIRST_MS = 500;
/** A delay, so that the first requests are served before other work. */
const SETTLED_MS = 250;

/** Serves all clients of the user until the signal aborts, the idle time is over, or another daemon took the path. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { socket, http: written, token, leavesWhenIdle = false, listening, ending, ...rest } = options;
  const { log = silentLog, version = '0', ...own } = rest;
  const address = written === undefined ? undefined : httpAddress(written, token);
  // Recorded first, because the program file may be replaced while this process starts.
  const isReplaced = leavesWhenIdle && own.self !== undefined ? replacement(own.self) : () => false;
  const stopping = new AbortController();
  const home = own.home ?? homeFolder();
  await using workspaces = new Workspaces({ own: { ...own, home, cwd: own.cwd ?? home }, home, version, log });
  const since = new Date().toISOString();
  let url: string | undefined;
  let isAnnounced = false;
  const status = () => ({
    ...{ pid: process.pid, version, since, socket, ...(url !== undefined && { http: url }) },
    announced: isAnnounced,
    clients: clients.list(),
    processes: processesOf(workspaces, clients),
  });
  const clients = new ConnectionManager((method) => {
    if (method === 'bridge/status') return Promise.resolve({ value: status() });
    if (method !== 'bridge/stop') return undefined;
    setImmediate(() => stopping.abort()); // after the response is sent
    return Promise.resolve({ value: { pid: process.pid } });
  });
  // HTTP clients get the workspace of the home directory; `daemon status` lists both addresses.
  const early = address && (await workspaces.enter(undefined));
  let overHttp = () => 0;
  await using http =
    early &&
    (await serveHttp({
      address,
      session: early.serving.session,
      limits: early.serving.limits,
      log,
      onClient: (session) => clients.registerHttpClient(session),
      allowedHosts: () => early.serving.running.gateway.view.settings.http.allowedHosts,
      routes: httpRoutes(() => early.serving.running.discovery, {
        ...{ version, calls: workspaces.shared.calls, pool: workspaces.shared.pool },
        clients: () => ({ socket: clients.size - overHttp(), http: overHttp() }),
      }),
      ...(token !== undefined && { token }),
    }));
  using _told = http && early?.serving.tell((notice) => http.notice(notice));
  url = http?.url;
  overHttp = () => http?.clients ?? 0;
  let emptySince = performance.now();
  let arrived: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const sockets = await serveSocket({
    path: socket,
    clients,
    enter: (context) => workspaces.enter(context),
    // A daemon that was started by hand or serves HTTP does not yield to a newer one, because its users would lose it.
    about: { version, yields: leavesWhenIdle && address === undefined },
    changed: () => {
      emptySince = performance.now();
      arrived();
    },
  });
  releaseStartClaim(socket);
  using _record = recordDaemon(socket, log);
  const over = AbortSignal.any([ending, stopping.signal]);
  // The client that started the daemon is waiting, so everything that can wait starts after the first request.
  if (!early) await Promise.race([first.then(() => later(SETTLED_MS)), aborted(over), later(FIRST_MS)]);
  using setup =
    early ??
    (await workspaces.enter(undefined).catch(async (error: unknown) => {
      await sockets.drain(0); // invalid settings end the start, as in every command
      throw error;
    }));
  const { serving } = setup;
  const env = own.env ?? process.env;
  const isServing = () => sockets.isOurs();
  using link = isInRuntimeFolder(socket, env)
    ? new LegacyLink({ path: legacySocketPath(env), socket, isServing, log })
    : undefined;
  const refreshLink = () => link?.refresh(serving.running.gateway.view.settings.mcpBridge.legacyLink);
  await refreshLink();
  skippedLog(log)(serving.running.discovery);
  void endOrphans(serving.running.discovery, log);
  const timeouts = () => serving.running.gateway.view.settings.timeouts;
  let nextPoll: NodeJS.Timeout | undefined;
  const lookLater = () => {
    const delayMs = Math.min(POLL_MS, Math.max(SHORTEST_POLL_MS, timeouts().daemonIdleMs / 2));
    nextPoll = setTimeout(poll, delayMs);
  };
  const poll = () => {
    const emptyMs = performance.now() - emptySince;
    // A server that takes long to start is wanted by the next call, although its client has given up.
    const isUnused = clients.size === 0 && workspaces.shared.pool.states().starting === 0;
    const isIdle = leavesWhenIdle && !http && isUnused && emptyMs > timeouts().daemonIdleMs;
    if (isIdle) log('info', 'exiting: no client has been connected for the idle time');
    else if (isReplaced())
      log('info', 'exiting: the program file was replaced; the next client starts the new version');
    else if (!sockets.isOurs()) log('warn', 'exiting: another daemon has taken the socket path', { socket });
    else {
      void refreshLink();
      return lookLater();
    }
    stopping.abort();
  };
  lookLater();
  const tools = metaToolNames(serving.running.gateway.offersPython);
  const { calls } = workspaces.shared;
  const reachable = { socket, ...(url !== undefined && { url }), servesAllProjects: true, tools, calls };
  const announced = await announceSelf(serving.running.discovery.host, reachable, log);
  isAnnounced = true;
  listening([socket, ...(url === undefined ? [] : [url])]);
  await aborted(over);
  clearTimeout(nextPoll);
  await announced[Symbol.asyncDispose](); // remove the registry entry before the server stops listening
  // Before the socket path is freed, because then the link may belong to the next daemon.
  link?.[Symbol.dispose]();
  const { shutdownMs } = timeouts();
  await Promise.all([sockets.drain(shutdownMs), http?.drain(shutdownMs)]);
}

/** Reports a replaced or removed program file, once it is stable between two checks: an installation takes a while. */
function replacement(program: string): () => boolean {
  const { statSync } = process.getBuiltinModule('node:fs');
  const identity = () => {
    const facts = statSync(program, { throwIfNoEntry: false });
    return facts && `${facts.ino} ${facts.size} ${facts.mtimeMs}`;
  };
  const began = identity();
  let last = began;
  return () => {
    const before = last;
    last = identity();
    return last !== began && last === before;
  };
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The running server processes, without secrets. */
function processesOf({ shared }: Workspaces, clients: ConnectionManager) {
  const names = new Map(clients.list().map(({ id, name }) => [id, name]));
  return shared.pool.running().map(({ state, pid, era, servers, workspaces, callsMade, callers }) => ({
    server: servers[0]?.name ?? '',
    state,
    ...(pid !== undefined && { pid }),
    ...(era !== undefined && { era }),
    // HTTP clients have no name here, and their session ids must stay secret.
    users: callers.map((id) => (names.has(id) ? { id, name: names.get(id) } : { id: 'http' })),
    workspaces: workspaces.length,
    calls: callsMade,
  }));
}
