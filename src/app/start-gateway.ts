import { type Log, silentLog } from '../base/index.js';
import type { Catalog } from '../catalog/index.js';
import { type DiscoverOptions, type Discovery, ownFolders, startLimit } from '../discovery/index.js';
import { Gateway, type JoinedUses, SearchFeedback } from '../gateway/index.js';
import { canProbablyRun } from '../sandbox/index.js';
import { createToolIndex, type ToolIndex } from '../search/index.js';
import { killOrphans, type SdkServerFactory } from '../upstream/index.js';
import { obtainConsent } from '../use-cases/index.js';
import { CurrentScan } from './current-scan.js';
import type { GatewayScan } from './gateway-scan.js';
import { GatewayServers, type ServerListener } from './gateway-servers.js';
import { indexTools } from './indexed-tools.js';
import { lastAnswer } from './last-answer.js';
import { openShared, type SharedResources } from './shared-resources.js';

export interface GatewayOptions extends DiscoverOptions {
  /** Servers that run inside this process, by name; each factory returns an MCP server of either SDK. */
  readonly sdkServers?: Readonly<Record<string, SdkServerFactory>>;
  readonly log?: Log;
  readonly version?: string;
}

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

/** Builds the gateway from its modules. Nothing starts before it is needed, and `shared` outlives the gateway. */
export async function startGateway(given: GatewayOptions, shared?: SharedResources): Promise<RunningGateway> {
  const { log = silentLog, version = '0', ...options } = given;
  const scan = await CurrentScan.start({ ...options, log });
  const common = shared ?? openShared(log);
  const { host } = scan.latest.discovery;
  const folders = ownFolders(host);
  const index = createToolIndex([], await common.modelIn(folders));
  const uses = common.usesIn(folders).join(index, host.repository ?? host.cwd);
  const servers = new GatewayServers({
    ...{ scan, shared: common, log, version, ...(options.sdkServers && { sdkServers: options.sdkServers }) },
    onTools: (entry) => indexTools(index, entry, scan.latest.view),
  });
  scan.onReplaced((before) => applyScan(scan.latest, before, servers, index));
  const gateway = openGateway({ scan, servers, index, uses, common });
  return {
    gateway,
    catalog: servers.catalog,
    shared: common,
    get discovery() {
      return scan.latest.discovery;
    },
    listen: (listener) => servers.listen(listener),
    rootsFrom: (ask) => {
      servers.roots = ask;
    },
    reload: () => scan.reload(),
    endSession: (session) => {
      servers.pool.endSession(session);
      gateway.endPrograms(session);
    },
    [Symbol.asyncDispose]: async () => {
      await servers[Symbol.asyncDispose]();
      // Calls that still wait for a server fail now and are logged.
      if (!shared) await common.pool[Symbol.asyncDispose]();
      const enough = new Promise((resolve) => setTimeout(resolve, LAST_CALLS_MS).unref());
      await Promise.race([gateway.whenIdle(), enough]);
      await uses.leave();
      if (!shared) await common[Symbol.asyncDispose]();
    },
  };
}

interface Parts {
  readonly scan: CurrentScan;
  readonly servers: GatewayServers;
  readonly index: ToolIndex;
  readonly uses: JoinedUses;
  readonly common: SharedResources;
}

function openGateway({ scan, servers, index, uses, common }: Parts): Gateway {
  const { host } = scan.latest.discovery;
  const folders = ownFolders(host);
  const offers = lastAnswer((engine: string) => canProbablyRun(engine, folders.sandbox));
  const launches = lastAnswer(
    (admitted: GatewayScan['admitted']) =>
      new Map(admitted.map((server) => [server.name, servers.pool.launchOf(server)])),
  );
  return new Gateway({
    ...{ view: () => scan.latest.view, catalog: servers.catalog, pool: servers.pool, index },
    isDownloaded: ({ name, definition }) => startLimit(name, definition, scan.settings).isDownload,
    gate: common.gate.sharedBy(
      () => scan.settings.limits,
      (name) => launches(scan.latest.admitted).get(name) ?? name,
    ),
    consent: async (server, conversation) => {
      await scan.settled; // the question must show the files as they are now
      if (!(await obtainConsent(server, conversation, scan.latest.discovery, scan.granted))) return undefined;
      await scan.reload();
      return scan.latest.admitted.find(({ name }) => name === server.name);
    },
    uses: new SearchFeedback(index, () => scan.settings.search.remember, uses),
    audit: common.auditIn(folders),
    python: {
      isOffered: () => offers(scan.settings.sandbox.engine),
      sandbox: () => common.sandboxIn(folders, scan.settings.sandbox),
      ...{ stateFolder: folders.state, project: host.repository ?? host.cwd },
    },
  });
}

/** Applies a new scan: stops servers that may no longer run and replaces the indexed tools. */
function applyScan(now: GatewayScan, before: GatewayScan, { catalog, pool }: GatewayServers, index: ToolIndex): void {
  catalog.use(now.admitted);
  pool.retain(now.admitted);
  for (const { name } of before.admitted) index.remove(name);
  for (const entry of catalog.entries()) indexTools(index, entry, now.view);
}

/** Ends orphans of an earlier gateway that was killed. */
export async function endOrphans({ host }: Discovery, log: Log): Promise<void> {
  const ended = await killOrphans(ownFolders(host).children).catch((error: Error) => {
    log('warn', 'cannot search for orphaned processes of an earlier gateway', { error: error.message });
    return [];
  });
  if (ended.length > 0) log('info', 'ended orphaned processes of an earlier gateway', { pids: ended });
}
