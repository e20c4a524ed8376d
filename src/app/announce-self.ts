import { sep } from 'node:path';
import type { Log } from '../base/index.js';
import { ownFolders } from '../discovery/index.js';
import type { CallMetrics } from '../gateway/index.js';
import type { Host } from '../model/index.js';
import type { ServerInfo } from '../registry/index.js';

/** The address and owner of this gateway, for the registry. */
export interface Reachable {
  readonly socket?: string;
  readonly url?: string;
  /** True for a gateway that serves all projects, wherever it was started. */
  readonly servesAllProjects: boolean;
  /** The tool names, if they are known without starting a server. */
  readonly tools: readonly string[];
  readonly calls: CallMetrics;
}

/** The time limit for disk operations, so that a hanging disk delays neither the start nor the exit. */
const LIMIT_MS = 2_000;
const ANY_ADDRESS = /^(?:0\.0\.0\.0|\[::\])$/;

/** Announces this gateway in the registry until it is disposed of. A failure is only logged. */
export async function announceSelf(host: Host, reachable: Reachable, log: Log): Promise<AsyncDisposable> {
  const { ServerRegistry, projectRegistryPath, serverId, userRegistryPath } = await import('../registry/index.js');
  const isUsers = reachable.servesAllProjects || isAtOrAboveHome(host);
  const path = isUsers ? userRegistryPath(ownFolders(host).state) : projectRegistryPath(host.cwd);
  const registry = new ServerRegistry(path, { warn: (message) => log('warn', message) });
  await within(registry.registerServer(serverId('portolan', process.pid), infoOf(host, reachable)));
  return { [Symbol.asyncDispose]: () => within(registry[Symbol.asyncDispose]()) };
}

/** The home directory and its parents are not a project, so no registry is created there. */
function isAtOrAboveHome({ cwd, home }: Host): boolean {
  return home === cwd || home.startsWith(cwd.endsWith(sep) ? cwd : `${cwd}${sep}`);
}

function infoOf({ cwd }: Host, { socket, url, tools, calls }: Reachable): ServerInfo {
  const address = url === undefined ? undefined : loopbackUrl(url);
  return {
    name: 'portolan',
    cwd,
    // Only `tools`, which every surface has: a complete list could start the server that is exposed.
    capabilities: { tools: {} },
    tools,
    requests: () => calls.durations.count,
    transports: [
      ...(socket === undefined ? [] : [{ type: 'socket' as const, path: socket }]),
      ...(address === undefined ? [] : [{ type: 'http' as const, url: address.href }]),
    ],
    ...(address && {
      http: { enabled: true, host: address.hostname, port: Number(address.port), url: address.href },
    }),
  };
}

/** Readers of the registry are on this machine and cannot connect to a wildcard address, so name loopback. */
function loopbackUrl(url: string): URL {
  const address = new URL(url);
  if (ANY_ADDRESS.test(address.hostname)) address.hostname = address.hostname === '[::]' ? '[::1]' : '127.0.0.1';
  return address;
}

async function within(act: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS);
  });
  await Promise.race([act, limit]).finally(() => clearTimeout(timer));
}
