import { daemonLocation } from '../../app/index.js';
import { isObject } from '../../base/index.js';
import { askDaemon } from '../../bridge/index.js';
import type { DiscoverOptions } from '../../discovery/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS, SOCKET_OPTION } from '../runtime/command.js';
import { type Cell, shortPath, table, visible } from '../runtime/terminal-text.js';

const OPTIONS = { ...JSON_OPTIONS, ...SOCKET_OPTION } as const;
const HEAD = ['ID', 'NAME', 'VERSION', 'PID', 'CALLS', 'SINCE', 'DIRECTORY'];

/** Lists the clients of the daemon, except this command. */
export function clientsCommand(machine: DiscoverOptions = {}): Command {
  return {
    name: 'clients',
    group: 'Run and monitor',
    summary: 'list the clients that are connected to the daemon',
    usage: 'portolan clients [--json] [--mcp-bridge-socket PATH]',
    options: OPTIONS,
    examples: [{ line: 'portolan clients', does: 'list the connected clients' }],
    async run(args, io) {
      const { values } = flags(this, args, OPTIONS, { mostWords: 0 });
      const { socket } = await daemonLocation(machine, values['mcp-bridge-socket']);
      const status = await askDaemon(socket, 'bridge/status');
      const all = isObject(status) && Array.isArray(status.clients) ? status.clients.filter(isObject) : [];
      // This command is connected without a name and a directory.
      const clients = all.filter(({ name, cwd }) => name !== 'unknown' || cwd !== undefined);
      if (values.json) io.out(JSON.stringify({ clients }, null, 2));
      else if (clients.length === 0) io.out(status === undefined ? 'No daemon runs.' : 'No client is connected.');
      else {
        const rows = clients.map(({ id, name, version, pid, calls, since, cwd }): Cell[] => [
          ...[id, name, version, pid, calls, since].map((one) => ({ text: visible(String(one ?? '-')) })),
          { text: typeof cwd === 'string' ? shortPath(cwd, io.home) : '-' },
        ]);
        for (const line of table([HEAD.map((text): Cell => ({ text, style: 'bold' })), ...rows], io)) io.out(line);
      }
      return EXIT.ok;
    },
  };
}
