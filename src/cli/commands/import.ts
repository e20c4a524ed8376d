import type { DiscoverOptions, scanMachine } from '../../discovery/index.js';
import { importServers } from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS, usageError } from '../runtime/command.js';
import { changeLines, changeOf } from '../runtime/edit-report.js';
import { noServerLines } from '../runtime/no-servers.js';
import { plural, visible } from '../runtime/terminal-text.js';

const OPTIONS = {
  ...JSON_OPTIONS,
  force: { type: 'boolean', about: 'replace existing entries of the same name' },
} as const;

export function importCommand(discover: typeof scanMachine, machine: DiscoverOptions = {}): Command {
  return {
    name: 'import',
    group: 'Set up clients',
    summary: "copy a client's servers to Portolan's own file",
    usage: 'portolan import <client> [--force] [--json]',
    options: OPTIONS,
    words: 'client',
    examples: [{ line: 'portolan import cursor', does: "copy Cursor's servers, and list those that were skipped" }],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const [client, ...more] = positionals;
      if (client === undefined || more.length > 0) {
        throw usageError(this, 'needs exactly one client');
      }
      const { file, imported, passedOver } = await importServers(client, { ...machine, force: values.force === true });
      if (values.json) {
        io.out(JSON.stringify({ client, imported, passedOver, ...changeOf(file) }, null, 2));
        return EXIT.ok;
      }
      if (imported.length + passedOver.length === 0) {
        const none = noServerLines(await discover({}));
        const files = `portolan config sources --client ${client} lists its files`;
        for (const line of none.length > 0 ? none : [`no servers configured in ${client}; ${files}`]) io.out(line);
        return EXIT.ok;
      }
      io.out(`Imported ${plural(imported.length, 'server')} from ${client}${imported.length > 0 ? ':' : '.'}`);
      for (const name of imported) io.out(`  ${visible(name)}`);
      for (const { name, because } of passedOver) io.out(`  not ${visible(name)}: ${because}`);
      for (const line of changeLines(file, io)) io.out(line);
      return EXIT.ok;
    },
  };
}
