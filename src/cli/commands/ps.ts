import { maskUrl } from '../../base/index.js';
import {
  type DiscoverOptions,
  distinctServers,
  hostOf,
  ownFolders,
  readRunning,
  scanMachine,
  transportsOf,
} from '../../discovery/index.js';
import { projectRegistryPath, type RegisteredServer, userRegistryPath } from '../../use-cases/index.js';
import { type Command, EXIT, flags, type Io, JSON_OPTIONS } from '../runtime/command.js';
import { noServerLines } from '../runtime/no-servers.js';
import { type Cell, shortPath, table, visible } from '../runtime/terminal-text.js';
import { processLines, type SharedProcess, sharedProcesses } from './shared-processes.js';

const OPTIONS = {
  ...JSON_OPTIONS,
  user: { type: 'boolean', about: 'only servers that are announced for the user' },
} as const;
const HEAD = ['ID', 'PID', 'REACHED BY', 'SINCE', 'DIRECTORY'];

/** `processes` are those that the daemon started; undefined if no daemon runs. */
export function psCommand(
  machine: DiscoverOptions = {},
  processes: () => Promise<readonly SharedProcess[] | undefined> = () => sharedProcesses(machine),
  discover: typeof scanMachine = scanMachine,
): Command {
  return {
    name: 'ps',
    group: 'Run and monitor',
    summary: 'list running servers, their users and the memory saved',
    usage: 'portolan ps [--json] [--user]',
    options: OPTIONS,
    examples: [
      { line: 'portolan ps', does: 'list announced servers and shared processes' },
      { line: 'portolan ps --user --json', does: 'print the servers announced for the user as JSON' },
    ],
    async run(args, io) {
      const { values } = flags(this, args, OPTIONS, { mostWords: 0 });
      const reading = await readRunning(hostOf(machine), true);
      const registries = reading.registries.filter(({ isUsers }) => isUsers || values.user !== true);
      for (const { message, hint } of reading.problems) io.err(visible(`${message} (${hint})`));
      const servers = distinctServers({ ...reading, registries }).map(masked);
      const shared = await processes();
      if (values.json) {
        io.out(JSON.stringify({ servers, processes: shared ?? [] }, null, 2));
        return EXIT.ok;
      }
      const isUser = values.user === true;
      const announced = serverLines(servers, registryPath(machine, isUser), isUser ? '' : ', nor for this user', io);
      const isIdle = servers.length === 0 && (shared ?? []).length === 0;
      const none = isIdle ? noServerLines(await discover(machine)) : [];
      for (const line of [...announced, '', ...processLines(shared, io), ...none]) io.out(line);
      return EXIT.ok;
    },
  };
}

/** The registry of this project or of this user. */
export function registryPath(machine: DiscoverOptions, isUser: boolean): string {
  const host = hostOf(machine);
  return isUser ? userRegistryPath(ownFolders(host).state) : projectRegistryPath(host.cwd);
}

/** A URL can contain a key. */
function masked(server: RegisteredServer): RegisteredServer {
  const { http } = server;
  return {
    ...server,
    http: http.url === undefined ? http : { ...http, url: maskUrl(http.url) },
    transports: transportsOf(server).map((one) => (one.url === undefined ? one : { ...one, url: maskUrl(one.url) })),
  };
}

function serverLines(servers: readonly RegisteredServer[], path: string, elsewhere: string, io: Io): string[] {
  if (servers.length === 0) return [`No server has announced itself in ${shortPath(path, io.home)}${elsewhere}.`];
  const rows = servers.map((server): Cell[] => [
    { text: visible(server.id) },
    { text: server.liveness === 'alive' ? String(server.pid) : `${server.pid} (elsewhere)` },
    { text: visible(server.transports.map(({ type, url, path: at }) => url ?? at ?? type).join(', ') || '-') },
    { text: visible(server.started_at || '-'), style: 'dim' },
    { text: server.cwd === '' ? '-' : shortPath(server.cwd, io.home) },
  ]);
  return table([HEAD.map((text): Cell => ({ text, style: 'bold' })), ...rows], io);
}
