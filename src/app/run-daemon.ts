import { homeFolder, isInRuntimeFolder, type Log, legacySocketPath, silentLog } from '../base/index.js';
import { unclaim } from '../bridge/index.js';
import type { DiscoverOptions } from '../discovery/index.js';
import { ConnectionManager, httpAddress, LegacyLink, metaToolNames, serveHttp, serveSocket } from '../serve/index.js';
import { announceSelf } from './announce-self.js';
import { aborted } from './gateway-serving.js';
import { httpRoutes } from './http-routes.js';
import { skippedLog } from './skipped-entries.js';
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

/** How often it checks whether its name still leads to it, and whether a client is left. */
const LOOK_MS = 5_000;
/** It checks more often where `timeouts.daemonIdleMs` is short, so that it also leaves in time there, but no more often than this. */
const SHORTEST_LOOK_MS = 250;
/** By then whoever had it started has come. */
const FIRST_MS = 500;
/** By then its first requests are answered. */
const SETTLED_MS = 250;

/** Serves every client of this user until it is told to end, nobody has come for long, or another took its name. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { socket, http: written, token, leavesWhenIdle = false, listening, ending, ...rest } = options;
  const { log = silentLog, version = '0', ...own } = rest;
  const address = written === undefined ? undefined : httpAddress(written, token);
  // Looked at before anything else: it may be replaced while this one starts.
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
    setImmediate(() => stopping.abort()); // after the answer
    return Promise.resolve({ value: { pid: process.pid } });
  });
  // What comes over HTTP is served where the user is at home, and whoever reaches the socket is told of both.
  const early = address && (await workspaces.enter(undefined));
  let overHttp = () => 0;
  await using http =
    early &&
    (await serveHttp({
      address,
      session: early.serving.session,
      limits: early.serving.limits,
      log,
      came: (session) => clients.came(session),
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
    // Whoever has one for himself, or reaches it from elsewhere, would miss it.
    about: { version, yields: leavesWhenIdle && address === undefined },
    changed: () => {
      emptySince = performance.now();
      arrived();
    },
  });
  unclaim(socket);
  const over = AbortSignal.any([ending, stopping.signal]);
  // Who had it started waits for an answer; all else, like how long to stay, can wait until that one is served.
  if (!early) await Promise.race([first.then(() => later(SETTLED_MS)), aborted(over), later(FIRST_MS)]);
  using house =
    early ??
    (await workspaces.enter(undefined).catch(async (error: unknown) => {
      await sockets.drain(0); // settings that are wrong end the start, as they do everywhere
      throw error;
    }));
  const { serving } = house;
  const env = own.env ?? process.env;
  const isServing = () => sockets.isOurs();
  using link = isInRuntimeFolder(socket, env)
    ? new LegacyLink({ path: legacySocketPath(env), socket, isServing, log })
    : undefined;
  const refreshLink = () => link?.refresh(serving.running.gateway.view.settings.mcpBridge.legacyLink);
  await refreshLink();
  skippedLog(log)(serving.running.discovery);
  void endStrays(serving.running.discovery, log);
  const timeouts = () => serving.running.gateway.view.settings.timeouts;
  let nextLook: NodeJS.Timeout | undefined;
  const lookLater = () => {
    const delayMs = Math.min(LOOK_MS, Math.max(SHORTEST_LOOK_MS, timeouts().daemonIdleMs / 2));
    nextLook = setTimeout(look, delayMs);
  };
  const look = () => {
    const emptyMs = performance.now() - emptySince;
    const isIdle = leavesWhenIdle && !http && clients.size === 0 && emptyMs > timeouts().daemonIdleMs;
    if (isIdle) log('info', 'nobody has been here for long');
    else if (isReplaced()) log('info', 'its program was replaced: the next client starts the new one');
    else if (!sockets.isOurs()) log('warn', 'another daemon has taken the socket', { socket });
    else {
      void refreshLink();
      return lookLater();
    }
    stopping.abort();
  };
  lookLater();
  const tools = metaToolNames(serving.running.gateway.offersPython);
  const { calls } = workspaces.shared;
  const reachable = { socket, ...(url !== undefined && { url }), isEverybodys: true, tools, calls };
  const announced = await announceSelf(serving.running.discovery.host, reachable, log);
  isAnnounced = true;
  listening([socket, ...(url === undefined ? [] : [url])]);
  await aborted(over);
  clearTimeout(nextLook);
  await announced[Symbol.asyncDispose](); // nobody is sent where nobody listens
  // Before the socket is given up: from then on the link may be the next daemon's.
  link?.[Symbol.dispose]();
  const { shutdownMs } = timeouts();
  await Promise.all([sockets.drain(shutdownMs), http?.drain(shutdownMs)]);
}

/** Tells whether the file of a program is another, or gone, and has been so since it was asked before: an installation takes a while. */
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

/** The processes of servers that run now, without anything secret. */
function processesOf({ shared }: Workspaces, clients: ConnectionManager) {
  const names = new Map(clients.list().map(({ id, name }) => [id, name]));
  return shared.pool.running().map(({ state, pid, servers, workspaces, callsMade, callers }) => ({
    server: servers[0]?.name ?? '',
    state,
    ...(pid !== undefined && { pid }),
    // Who comes over HTTP has no name here, and what tells it from others is its own affair.
    users: callers.map((id) => (names.has(id) ? { id, name: names.get(id) } : { id: 'http' })),
    workspaces: workspaces.length,
    calls: callsMade,
  }));
}
