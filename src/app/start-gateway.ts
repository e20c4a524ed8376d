import { ErrorCode, type Log, PortolanError, silentLog } from '../base/index.js';
import { Catalog, type CatalogEntry, diskStore, withoutCache } from '../catalog/index.js';
import type { DiscoverOptions, Discovery } from '../discovery/index.js';
import { checkFiles, ownFolders } from '../discovery/index.js';
import { Gateway, type GatewayView, SearchFeedback, viewTools } from '../gateway/index.js';
import { type AdmittedServer, stateOf } from '../policy/index.js';
import { ENVELOPE_BYTES } from '../rpc/index.js';
import { isBelievedToRun } from '../sandbox/index.js';
import { createToolIndex } from '../search/index.js';
import {
  accessError,
  authProviderFor,
  type Connection,
  credentialStore,
  killOrphans,
  openServer,
  Pool,
  type PoolOptions,
  passedKey,
  type SdkServerFactory,
  usualShare,
} from '../upstream/index.js';
import { credentialPath, obtainConsent, SessionGrants } from '../use-cases/index.js';
import { type GatewayScan, scanForGateway } from './gateway-scan.js';
import { readingStarted } from './refresh-started.js';
import { openShared, type SharedResources } from './shared-resources.js';
import { watchPins } from './watch-pins.js';

export interface GatewayOptions extends DiscoverOptions {
  /** Servers that run inside this process, by name; each factory returns an MCP server of either SDK. */
  readonly sdkServers?: Readonly<Record<string, SdkServerFactory>>;
  readonly log?: Log;
  readonly version?: string;
}

/** A notification that a server sent, in the form of the protocol. */
type ServerListener = (server: string, method: string, params: Readonly<Record<string, unknown>>) => void;

/** A gateway with all resources that live as long as it does. */
export interface RunningGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly catalog: Catalog;
  /** The resources shared with other gateways of this process. */
  readonly shared: SharedResources;
  /** The latest scan. */
  readonly discovery: Discovery;
  /** Subscribes to notifications of servers until the returned function is called. */
  listen(listener: ServerListener): () => void;
  /** Answers a server's `roots/list` when no call is in flight. */
  rootsFrom(ask: () => Promise<Record<string, unknown>>): void;
  /** Scans again and replaces the whole state; returns whether the offered servers changed. */
  reload(): Promise<boolean>;
  /** Stops the servers that ran for one client only. */
  endSession(session: string): void;
}

/** The time for calls to end after their servers were stopped. */
const LAST_CALLS_MS = 2_000;
const TOOLS_CHANGED = 'notifications/tools/list_changed';

/** Builds the gateway from its modules. Nothing starts before it is needed, and `shared` outlives the gateway. */
export async function startGateway(given: GatewayOptions, shared?: SharedResources): Promise<RunningGateway> {
  const { log = silentLog, version = '0', ...options } = given;
  const granted = new SessionGrants();
  const lookAgain = (before?: GatewayScan) => scanForGateway({ ...options, isGranted: granted.has }, before);
  let held = await lookAgain();
  const { host } = held.discovery;
  const folders = ownFolders(host);
  const settings = () => held.view.settings;
  const index = createToolIndex();
  const listeners = new Set<ServerListener>();
  let roots = async (): Promise<Record<string, unknown>> => ({ roots: [] });
  const common = shared ?? openShared(log);
  const uses = common.usesIn(folders).join(index);
  const credentials = credentialStore(credentialPath(host));
  const connectorToken = host.env.PORTOLAN_CONNECTORS_TOKEN;
  const guardian = common.guardianIn(folders);
  const offers = lastAnswer((engine: string) => isBelievedToRun(engine, folders.sandbox));
  const passed = lastAnswer((passEnv: readonly string[]) => passedKey({ env: host.env, passEnv, connectorToken }));
  const tenant: PoolOptions = {
    open: (server, events, signal) =>
      openServer(
        server,
        {
          ...{ platform: host.platform, env: host.env, home: host.home, cwd: host.cwd },
          passEnv: settings().passEnv,
          guardian,
          checkFiles: (admitted) => {
            try {
              return checkFiles(admitted, held.discovery);
            } catch (error) {
              void reload().catch(() => undefined); // so that the next call asks for approval
              throw error;
            }
          },
          limits: () => ({
            maxLineBytes: settings().limits.maxResultBytes + ENVELOPE_BYTES,
            maxDepth: settings().limits.maxDepth,
          }),
          access: (admitted) => {
            // OAuth applies to HTTP only; a WebSocket entry has its own credentials.
            if (!/^https?:/i.test(admitted.definition.url ?? '')) return undefined;
            const authProvider = authProviderFor(admitted, credentials);
            const explain = (error: unknown) => accessError(admitted, credentials, error);
            return { explain, ...(authProvider && { authProvider }) };
          },
          ...(connectorToken !== undefined && { connectorToken }),
          ...(options.sdkServers && { sdkServers: options.sdkServers }),
          client: { name: 'portolan', version },
          startMs: () => settings().timeouts.startMs,
          eraOf: ({ name }) => catalog.eraOf(name),
          roots: () => roots(),
          logFolder: folders.logs,
          log,
        },
        events,
        signal,
      ),
    shareOf: ({ name, definition }, asksForRoots) => {
      const said = settings().share[name];
      if (said) return { share: said, isSaid: true };
      const asks = asksForRoots || catalog.entry(name)?.asksForRoots === true;
      return { share: usualShare(definition, asks), isSaid: false };
    },
    passed: () => passed(settings().passEnv),
    onRootsRequest: ({ name }) => catalog.noteRoots(name),
    onStartResult: (server, failure) => catalog.noteOutcome(server, failure),
    idleMs: () => settings().timeouts.idleMs,
    onNotification: (server, method, params) => {
      // The next read of the tools shows whether they really changed.
      if (method === TOOLS_CHANGED) catalog.refreshSoon(server.name);
      else tell(server.name, method, params);
    },
    log,
  };
  const readAgain = async (server: AdmittedServer, connection: Connection): Promise<void> => {
    // The refresh must not start a process, so it skips servers without a shared connection.
    if (!held.admitted.includes(server) || pool.status(server).state !== 'connected') return;
    if (tenant.shareOf?.(server, false).share === 'session') return;
    using lease = await pool.lease(server, { purpose: 'read' });
    if (lease.connection === connection) await catalog.compare(server, connection);
  };
  const pool: Pool = new Pool(readingStarted(tenant, readAgain), common.pool);
  const launches = lastAnswer(
    (admitted: GatewayScan['admitted']) => new Map(admitted.map((server) => [server.name, pool.launchOf(server)])),
  );
  const tell: ServerListener = (server, method, params) => {
    for (const listener of listeners) listener(server, method, params);
  };
  const indexEntry = (entry: CatalogEntry) => {
    index.remove(entry.server.name);
    index.add(indexed(entry, held.view));
  };
  const store = diskStore(folders, log);
  let isEnding = false;
  const catalog = new Catalog({
    store: settings().cache.enabled ? store : withoutCache(store),
    connected: async (server, act, purpose) => {
      try {
        using lease = await pool.lease(server, { purpose });
        return await act(lease.connection);
      } catch (cause) {
        if (isEnding) throw new PortolanError(ErrorCode.Cancelled, 'the gateway is shutting down', { cause });
        throw cause;
      }
    },
    ttlMs: () => settings().cache.ttl * 1000,
    listMs: (server) => server.definition.startupTimeoutMs ?? settings().timeouts.startMs,
    changed: (entry, before) => {
      indexEntry(entry);
      if (before && hashesOf(before) !== hashesOf(entry))
        // The first read changes only surfaces that list the servers' own tools.
        tell(entry.server.name, TOOLS_CHANGED, before.tools ? {} : { isFirst: true });
    },
    log,
  });
  catalog.use(held.admitted);
  const pinsWatch = watchPins(catalog);
  let reloading: Promise<unknown> = Promise.resolve();
  /** Sequential: if two scans overlapped, the older result could replace the newer one. */
  const reload = (): Promise<boolean> => {
    const next = reloading.then(reloadNow);
    reloading = next.catch(() => undefined);
    return next;
  };
  const reloadNow = async (): Promise<boolean> => {
    const before = held;
    held = await lookAgain(before);
    catalog.use(held.admitted);
    pool.retain(held.admitted);
    for (const { name } of before.admitted) index.remove(name);
    for (const entry of catalog.entries()) indexEntry(entry);
    return offered(before.view) !== offered(held.view);
  };
  const gateway = new Gateway({
    view: () => held.view,
    catalog,
    pool,
    index,
    gate: common.gate.sharedBy(
      () => settings().limits,
      (name) => launches(held.admitted).get(name) ?? name,
    ),
    consent: async (server, conversation) => {
      await reloading; // the question must show the files as they are now
      if (!(await obtainConsent(server, conversation, held.discovery, granted))) return undefined;
      await reload();
      return held.admitted.find(({ name }) => name === server.name);
    },
    uses: new SearchFeedback(index, () => settings().search.remember, uses.changed),
    audit: common.auditIn(folders),
    python: {
      isOffered: () => offers(settings().sandbox.engine),
      sandbox: () => common.sandboxIn(folders, settings().sandbox),
      ...{ stateFolder: folders.state, project: host.repository ?? host.cwd },
    },
  });
  return {
    gateway,
    catalog,
    shared: common,
    get discovery() {
      return held.discovery;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    rootsFrom: (ask) => {
      roots = ask;
    },
    reload,
    endSession: (session) => {
      pool.endSession(session);
      gateway.endPrograms(session);
    },
    [Symbol.asyncDispose]: async () => {
      isEnding = true;
      pinsWatch[Symbol.dispose]();
      await pool[Symbol.asyncDispose]();
      // Calls that still wait for a server fail now and are logged.
      if (!shared) await common.pool[Symbol.asyncDispose]();
      const enough = new Promise((resolve) => setTimeout(resolve, LAST_CALLS_MS).unref());
      await Promise.race([gateway.quiet(), enough]);
      await uses.leave();
      if (!shared) await common[Symbol.asyncDispose]();
    },
  };
}

/** Recomputes only if the input changed. */
function lastAnswer<A, T>(compute: (about: A) => T): (about: A) => T {
  let last: { readonly about: A; readonly answer: T } | undefined;
  return (about) => {
    if (last?.about !== about) last = { about, answer: compute(about) };
    return last.answer;
  };
}

/** Ends orphans of an earlier gateway that was killed. */
export async function endStrays({ host }: Discovery, log: Log): Promise<void> {
  const ended = await killOrphans(ownFolders(host).children).catch((error: Error) => {
    log('warn', 'cannot search for orphaned processes of an earlier gateway', { error: error.message });
    return [];
  });
  if (ended.length > 0) log('info', 'ended orphaned processes of an earlier gateway', { pids: ended });
}

function indexed(entry: CatalogEntry, { judge, settings }: GatewayView) {
  const { server, greeting } = entry;
  const description = server.definition.description ?? greeting?.instructions;
  return [...viewTools(entry, judge, settings.pins).values()].map(({ listed, enabled, tags }) => ({
    server: server.name,
    name: listed.tool.name,
    ...(listed.tool.description !== undefined && { description: listed.tool.description }),
    inputSchema: listed.tool.inputSchema,
    ...(description !== undefined && { serverDescription: description }),
    tags,
    enabled,
  }));
}

/** A text that changes if a server's tools change, or one of them becomes callable. */
function hashesOf({ tools = [] }: CatalogEntry): string {
  return tools.map(({ hash, pin }) => `${hash} ${pin}`).join();
}

/** The parts of the scan that a client can see. */
function offered({ servers }: GatewayView): string {
  return JSON.stringify(
    servers.map(({ name, alias, verdict, admitted }) => [name, alias, stateOf(verdict), admitted !== undefined]),
  );
}
