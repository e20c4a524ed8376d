import { ErrorCode, PortolanError } from '../base/index.js';
import { type DiscoverOptions, hostOf, ownFolders, type scanMachine } from '../discovery/index.js';
import type { inspectOwnSettings } from '../use-cases/index.js';
import { listCommand } from './commands/list.js';
import type { Serve } from './commands/serve.js';
import { type Command, EXIT, type Io } from './runtime/command.js';
import { exitOf, failureJson, failureText } from './runtime/report-failure.js';
import { suggestion } from './runtime/suggestion.js';
import { paint } from './runtime/terminal-text.js';
import type { OpenForCommand } from './runtime/with-gateway.js';

export interface Program {
  readonly discover: typeof scanMachine;
  readonly inspectSettings: typeof inspectOwnSettings;
  /** Serves MCP until the clients disconnect or a shutdown signal arrives. */
  readonly serve: Serve;
  readonly open: OpenForCommand;
  /** The machine that commands read and write, and the path of this program. */
  readonly machine?: DiscoverOptions;
  readonly version: string;
  /** stdin is a terminal; otherwise an MCP client may have started us. */
  readonly interactive: boolean;
}

/** One file per command, in the order of the help. All but `list` are loaded on first use, to start faster. */
const COMMANDS: Readonly<Record<string, (program: Program) => Promise<Command>>> = {
  list: async ({ discover }) => listCommand(discover),
  why: async ({ discover }) => (await import('./commands/why.js')).whyCommand(discover),
  doctor: async ({ discover }) => (await import('./commands/doctor.js')).doctorCommand(discover),
  config: async (program) =>
    (await import('./commands/config.js')).configCommand(program.discover, program.inspectSettings),
  tour: async ({ version, machine }) => (await import('./commands/tour.js')).tourCommand(version, machine),
  help: async (program) => (await import('./commands/help.js')).helpCommand(() => everyCommand(program)),
  search: async ({ open, machine }) => (await import('./commands/search.js')).searchCommand(open, machine),
  tools: async ({ open }) => (await import('./commands/tools.js')).toolsCommand(open),
  inspect: async ({ open }) => (await import('./commands/inspect.js')).inspectCommand(open),
  call: async ({ open }) => (await import('./commands/call.js')).callCommand(open),
  python: async ({ open }) => {
    const { readProgram } = await import('./commands/python-source.js');
    return (await import('./commands/python.js')).pythonCommand(open, readProgram);
  },
  approve: async ({ discover }) => (await import('./commands/approve.js')).approveCommand(discover),
  deny: async ({ discover }) => (await import('./commands/approve.js')).denyCommand(discover),
  login: async ({ discover }) => (await import('./commands/login.js')).loginCommand(discover),
  logout: async ({ discover }) => (await import('./commands/logout.js')).logoutCommand(discover),
  status: async ({ machine }) => (await import('./commands/status.js')).statusCommand(machine),
  audit: async ({ discover, machine = {} }) =>
    (await import('./commands/audit.js')).auditCommand(() => ownFolders(hostOf(machine)).audit, discover),
  lock: async ({ discover }) => (await import('./commands/lock.js')).lockCommand(discover),
  install: async ({ discover, machine }) => (await import('./commands/install.js')).installCommand(discover, machine),
  set: async ({ discover }) => {
    const { readProgram } = await import('./commands/python-source.js');
    return (await import('./commands/set.js')).setCommand(discover, () => readProgram('-'));
  },
  add: async ({ machine }) => (await import('./commands/add.js')).addCommand(machine),
  remove: async ({ discover, machine }) => (await import('./commands/remove.js')).removeCommand(discover, machine),
  import: async ({ discover, machine }) => (await import('./commands/import.js')).importCommand(discover, machine),
  completion: async (program) =>
    (await import('./commands/completion/index.js')).completionCommand(program.discover, () => everyCommand(program)),
  daemon: async ({ machine }) => (await import('./commands/daemon.js')).daemonCommand(machine),
  ps: async ({ machine }) => (await import('./commands/ps.js')).psCommand(machine),
  clients: async ({ machine }) => (await import('./commands/clients.js')).clientsCommand(machine),
  logs: async ({ discover, machine }) => (await import('./commands/logs.js')).logsCommand(discover, machine),
  serve: async ({ serve }) => (await import('./commands/serve.js')).serveCommand(serve),
  announce: async ({ machine }) => (await import('./commands/announce.js')).announceCommand(machine),
};

/** All commands, for help and completion. */
export function everyCommand(program: Program): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load(program)));
}

/** Runs one command line and returns its exit code. A PortolanError is printed; any other error is thrown. */
export async function run(args: readonly string[], io: Io, program: Program): Promise<number> {
  try {
    return await dispatch(args, io, program);
  } catch (error) {
    if (!(error instanceof PortolanError)) throw error;
    if (await isForProgram(args, program)) {
      io.out(failureJson(error, {}));
      return exitOf(error);
    }
    io.err(failureText(error, io));
    return exitOf(error);
  }
}

/** With --json, an error is also printed as JSON on stdout. */
async function isForProgram(args: readonly string[], program: Program): Promise<boolean> {
  if (!ownArguments(args).includes('--json')) return false;
  const command = await commandOf(args, program);
  return !command || Object.hasOwn(command.options ?? {}, 'json');
}

/** Without a command, the flags belong to `list` on a terminal and to `serve` otherwise. */
async function commandOf([name]: readonly string[], program: Program): Promise<Command | undefined> {
  const usual = program.interactive ? 'list' : 'serve';
  const wanted = name === undefined || name.startsWith('-') ? usual : name;
  return Object.hasOwn(COMMANDS, wanted) ? COMMANDS[wanted]?.(program) : undefined;
}

/** The arguments after `--` belong to another program. */
function ownArguments(args: readonly string[]): readonly string[] {
  return args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
}

async function dispatch(args: readonly string[], io: Io, program: Program): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version' || name === '-v') {
    io.out(program.version);
    return EXIT.ok;
  }
  if (name === '--help' || name === '-h') return dispatch(['help'], io, program);
  const command = await commandOf(args, program);
  if (!command) {
    throw new PortolanError(ErrorCode.Usage, `portolan has no command "${name}"`, {
      hint: `${suggestion(name ?? '', Object.keys(COMMANDS))}for the list of commands: portolan help`,
    });
  }
  const own = ownArguments(rest);
  if (own.includes('--help') || own.includes('-h')) {
    const { commandLines } = await import('./commands/help.js');
    for (const line of commandLines(command, io)) io.out(line);
    return EXIT.ok;
  }
  if (name !== undefined) return command.run(name.startsWith('-') ? args : rest, io);
  const code = await command.run([], io);
  if (program.interactive) io.out(paint(io, 'dim', 'Next: portolan list --all · portolan doctor · portolan help'));
  return code;
}
