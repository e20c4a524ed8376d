import { ErrorCode, PortolanError } from '../../base/index.js';
import { type DiscoverOptions, hostOf, ownFolders, type scanMachine } from '../../discovery/index.js';
import { explain, readServerLog } from '../../use-cases/index.js';
import { type Command, EXIT, flags, JSON_OPTIONS, needed } from '../runtime/command.js';
import { unknownServer } from '../runtime/no-servers.js';
import { printJson } from '../runtime/report-failure.js';
import { visible } from '../runtime/terminal-text.js';

export function logsCommand(discover: typeof scanMachine, machine: DiscoverOptions = {}): Command {
  return {
    name: 'logs',
    group: 'Run and monitor',
    summary: 'show what a server last wrote to stderr',
    usage: 'portolan logs <server> [--json]',
    options: JSON_OPTIONS,
    words: 'server',
    examples: [{ line: 'portolan logs github', does: 'show the errors of a server that did not start' }],
    async run(args, io) {
      const { values, positionals } = flags(this, args, JSON_OPTIONS, { mostWords: 1 });
      const [wanted] = needed(this, positionals, ['server']);
      const read = () => readLog(wanted, ownFolders(hostOf(machine)).logs, discover);
      if (values.json) return printJson(read, { server: wanted }, io);
      const { server, lines } = await read();
      if (lines.length === 0) io.out(`${visible(server)} has written nothing on stderr, or was never started.`);
      else for (const line of lines) io.out(visible(line));
      return EXIT.ok;
    },
  };
}

interface ServerStderr {
  readonly server: string;
  readonly lines: readonly string[];
}

async function readLog(wanted: string, folder: string, discover: typeof scanMachine): Promise<ServerStderr> {
  const kept = await readServerLog(folder, wanted);
  // An existing log is printed even if the server is no longer configured. Only without a log is the name checked.
  const server = kept.kind === 'absent' ? await knownAs(wanted, discover) : wanted;
  const reading = server === wanted ? kept : await readServerLog(folder, server);
  if (reading.kind === 'failed')
    throw new PortolanError(ErrorCode.ConfigNotFound, `the log of ${server} ${reading.message}`, {
      hint: reading.hint,
    });
  const lines = reading.kind === 'read' ? reading.text.split('\n').filter((line) => line !== '') : [];
  return { server, lines };
}

/** The name of the log file. A name that is neither configured nor has a log is an error. */
async function knownAs(wanted: string, discover: typeof scanMachine): Promise<string> {
  const discovery = await discover({});
  const explanation = explain(discovery, wanted);
  if (!explanation) throw unknownServer(wanted, discovery);
  return explanation.server?.name ?? wanted;
}
