import { sep } from 'node:path';
import type { Log } from '../base/index.js';
import { ownFolders } from '../discovery/index.js';
import type { CallMetrics } from '../gateway/index.js';
import type { Host } from '../model/index.js';
import type { ServerInfo } from '../registry/index.js';

/** Where clients may come, and whose gateway it is. */
export interface Reachable {
  readonly socket?: string;
  readonly url?: string;
  /** One that serves everybody belongs to no project, wherever it was started. */
  readonly isEverybodys: boolean;
  /** The names of its tools, where they are known without starting a server. */
  readonly tools: readonly string[];
  readonly calls: CallMetrics;
}

/** A disk that does not answer must not keep a gateway from serving, nor from ending. */
const LIMIT_MS = 2_000;
const ANY_ADDRESS = /^(?:0\.0\.0\.0|\[::\])$/;

/** Lets others know of this gateway until it is disposed of. That it cannot be said is told to `log` and is no reason to end. */
export async function announceSelf(host: Host, reachable: Reachable, log: Log): Promise<AsyncDisposable> {
  const { ServerRegistry, projectRegistryPath, serverId, userRegistryPath } = await import('../registry/index.js');
  const isUsers = reachable.isEverybodys || isAroundHome(host);
  const path = isUsers ? userRegistryPath(ownFolders(host).state) : projectRegistryPath(host.cwd);
  const registry = new ServerRegistry(path, { warn: (message) => log('warn', message) });
  await within(registry.registerServer(serverId('portolan', process.pid), infoOf(host, reachable)));
  return { [Symbol.asyncDispose]: () => within(registry[Symbol.asyncDispose]()) };
}

/** The home folder and what is above it are no project: nothing is to be left there. */
function isAroundHome({ cwd, home }: Host): boolean {
  return home === cwd || home.startsWith(cwd.endsWith(sep) ? cwd : `${cwd}${sep}`);
}

function infoOf({ cwd }: Host, { socket, url, tools, calls }: Reachable): ServerInfo {
  const address = url === undefined ? undefined : fromHere(url);
  return {
    name: 'portolan',
    cwd,
    // What every face of it has; asking for more could start the server that it shows.
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

/** Whoever reads the registry is on this machine, and cannot go to "every address". */
function fromHere(url: string): URL {
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
