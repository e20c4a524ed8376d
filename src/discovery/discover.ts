import { join, resolve } from 'node:path';
import { diskFiles, type Files, homeFolder } from '../base/index.js';
import type { Definition, ScanResult } from '../model/index.js';
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
  unknownClient,
} from '../sources/index.js';
import { collectRules } from './collect-rules.js';
import type { ConnectorList } from './connectors.js';
import { contentReader } from './covered-files.js';
import { withLastGood } from './last-good.js';
import { announced, type RunningReading, readRunning, withoutGateways } from './running-servers.js';
import { readNames } from './server-names.js';
import { serverProblems } from './server-problems.js';
import { secretFiles, storedReferences } from './stored-values.js';
import { type Survey, survey } from './survey.js';
import { toRecord } from './to-record.js';

/** Replaces parts of the machine; omitted options take their actual values. */
export interface DiscoverOptions {
  readonly platform?: Platform;
  readonly home?: string;
  /** The project directory, in which a client would be started. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Prefixed to absolute system paths such as `/etc`. */
  readonly root?: string;
  /** The ids of the clients to scan; all by default. */
  readonly clients?: readonly string[];
  /** A file or directory that replaces all sources, like `MCP_SERVERS_CONFIG`. */
  readonly config?: string;
  /** Servers given by the caller, with entries as in `mcpServers`. Only managed files have higher precedence. */
  readonly servers?: Readonly<Record<string, unknown>>;
  /** Settings in the format of a settings file. Only managed settings have higher precedence. */
  readonly settings?: SettingsFile;
  /** Whether a person has approved the server for the lifetime of this process. */
  readonly isGranted?: (definition: Definition, content?: () => { readonly hash: string }) => boolean;
  /** The path of the Portolan program, which must not be listed as a server. */
  readonly self?: string;
  readonly files?: Files;
}

/** The result of a scan with its inputs and intermediate results. */
export interface Discovery extends Survey, Pick<ScanResult, 'definitions' | 'problems'> {
  readonly pathReadings: readonly PathReading[];
  readonly exclusive: readonly string[];
  readonly grounds: PolicyInputs;
  readonly host: Host;
  readonly approvals: Approvals;
  readonly approvalFiles: ApprovalFiles;
  readonly lock: Lock;
  readonly settings: LoadedSettings;
  /** The announced servers of all registries. */
  readonly running: RunningReading;
}

/** Finds all MCP servers configured for AI clients on this machine. It never executes anything that it finds. */
export async function discover(options: DiscoverOptions = {}): Promise<ScanResult> {
  const { definitions, servers, problems } = await scanMachine(options);
  return { definitions, servers: servers.map(toRecord), problems };
}

/**
 * Like `discover`, with all sources and verdicts. A file that cannot be read now keeps the result of the scan `before`.
 */
export async function scanMachine(options: DiscoverOptions = {}, before?: Discovery): Promise<Discovery> {
  const bare = hostOf(options);
  const { records } = secretFiles(bare, configFolder(bare));
  const host: Host = { ...bare, stored: storedReferences(records, bare.files) };
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
  // Last, so that configured servers keep their names.
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
    // Servers and files on the command line need no approval, because the user has named them.
    mustAsk: (definition) =>
      !config && definition.scope !== 'dynamic' && (settings.approval === 'all' || isFromRepository(definition, host)),
    fileChanges: settings.approvalFiles,
    contentOf: contentReader(host),
    covers: approvals.content.covers,
  };
  const surveyed = survey(readings, grounds, {
    ...readNames(host),
    ...(before && { given: before.names.given, owners: before.names.owners }),
  });
  const all = [loaded, readings, others, approvals, connectors, rules, lock, running];
  const problems = [...all.flatMap((one) => one.problems), ...serverProblems(surveyed, grounds)];
  return {
    ...surveyed,
    grounds,
    definitions: readings.definitions,
    problems,
    pathReadings: readings.pathReadings,
    exclusive: readings.exclusive,
    host,
    approvals,
    approvalFiles: paths,
    lock,
    settings: loaded,
    running,
  };
}

/** The sources to read: all clients, or the one named source, and the servers from the command line. */
function clientsFor(
  options: DiscoverOptions,
  config: string | undefined,
  settings: Settings,
  connectors: readonly Connector[],
  host: Host,
): Client[] {
  const given = options.servers ? [inlineServers(options.servers)] : [];
  const chosen = config ? [explicitSource(config, host)] : chosenClients(options.clients);
  // Managed files always apply.
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

/** The directory of the user's Portolan configuration. */
export function configFolder({ env, home }: Pick<Host, 'env' | 'home'>): string {
  return join(env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config'), 'portolan');
}

/** The host with the replacements from the options. */
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

/** Other operating systems use the same paths as Linux. */
function hostPlatform(): Platform {
  return process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux';
}

function chosenClients(ids: readonly string[] | undefined): readonly Client[] {
  if (!ids) return CLIENTS;
  const unknown = ids.filter((id) => !CLIENTS.some((client) => client.id === id));
  if (unknown.length > 0) throw unknownClient(unknown, CLIENTS);
  return CLIENTS.filter((client) => ids.includes(client.id));
}
