import { ErrorCode, PortolanError } from '../../base/index.js';
import type { DiscoverOptions, scanMachine } from '../../discovery/index.js';
import { removeServer } from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS, usageError } from '../runtime/command.js';
import { changeLines, changeOf } from '../runtime/edit-report.js';
import { unknownServer } from '../runtime/no-servers.js';
import { SCOPE_OPTION, scopeOf } from '../runtime/server-scope.js';
import { visible } from '../runtime/terminal-text.js';

const OPTIONS = { ...JSON_OPTIONS, ...SCOPE_OPTION } as const;

export function removeCommand(discover: typeof scanMachine, machine: DiscoverOptions = {}): Command {
  return {
    name: 'remove',
    group: 'Set up clients',
    summary: "remove a server from Portolan's own file or .mcp.json",
    usage: 'portolan remove <name> [--scope user|project] [--json]',
    options: OPTIONS,
    words: 'server',
    examples: [{ line: 'portolan remove notes', does: 'remove the entry, and print the path of the backup' }],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const [name, ...more] = positionals;
      if (name === undefined || more.length > 0) {
        throw usageError(this, 'needs exactly one name');
      }
      const options = { ...machine, scope: scopeOf(values.scope, this) };
      const file = await removeServer(name, options).catch(async (error: unknown) => {
        if (!(error instanceof PortolanError) || error.code !== ErrorCode.ServerNotFound) throw error;
        const discovery = await discover({});
        throw discovery.servers.length === 0 ? unknownServer(name, discovery) : error;
      });
      if (values.json) io.out(JSON.stringify({ name, ...changeOf(file) }, null, 2));
      else for (const line of [`Removed ${visible(name)}.`, ...changeLines(file, io)]) io.out(line);
      return EXIT.ok;
    },
  };
}
