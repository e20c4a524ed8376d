import { type DiscoverOptions, hostOf, ownFolders, readServerLog } from '../app/index.js';
import { ErrorCode, PortolanError } from '../base/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS, needed } from './command.js';
import { visible } from './text.js';

export function logsCommand(machine: DiscoverOptions = {}): Command {
  return {
    name: 'logs',
    summary: 'show what a server wrote on stderr when it last ran',
    usage: 'portolan logs <server> [--json]',
    options: JSON_OPTIONS,
    words: 'server',
    examples: [{ line: 'portolan logs github', does: 'why it did not start, in its own words' }],
    async run(args, io) {
      const { values, positionals } = flags(this, args, JSON_OPTIONS, { mostWords: 1 });
      const [server] = needed(this, positionals, ['server']);
      const reading = await readServerLog(ownFolders(hostOf(machine)).logs, server);
      if (reading.kind === 'failed')
        throw new PortolanError(ErrorCode.ConfigNotFound, `the log of ${server} ${reading.message}`, {
          hint: reading.hint,
        });
      const lines = reading.kind === 'read' ? reading.text.split('\n').filter((line) => line !== '') : [];
      if (values.json) io.out(JSON.stringify({ server, lines }, null, 2));
      else if (lines.length === 0) io.out(`${visible(server)} has written nothing on stderr, or was never started.`);
      else for (const line of lines) io.out(visible(line));
      return EXIT.ok;
    },
  };
}
