import type { discoverAll } from '../app/index.js';
import { ErrorCode, PortolanError } from '../base/index.js';
import { type Command, EXIT, type Io } from './command.js';
import { configCommand } from './config.js';
import { doctorCommand } from './doctor.js';
import { listCommand } from './list.js';
import { paint } from './text.js';
import { whyCommand } from './why.js';

export interface Program {
  readonly discover: typeof discoverAll;
  readonly version: string;
  /** Someone types; without that, a client speaks to us through a pipe. */
  readonly interactive: boolean;
}

/** Runs one command line and says with which code to end. What a person can mend is printed, anything else is thrown. */
export async function run(args: readonly string[], io: Io, program: Program): Promise<number> {
  const commands = [
    listCommand(program.discover),
    whyCommand(program.discover),
    configCommand(program.discover),
    doctorCommand(program.discover),
  ];
  try {
    return await dispatch(args, io, program, commands);
  } catch (error) {
    if (!(error instanceof PortolanError)) throw error;
    io.err(`${paint(io, 'red', error.code)}: ${error.message}${error.hint ? `\n  ${error.hint}` : ''}`);
    return EXIT.usage;
  }
}

async function dispatch(
  args: readonly string[],
  io: Io,
  program: Program,
  commands: readonly Command[],
): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version' || name === '-v') {
    io.out(program.version);
    return EXIT.ok;
  }
  if (name === 'help' || name === '--help' || name === '-h') {
    for (const line of helpLines(commands, io)) io.out(line);
    return EXIT.ok;
  }
  // Flags without a command belong to the list: `portolan --config x`.
  const command = commands.find((one) => one.name === (name === undefined || name.startsWith('-') ? 'list' : name));
  if (!command) {
    throw new PortolanError(ErrorCode.Usage, `there is no command ${name}`, { hint: 'portolan help lists them' });
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(`${command.summary}\n\nusage: ${command.usage}`);
    return EXIT.ok;
  }
  if (name !== undefined) return command.run(name.startsWith('-') ? args : rest, io);
  if (!program.interactive) {
    io.err('portolan cannot serve a client yet; this version finds and explains servers. Try: portolan list');
    return EXIT.failed;
  }
  const code = await command.run([], io);
  io.out(paint(io, 'dim', 'Next: portolan list --all · portolan doctor · portolan help'));
  return code;
}

function helpLines(commands: readonly Command[], io: Io): string[] {
  return [
    'Portolan: the chart of every MCP server on this machine.',
    '',
    ...commands.flatMap(({ usage, summary }) => [`  ${paint(io, 'bold', usage)}`, `      ${summary}`]),
    '',
    '  MCP_SERVERS_CONFIG=<file or folder>   read this one place instead of every client',
    '  NO_COLOR=1                            plain text',
  ];
}
