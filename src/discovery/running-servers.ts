import { dirname, isAbsolute, join } from 'node:path';
import { entryOf, factsOf } from '../base/index.js';
import type { Definition, Host, Problem } from '../model/index.js';
import type { RegisteredServer } from '../registry/index.js';
import type { AnnouncedServer, Announcements } from '../sources/index.js';
import { addressKey } from './match-running.js';
import { ownFolders } from './own-folders.js';

/** One registry, and who runs according to it. */
export interface Registry {
  readonly path: string;
  /** Nobody but the user writes there; a project's may have come with a repository. */
  readonly isUsers: boolean;
  readonly servers: readonly RegisteredServer[];
}

export interface RunningReading {
  readonly registries: readonly Registry[];
  readonly problems: readonly Problem[];
}

const NOTHING: RunningReading = { registries: [], problems: [] };
const VIEW = 'mcp_servers.json';
/** Where another program keeps servers in the same form. */
const FOREIGN_FOLDER = '.nisaba';

/** The registries that count for whoever works here: the project's, the user's, and one that another program keeps. */
function registriesFor(host: Host): readonly Pick<Registry, 'path' | 'isUsers'>[] {
  const projects = [...new Set([host.cwd, host.repository ?? host.cwd])];
  const inProjects = (folder: string) =>
    projects.map((project) => ({ path: join(project, folder, VIEW), isUsers: false }));
  const users = { path: join(ownFolders(host).state, 'running', VIEW), isUsers: true };
  return [...inProjects('.portolan'), users, ...inProjects(FOREIGN_FOLDER)];
}

/** Who runs now. Most machines have no registry: then nothing is loaded to read one. */
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

/** All of them by their ids, one that is announced in two places once. */
export function distinctServers({ registries }: RunningReading): readonly RegisteredServer[] {
  const known = new Map<string, RegisteredServer>();
  for (const server of registries.flatMap(({ servers }) => servers)) {
    const key = JSON.stringify([server.id, server.pid]);
    if (!known.has(key)) known.set(key, server);
  }
  return [...known.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** How it is reached, also where it knows only the older field for that. */
export function transportsOf({ http, transports }: RegisteredServer): RegisteredServer['transports'] {
  const { enabled, url } = http;
  const isMissing = enabled && url !== undefined && !transports.some((one) => one.url === url);
  return isMissing ? [...transports, { type: 'http', url }] : transports;
}

/** The servers among them that can be offered, in the words of a source. */
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

/** Without what was written down to reach this user's own gateways: they are found among the servers that they would offer. */
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
      severity: 'warning',
      message: 'skipped: its address is that of a Portolan that runs now',
      hint: 'nothing to do: this entry connects the client to Portolan, and Portolan does not call itself',
      ...{ source, line, server: name },
    })),
  };
}

/** A repository that announces a Portolan at the address of another server must not make that one disappear: only the user's registry is believed. */
function gatewaysOf({ registries }: RunningReading): ReadonlySet<string> {
  return new Set(
    registries
      .filter(({ isUsers }) => isUsers)
      .flatMap(({ servers }) => servers.filter(isGateway).flatMap(addressesOf)),
  );
}

/** What is told apart by: another figure in an announcement is no other server. */
export function runningSignature(reading: RunningReading): string {
  return JSON.stringify([announced(reading), reading.problems]);
}

/** A gateway that offered itself to itself would call itself for ever. */
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
  // What we started ourselves ends when we reach it by another way, and would have to be started again.
  const said = fingerprint === undefined || isOurChild(pid) ? {} : { fingerprint };
  for (const { type, url } of transports)
    if (url !== undefined && (type === 'http' || type === 'sse' || type === 'websocket'))
      return { name, id, type: TYPES[type], url, ...said };
  // Programs that know only this field speak either kind of HTTP.
  if (http.enabled && http.url !== undefined) return { name, id, type: 'auto', url: http.url, ...said };
  const socket = transports.find(({ type, path = '' }) => type === 'socket' && isAbsolute(path));
  if (socket?.path !== undefined) return { name, id, type: 'socket', url: pathToUnix(socket.path), ...said };
  return { name, id, ...said };
}

function pathToUnix(path: string): string {
  return `unix:${path.split('/').map(encodeURIComponent).join('/')}`;
}

const MOST_ANCESTORS = 32;

/** Where asking costs no process; elsewhere nobody is taken for a child of ours. */
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
    return true; // reading it will say what is wrong
  }
}

function refusedRegistry(source: string, message: string): Problem {
  return {
    code: 'running-registry',
    severity: 'warning',
    message: `not all that runs can be told: ${message}`,
    hint: 'move away what is in its place; servers announce themselves again within half a minute',
    source,
  };
}
