import { join, resolve } from 'node:path';
import { diskFiles, ErrorCode, type Files, homeFolder, PortolanError } from '../base/index.js';
import type { Chart, Definition } from '../model/index.js';
import { findRepository, type Host, type Platform } from '../model/index.js';
import {
  type ApprovalFiles,
  type Approvals,
  approvalFiles,
  isFromRepository,
  isSettingsApproved,
  type Lock,
  type PolicyInputs,
  readApprovals,
  readLock,
} from '../policy/index.js';
import { type LoadedSettings, loadSettings, type Settings, type SettingsFile } from '../settings/index.js';
import {
  addedSource,
  CLIENTS,
  type Client,
  type Connector,
  connectorServers,
  explicitSource,
  inlineServers,
  managedPlaces,
  type PathReading,
  readRules,
  readSources,
  runningServers,
} from '../sources/index.js';
import { collectRules } from './collect-rules.js';
import type { ConnectorList } from './connectors.js';
import { contentReader } from './covered-files.js';
import { withLastGood } from './last-good.js';
import { announced, type RunningReading, readRunning, withoutGateways } from './running-servers.js';
import { serverProblems } from './server-problems.js';
import { type Survey, survey } from './survey.js';

/** Stands in for the machine, or for part of it. What is left out is as it is. */
export interface DiscoverOptions {
  readonly platform?: Platform;
  readonly home?: string;
  /** The project: where a client would be started. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Stands before absolute system paths such as `/etc`. */
  readonly root?: string;
  /** Only these clients, by their ids. */
  readonly clients?: readonly string[];
  /** One file or folder in the place of all sources, like `MCP_SERVERS_CONFIG`. */
  readonly config?: string;
  /** Servers named at the start, entries as in `mcpServers`: they hold over every file but an administrator's. */
  readonly servers?: Readonly<Record<string, unknown>>;
  /** Settings in the words of a settings file: over every file but an administrator's. */
  readonly settings?: SettingsFile;
  /** What a person has let run for as long as this process does. */
  readonly isGranted?: (definition: Definition, content?: () => { readonly hash: string }) => boolean;
  /** The program that must not be found as a server of its own. */
  readonly self?: string;
  readonly files?: Files;
}

/** The chart, and how it came about. */
export interface Discovery extends Survey, Pick<Chart, 'definitions' | 'problems'> {
  readonly looks: readonly PathReading[];
  readonly exclusive: readonly string[];
  readonly grounds: PolicyInputs;
  readonly host: Host;
  readonly approvals: Approvals;
  readonly approvalFiles: ApprovalFiles;
  readonly lock: Lock;
  readonly settings: LoadedSettings;
  /** Who said of itself that it runs. */
  readonly running: RunningReading;
}

/** Everything that AI clients on this machine have written down about MCP servers. Nothing found is ever executed. */
export async function discover(options: DiscoverOptions = {}): Promise<Chart> {
  const { definitions, servers, problems } = await scanMachine(options);
  return { definitions, servers, problems };
}

/** The same with every place that was looked at and every verdict. What cannot be read now is as it was `before`. */
export async function scanMachine(options: DiscoverOptions = {}, before?: Discovery): Promise<Discovery> {
  const host = hostOf(options);
  const paths = approvalFiles(configFolder(host), host);
  const approvals = readApprovals(paths, host);
  const loaded = await loadSettings({
    ...host,
    isApproved: isSettingsApproved(approvals),
    ...(options.settings && { overrides: options.settings }),
  });
  const { settings } = loaded;
  const config = options.config || host.env.MCP_SERVERS_CONFIG;
  const connectors = await connectorsOf(settings, host);
  const running = await readRunning(host);
  const clients = settings.enabled ? clientsFor(options, config, settings, connectors.connectors, host) : [];
  // Last, so that whoever wrote a name down keeps it.
  if (settings.enabled && !config && !options.clients) clients.push(runningServers(announced(running)));
  const read = withLastGood(await readSources(clients, host), before);
  const others = withoutGateways(read.definitions, running);
  const readings = { ...read, definitions: others.definitions };
  const rules = collectRules(loaded, await readRules(CLIENTS, host));
  const lock = readLock(host);
  const grounds: PolicyInputs = {
    rulings: approvals.rulings,
    sealOf: approvals.sealOf,
    reviewed: lock.reviewed,
    ...(options.isGranted && { isGranted: options.isGranted }),
    blockedBy: rules.blockedBy,
    // Who names a server or a file at the start has looked at it.
    mustAsk: (definition) =>
      !config && definition.scope !== 'dynamic' && (settings.approval === 'all' || isFromRepository(definition, host)),
    fileChanges: settings.approvalFiles,
    contentOf: contentReader(host),
    covers: approvals.content.covers,
  };
  const surveyed = survey(readings, grounds);
  const all = [loaded, readings, others, approvals, connectors, rules, lock, running];
  const problems = [...all.flatMap((one) => one.problems), ...serverProblems(surveyed, grounds)];
  return {
    ...surveyed,
    grounds,
    definitions: readings.definitions,
    problems,
    looks: readings.looks,
    exclusive: readings.exclusive,
    host,
    approvals,
    approvalFiles: paths,
    lock,
    settings: loaded,
    running,
  };
}

/** Who is asked for servers: every client or the one place that was named, and whatever was handed over. */
function clientsFor(
  options: DiscoverOptions,
  config: string | undefined,
  settings: Settings,
  connectors: readonly Connector[],
  host: Host,
): Client[] {
  const given = options.servers ? [inlineServers(options.servers)] : [];
  const chosen = config ? [explicitSource(config, host)] : chosenClients(options.clients);
  // An administrator's file counts whatever else was asked for.
  const managed = managedPlaces(
    CLIENTS.filter((client) => !chosen.includes(client)),
    host,
  );
  const added = config || options.clients ? [] : settings.sources.map((source) => addedSource(source, host));
  const hosted =
    config || options.clients || connectors.length === 0 ? [] : [connectorServers(connectors, 'settings:connectors')];
  return [...chosen, ...managed, ...added, ...hosted, ...given];
}

async function connectorsOf(
  { connectors, connectorsUrl, cache, enabled }: Settings,
  host: Host,
): Promise<ConnectorList> {
  if (!enabled || connectorsUrl === undefined) return { connectors, problems: [] };
  const { listConnectors } = await import('./connectors.js');
  const listed = await listConnectors(
    { url: connectorsUrl, ttlSeconds: cache.enabled ? cache.ttl : 0, now: Date.now() },
    host,
  );
  return { ...listed, connectors: [...connectors, ...listed.connectors] };
}

/** Where Portolan keeps what is the user's. */
export function configFolder({ env, home }: Pick<Host, 'env' | 'home'>): string {
  return join(env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config'), 'portolan');
}

/** The machine as the options say it is. */
export function hostOf({ platform, home, cwd, env, root, self, files = diskFiles }: DiscoverOptions): Host {
  const project = resolve(cwd ?? process.cwd());
  return {
    platform: platform ?? hostPlatform(),
    home: resolve(home ?? homeFolder()),
    cwd: project,
    repository: findRepository(files, project),
    env: env ?? process.env,
    root: root ? resolve(root) : '',
    files,
    self: self === undefined ? undefined : files.realPath(self),
  };
}

/** Other systems keep their files as Linux does. */
function hostPlatform(): Platform {
  return process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux';
}

function chosenClients(ids: readonly string[] | undefined): readonly Client[] {
  if (!ids) return CLIENTS;
  const unknown = ids.filter((id) => !CLIENTS.some((client) => client.id === id));
  if (unknown.length > 0) {
    throw new PortolanError(ErrorCode.UnknownClient, `there is no client called ${unknown.join(', ')}`, {
      hint: `use one of: ${CLIENTS.map((client) => client.id).join(', ')}`,
    });
  }
  return CLIENTS.filter((client) => ids.includes(client.id));
}
