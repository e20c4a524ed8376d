import { ErrorCode, PortolanError } from '../../base/index.js';
import type { DiscoverOptions } from '../../discovery/index.js';
import { install, uninstall } from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS } from '../runtime/command.js';
import { changeLines, changeOf } from '../runtime/edit-report.js';
import { visible } from '../runtime/terminal-text.js';

const OPTIONS = {
  ...JSON_OPTIONS,
  remove: { type: 'boolean', about: 'remove Portolan from the client' },
  npx: { type: 'boolean', about: 'start it with npx instead of its path' },
} as const;

export function installCommand(machine: DiscoverOptions = {}): Command {
  return {
    name: 'install',
    group: 'Set up clients',
    summary: 'add Portolan to the configuration of a client',
    usage: 'portolan install <client> [--remove] [--npx] [--json]',
    options: OPTIONS,
    words: 'client',
    examples: [
      { line: 'portolan install cursor', does: 'add one entry; every other byte stays' },
      { line: 'portolan install cursor --remove', does: 'remove the entry' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS);
      const [client, ...more] = positionals;
      if (client === undefined || more.length > 0) {
        throw new PortolanError(ErrorCode.Usage, 'portolan install needs exactly one client.', {
          hint: `usage: ${this.usage}`,
        });
      }
      if (values.remove) {
        const { file } = await uninstall(client, machine);
        if (values.json) io.out(JSON.stringify({ client, ...changeOf(file) }, null, 2));
        else for (const line of [`Took Portolan out of ${client}.`, ...changeLines(file, io)]) io.out(line);
        return EXIT.ok;
      }
      const { file, program } = await install(client, { ...machine, npx: values.npx === true });
      if (values.json) {
        io.out(JSON.stringify({ client, ...program, ...changeOf(file) }, null, 2));
        return EXIT.ok;
      }
      io.out(`Put Portolan into ${client}: ${visible([program.command, ...program.args].join(' '))}`);
      for (const line of changeLines(file, io)) io.out(line);
      io.out(`Restart ${client} to use it. To take it out: portolan install ${client} --remove`);
      return EXIT.ok;
    },
  };
}
