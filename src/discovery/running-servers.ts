import { dirname, isAbsolute, join } from 'node:path';
import { entryOf, factsOf } from '../base/index.js';
import type { Definition, Host, Problem } from '../model/index.js';
import type { RegisteredServer } from '../registry/index.js';
import type { AnnouncedServer, Announcements } from '../sources/index.js';
import { addressKey } from './match-running.js';
import { ownFolders } from './own-folders.js';

/** A registry and the servers that it lists as running. */
export interface Registry {
  readonly path: string;
  /** Whether only the user writes to it; the registry of a project may have come with a repository. */
  readonly isUsers: boolean;
  readonly servers: readonly RegisteredServer[];
}

export interface RunningReading {
  readonly registries: readonly Registry[];
  readonly problems: readonly Problem[];
}

const NOTHING: RunningReading = { registries: [], problems: [] };
const VIEW = 'mcp_servers.json';
/** The directory in which another program stores announcements in the same format. */
const FOREIGN_FOLDER = '.nisaba';

/** The registries for a project: the project's, the user's, and that of another program. */
function registriesFor(host: Host): readonly Pick<Registry, 'path' | 'isUsers'>[] {
  const projects = [...new Set([host.cwd, host.repository ?? host.cwd])];
  const inProjects = (folder: string) =>
    projects.map((project) => ({ path: join(project, folder, VIEW), isUsers: false }));
  const users = { path: join(ownFolders(host).state, 'running', VIEW), isUsers: true };
  return [...inProjects('.portolan'), users, ...inProjects(FOREIGN_FOLDER)];
}

/** Reads the running servers. If no registry exists, the registry module is not loaded. */
export async function readRunning(host: Host, isExact = false): Promise<RunningReading> {
  const places = registriesFor(host).filter(({ path }) => isThere(dirname(path)));
  if (places.length === 0) return NOTHING;
  const { readRegistry } = await import('../registry/index.js');
  const readings = await Promise.all(
    places.map(async (place) => ({ ...place, ...(await readRegistry(place.path, isExact)) })),
  );
  return {
    registries: readings.map(({ path, isUsers, servers }) => ({ path, isUsers, servers })),
    problems: readings.flatMap(({ path, problems }) => problems.map((message) => refusedRegistry(path, message))),
  };
}

/** All servers by id; one that is announced in two registries is listed once. */
export function distinctServers({ registries }: RunningReading): readonly RegisteredServer[] {
  const known = new Map<string, RegisteredServer>();
  for (const server of registries.flatMap(({ servers }) => servers)) {
    const key = JSON.stringify([server.id, server.pid]);
    if (!known.has(key)) known.set(key, server);
  }
  return [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The transports of a server, also if it has only the older `http` field. */
export function transportsOf({ http, transports }: RegisteredServer): RegisteredServer['transports'] {
  const { enabled, url } = http;
  const isMissing = enabled && url !== undefined && !transports.some((one) => one.url === url);
  return isMissing ? [...transports, { type: 'http', url }] : transports;
}

/** The servers that can be offered, in the format of a source. */
export function announced(reading: RunningReading): readonly Announcements[] {
  const usersOwn = gatewaysOf(reading);
  return reading.registries
    .map(({ path, servers }) => {
      const ours = new Set([...usersOwn, ...servers.filter(isGateway).flatMap(addressesOf)]);
      const others = servers.filter((one) => !isGateway(one) && !addressesOf(one).some((url) => ours.has(url)));
      return { source: path, servers: others.map(toAnnounced) };
    })
    .filter(({ servers }) => servers.length > 0);
}

/** Drops entries that point to this user's running gateways, whose servers are already listed. */
export function withoutGateways(
  definitions: readonly Definition[],
  reading: RunningReading,
): { readonly definitions: readonly Definition[]; readonly problems: readonly Problem[] } {
  const ours = gatewaysOf(reading);
  if (ours.size === 0) return { definitions, problems: [] };
  const isOurs = ({ url }: Definition) => url !== undefined && ours.has(addressKey(url));
  return {
    definitions: definitions.filter((one) => !isOurs(one)),
    problems: definitions.filter(isOurs).map(({ name, source, line }) => ({
      code: 'self-server',
      severity: 'info',
      message: 'skipped: its URL is that of a running Portolan gateway',
      hint: 'no action needed: this entry connects the client to Portolan, which does not connect to itself',
      ...{ source, line, server: name },
    })),
  };
}

/**
 * Only the user's registry is trusted here: a repository could announce a gateway at another server's URL and so hide
 * that server.
 */
function gatewaysOf({ registries }: RunningReading): ReadonlySet<string> {
  return new Set(
    registries
      .filter(({ isUsers }) => isUsers)
      .flatMap(({ servers }) => servers.filter(isGateway).flatMap(addressesOf)),
  );
}

/** The part of the registries that identifies servers and their addresses; heartbeats do not change it. */
export function runningSignature(reading: RunningReading): string {
  return JSON.stringify([announced(reading), reading.problems]);
}

/** A gateway that connected to itself would call itself endlessly. */
function isGateway({ name, pid }: RegisteredServer): boolean {
  return name.trim().toLowerCase() === 'portolan' || pid === process.pid;
}

function addressesOf({ http, transports }: RegisteredServer): readonly string[] {
  const sockets = transports.map(({ path }) => (path === undefined ? undefined : pathToUnix(path)));
  const all = [http.url, ...transports.map(({ url }) => url), ...sockets];
  return all.flatMap((url) => (url === undefined ? [] : [addressKey(url)]));
}

const TYPES = { http: 'http', sse: 'sse', websocket: 'ws' } as const;

function toAnnounced({ id, name, pid, http, transports, fingerprint }: RegisteredServer): AnnouncedServer {
  // A server that Portolan started ends when Portolan uses its address instead, so it must not replace the launch.
  const launchField = fingerprint === undefined || isOurChild(pid) ? {} : { fingerprint };
  for (const { type, url } of transports)
    if (url !== undefined && (type === 'http' || type === 'sse' || type === 'websocket'))
      return { name, id, type: TYPES[type], url, ...launchField };
  // Programs with only this field support either kind of HTTP.
  if (http.enabled && http.url !== undefined) return { name, id, type: 'auto', url: http.url, ...launchField };
  const socket = transports.find(({ type, path = '' }) => type === 'socket' && isAbsolute(path));
  if (socket?.path !== undefined) return { name, id, type: 'socket', url: pathToUnix(socket.path), ...launchField };
  return { name, id, ...launchField };
}

function pathToUnix(path: string): string {
  return `unix:${path.split('/').map(encodeURIComponent).join('/')}`;
}

const MOST_ANCESTORS = 32;

/** Only checked where it needs no extra process; elsewhere false. */
function isOurChild(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  let next: number | undefined = pid;
  for (let n = 0; n < MOST_ANCESTORS && next !== undefined && next > 1; n += 1) {
    if (next === process.pid) return true;
    next = entryOf(next)?.parent;
  }
  return false;
}

function isThere(path: string): boolean {
  try {
    return factsOf(path) !== undefined;
  } catch {
    return true; // reading it reports the error
  }
}

function refusedRegistry(source: string, message: string): Problem {
  return {
    code: 'running-registry',
    severity: 'warning',
    message: `cannot read all running servers: ${message}`,
    hint: 'move or delete this path; servers announce themselves again within 30 s',
    source,
  };
}
