import { homedir } from 'node:os';
import { type Log, silentLog } from '../base/index.js';
import { unclaim } from '../bridge/index.js';
import { ConnectionManager, httpAddress, serveHttp, serveSocket } from '../serve/index.js';
import { announceSelf } from './announce-self.js';
import type { DiscoverOptions } from './discover.js';
import { httpRoutes } from './http-routes.js';
import { aborted, DRAIN_MS } from './serving.js';
import { endStrays } from './start-gateway.js';
import { Workspaces } from './workspaces.js';

export interface DaemonOptions extends DiscoverOptions {
  /** Where it listens. */
  readonly socket: string;
  /** Where it listens beside that, as someone wrote it. */
  readonly http?: string;
  readonly token?: string;
  /** Leaves when nobody has been there for as long as the settings say. */
  readonly leavesWhenIdle?: boolean;
  readonly listening: (where: readonly string[]) => void;
  readonly ending: AbortSignal;
  readonly log?: Log;
  readonly version?: string;
}

/** How often it looks whether its name still leads to it, and whether anybody is left. */
const LOOK_MS = 5_000;

/** Serves every client of this user until it is told to end, nobody has come for long, or another took its name. */
export async function serveEverybody(options: DaemonOptions): Promise<void> {
  const { socket, http: written, token, leavesWhenIdle = false, listening, ending, ...rest } = options;
  const { log = silentLog, version = '0', ...own } = rest;
  const address = written === undefined ? undefined : httpAddress(written, token);
  const stopping = new AbortController();
  const home = own.home ?? homedir();
  await using workspaces = new Workspaces({ own: { ...own, home, cwd: own.cwd ?? home }, home, version, log });
  const since = new Date().toISOString();
  let url: string | undefined;
  const status = () => ({
    ...{ pid: process.pid, version, since, socket, ...(url !== undefined && { http: url }) },
    clients: clients.list(),
    processes: processesOf(workspaces, clients),
  });
  const clients = new ConnectionManager((method) => {
    if (method === 'bridge/status') return Promise.resolve({ value: status() });
    if (method !== 'bridge/stop') return undefined;
    setImmediate(() => stopping.abort()); // after the answer
    return Promise.resolve({ value: { pid: process.pid } });
  });
  // The user's own settings say how long to stay; wrong ones end the start, as they do everywhere.
  using house = await workspaces.enter(undefined);
  const { serving } = house;
  // First, so that whoever reaches the socket can be told where else to come.
  const { allowedHosts } = serving.running.gateway.view.settings.http;
  let overHttp = () => 0;
  await using http = address
    ? await serveHttp({
        address,
        session: serving.session,
        limits: serving.limits,
        log,
        allowedHosts: () => allowedHosts,
        routes: httpRoutes(() => serving.running.discovery, {
          ...{ version, calls: workspaces.shared.calls, pool: workspaces.shared.pool },
          clients: () => ({ socket: clients.size, http: overHttp() }),
        }),
        ...(token !== undefined && { token }),
      })
    : undefined;
  using _told = http && serving.tell((notice) => http.notice(notice));
  url = http?.url;
  overHttp = () => http?.clients ?? 0;
  let emptySince = performance.now();
  const sockets = await serveSocket({
    path: socket,
    clients,
    enter: (context) => workspaces.enter(context),
    // Whoever has one for himself, or reaches it from elsewhere, would miss it.
    about: { version, yields: leavesWhenIdle && address === undefined },
    changed: () => {
      emptySince = performance.now();
    },
  });
  unclaim(socket);
  void endStrays(serving.running.discovery, log);
  const look = setInterval(() => {
    const { daemonIdleMs } = serving.running.gateway.view.settings.timeouts;
    const isIdle = leavesWhenIdle && !http && clients.size === 0 && performance.now() - emptySince > daemonIdleMs;
    if (isIdle) log('info', 'nobody has been here for long');
    else if (!sockets.isOurs()) log('warn', 'another daemon has taken the socket', { socket });
    else return;
    stopping.abort();
  }, LOOK_MS);
  const reachable = { socket, ...(url !== undefined && { url }), isEverybodys: true };
  const announced = await announceSelf(serving.running.discovery.host, reachable, log);
  listening([socket, ...(url === undefined ? [] : [url])]);
  await aborted(AbortSignal.any([ending, stopping.signal]));
  clearInterval(look);
  await announced[Symbol.asyncDispose](); // nobody is sent where nobody listens
  await Promise.all([sockets.drain(DRAIN_MS), http?.drain(DRAIN_MS)]);
}

/** The processes of servers that run now, without anything secret. */
function processesOf({ shared }: Workspaces, clients: ConnectionManager) {
  const names = new Map(clients.list().map(({ id, name }) => [id, name]));
  return shared.pool.running().map(({ state, pid, servers, tenants, callsMade, callers }) => ({
    server: servers[0]?.name ?? '',
    state,
    ...(pid !== undefined && { pid }),
    // Who comes over HTTP has no name here, and what tells it from others is its own affair.
    users: callers.map((id) => (names.has(id) ? { id, name: names.get(id) } : { id: 'http' })),
    workspaces: tenants.length,
    calls: callsMade,
  }));
}
