import type { DiscoverOptions, scanMachine } from '../../discovery/index.js';
import { type InstallOptions, uninstall } from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS, usageError } from '../runtime/command.js';
import { installJson, installLines, nextLines, undoJson, undoLines } from '../runtime/install-report.js';
import { noServerLines } from '../runtime/no-servers.js';
import { installOne } from './install-one.js';

const OPTIONS = {
  ...JSON_OPTIONS,
  'take-over': { type: 'boolean', about: 'the client stops starting its own servers; Portolan starts them' },
  project: { type: 'boolean', about: 'with --take-over: also the files of this project, which your team sees' },
  undo: { type: 'boolean', about: 'remove Portolan and restore the servers of the client' },
  remove: { type: 'boolean', about: 'the same as --undo' },
  npx: { type: 'boolean', about: 'start Portolan with npx instead of its path' },
  yes: { type: 'boolean', short: 'y', about: 'without a client: install in all detected clients, do not ask' },
} as const;

export function installCommand(discover: typeof scanMachine, machine: DiscoverOptions = {}): Command {
  return {
    name: 'install',
    group: 'Set up clients',
    summary: 'add Portolan to clients, in place of their own servers',
    usage: 'portolan install [<client>] [--take-over [--project]] [--undo] [--npx] [--yes] [--json]',
    options: OPTIONS,
    words: 'client',
    examples: [
      { line: 'portolan install cursor', does: 'add one entry; every other byte stays' },
      { line: 'portolan install cursor --take-over', does: 'also stop it from starting its own servers' },
      { line: 'portolan install cursor --undo', does: 'remove the entry, and restore the servers' },
      { line: 'portolan install --json', does: 'show what would change in every detected client' },
    ],
    async run(args, io) {
      const { values, positionals } = flags(this, args, OPTIONS, { mostWords: 1 });
      const [client] = positionals;
      const json = values.json === true;
      const isUndo = values.undo === true || values.remove === true;
      const options: InstallOptions = {
        ...machine,
        npx: values.npx === true,
        takeOver: values['take-over'] === true,
        project: values.project === true,
      };
      if (options.project && !options.takeOver && client !== undefined)
        throw usageError(this, 'takes --project only with --take-over');
      if (client === undefined) {
        if (isUndo) throw usageError(this, 'needs a client after --undo');
        const flagValues = { json, yes: values.yes === true };
        return (await import('./install-clients.js')).installClients(discover, options, io, flagValues);
      }
      if (isUndo) {
        const undone = await uninstall(client, machine);
        if (json) io.out(JSON.stringify(undoJson(undone), null, 2));
        else for (const line of undoLines(undone, io)) io.out(line);
        return EXIT.ok;
      }
      const outcome = await installOne(client, options);
      if (json) io.out(JSON.stringify(installJson(outcome), null, 2));
      else {
        const none = noServerLines(await discover({}));
        for (const line of [...installLines(outcome, io), ...nextLines([client]), ...none]) io.out(line);
      }
      return outcome.verification.kind === 'fails' ? EXIT.failed : EXIT.ok;
    },
  };
}
