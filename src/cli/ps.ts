import {
  type DiscoverOptions,
  hostOf,
  ownFolders,
  projectRegistryPath,
  type RegisteredServer,
  ServerRegistry,
  userRegistryPath,
} from '../app/index.js';
import { maskUrl } from '../base/index.js';
import { type Command, EXIT, flags, type Io } from './command.js';
import { type Cell, shortPath, table, visible } from './text.js';

const OPTIONS = { json: { type: 'boolean' }, user: { type: 'boolean' } } as const;
const HEAD = ['ID', 'PID', 'REACHED BY', 'SINCE', 'FOLDER'];

/** `processes` are those that Portolan itself started. */
export function psCommand(
  machine: DiscoverOptions = {},
  processes: () => Promise<readonly unknown[]> = async () => [],
): Command {
  return {
    name: 'ps',
    summary: 'show the servers that run now, in this project or, with --user, outside of projects',
    usage: 'portolan ps [--json] [--user]',
    async run(args, io) {
      const { values } = flags(this, args, OPTIONS, { mostWords: 0 });
      const path = registryPath(machine, values.user === true);
      await using registry = new ServerRegistry(path, { warn: (message) => io.err(visible(message)) });
      const servers = (await registry.listServers()).map(masked);
      if (values.json) io.out(JSON.stringify({ servers, processes: await processes() }, null, 2));
      else for (const line of serverLines(servers, path, io)) io.out(line);
      return EXIT.ok;
    },
  };
}

/** Where the servers of this project, or of this user, announce themselves. */
export function registryPath(machine: DiscoverOptions, isUser: boolean): string {
  const host = hostOf(machine);
  return isUser ? userRegistryPath(ownFolders(host).state) : projectRegistryPath(host.cwd);
}

/** An address can hold a key, and the others see what is on a screen. */
function masked({ http, transports, ...server }: RegisteredServer): RegisteredServer {
  return {
    ...server,
    http: http.url === undefined ? http : { ...http, url: maskUrl(http.url) },
    transports: transports.map((one) => (one.url === undefined ? one : { ...one, url: maskUrl(one.url) })),
  };
}

function serverLines(servers: readonly RegisteredServer[], path: string, io: Io): string[] {
  if (servers.length === 0) return [`No server has announced itself in ${shortPath(path, io.home)}.`];
  const rows = servers.map((server): Cell[] => [
    { text: visible(server.id) },
    { text: server.liveness === 'alive' ? String(server.pid) : `${server.pid} (elsewhere)` },
    { text: visible(server.transports.map(({ type, url, path: at }) => url ?? at ?? type).join(', ') || '-') },
    { text: visible(server.started_at || '-'), style: 'dim' },
    { text: server.cwd === '' ? '-' : shortPath(server.cwd, io.home) },
  ]);
  return table([HEAD.map((text): Cell => ({ text, style: 'bold' })), ...rows], io);
}
