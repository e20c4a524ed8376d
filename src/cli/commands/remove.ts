import { ErrorCode, PortolanError } from '../../base/index.js';
import type { DiscoverOptions } from '../../discovery/index.js';
import { removeServer } from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS } from '../runtime/command.js';
import { changeLines, changeOf } from '../runtime/edit-report.js';
import { SCOPE_OPTION, scopeOf } from '../runtime/server-scope.js';
import { visible } from '../runtime/terminal-text.js';

const OPTIONS = { ...JSON_OPTIONS, ...SCOPE_OPTION } as const;

export function removeCommand(machine: DiscoverOptions = {}): Command {
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
        throw new PortolanError(ErrorCode.Usage, 'portolan remove needs exactly one name.', {
          hint: `usage: ${this.usage}`,
        });
      }
      const file = await removeServer(name, { ...machine, scope: scopeOf(values.scope, this.usage) });
      if (values.json) io.out(JSON.stringify({ name, ...changeOf(file) }, null, 2));
      else for (const line of [`Removed ${visible(name)}.`, ...changeLines(file, io)]) io.out(line);
      return EXIT.ok;
    },
  };
}
