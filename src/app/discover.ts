import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { diskFiles, ErrorCode, type Files, PortolanError } from '../base/index.js';
import type { Chart, Definition } from '../model/index.js';
import { isFromRepository, type Rulings, type Seal } from '../policy/index.js';
import {
  CLIENTS,
  type Client,
  explicitSource,
  findRepository,
  type Host,
  type Look,
  type Platform,
  readSources,
} from '../sources/index.js';
import { type ApprovalFiles, approvalFiles, readApprovals } from './approvals.js';
import { type Lock, readLock } from './lock-file.js';
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
  /** The program that must not be found as a server of its own. */
  readonly self?: string;
  readonly files?: Files;
}

/** The chart, and how it came about. */
export interface Discovery extends Survey, Pick<Chart, 'definitions' | 'problems'> {
  readonly looks: readonly Look[];
  readonly exclusive: readonly string[];
  readonly host: Host;
  readonly rulings: Rulings;
  readonly sealOf: (definition: Definition) => Seal;
  readonly approvalFiles: ApprovalFiles;
  readonly lock: Lock;
}

/** Everything that AI clients on this machine have written down about MCP servers. Nothing found is ever executed. */
export async function discover(options: DiscoverOptions = {}): Promise<Chart> {
  const { definitions, servers, problems } = await discoverAll(options);
  return { definitions, servers, problems };
}

/** The same with every place that was looked at and every verdict. */
export async function discoverAll(options: DiscoverOptions = {}): Promise<Discovery> {
  const host = hostOf(options);
  const config = options.config || host.env.MCP_SERVERS_CONFIG;
  const clients = config ? [explicitSource(config, host)] : chosen(options.clients);
  const readings = await readSources(clients, host);
  const paths = approvalFiles(configFolder(host));
  const { rulings, sealOf, problems } = readApprovals(paths, host.files);
  const lock = readLock(host);
  const surveyed = survey(readings, {
    rulings,
    sealOf,
    reviewed: lock.reviewed,
    blockedBy: () => undefined,
    // Who names a file instead of all others has looked at it.
    mustAsk: (definition) => !config && isFromRepository(definition, host),
  });
  return {
    ...surveyed,
    definitions: readings.definitions,
    problems: [...readings.problems, ...problems, ...lock.problems],
    looks: readings.looks,
    exclusive: readings.exclusive,
    host,
    rulings,
    sealOf,
    approvalFiles: paths,
    lock,
  };
}

/** Where Portolan keeps what is the user's. */
export function configFolder({ env, home }: Pick<Host, 'env' | 'home'>): string {
  return join(env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config'), 'portolan');
}

function hostOf({ platform, home, cwd, env, root, self, files = diskFiles }: DiscoverOptions): Host {
  const project = resolve(cwd ?? process.cwd());
  return {
    platform: platform ?? hostPlatform(),
    home: resolve(home ?? homedir()),
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

function chosen(ids: readonly string[] | undefined): readonly Client[] {
  if (!ids) return CLIENTS;
  const unknown = ids.filter((id) => !CLIENTS.some((client) => client.id === id));
  if (unknown.length > 0) {
    throw new PortolanError(ErrorCode.UnknownClient, `there is no client called ${unknown.join(', ')}`, {
      hint: `use one of: ${CLIENTS.map((client) => client.id).join(', ')}`,
    });
  }
  return CLIENTS.filter((client) => ids.includes(client.id));
}
