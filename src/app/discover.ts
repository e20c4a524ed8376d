import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { diskFiles, ErrorCode, type Files, PortolanError } from '../base/index.js';
import type { Chart } from '../model/index.js';
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
import { survey } from './survey.js';

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

/** Everything that AI clients on this machine have written down about MCP servers. Nothing found is ever executed. */
export async function discover(options: DiscoverOptions = {}): Promise<Chart> {
  const { definitions, servers, problems } = await discoverAll(options);
  return { definitions, servers, problems };
}

/** The same with every place that was looked at. */
export async function discoverAll(options: DiscoverOptions = {}): Promise<Chart & { readonly looks: readonly Look[] }> {
  const host = hostOf(options);
  const config = options.config || host.env.MCP_SERVERS_CONFIG;
  const clients = config ? [explicitSource(config, host)] : chosen(options.clients);
  const { definitions, problems, looks } = await readSources(clients, host);
  return { definitions, servers: survey(definitions), problems, looks };
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
