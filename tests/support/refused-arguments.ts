import { join } from 'node:path';
import { commandsIn, ErrorCode, PortolanError } from '../../src/base/index.js';
import { everyCommand, type Program } from '../../src/cli/run-command.js';
import { flags, type Io } from '../../src/cli/runtime/command.js';
import type { Machine } from './machine.js';

/** Thrown when a command has parsed its arguments and starts its work. */
class ArgumentsAccepted extends Error {}
const acceptArguments = () => Promise.reject(new ArgumentsAccepted());

/** A program whose commands stop after they have parsed their arguments. */
export function programOn(machine: Machine): Program {
  return {
    discover: acceptArguments,
    inspectSettings: acceptArguments,
    serve: { stdio: acceptArguments, http: acceptArguments, socket: acceptArguments, environment: {} },
    open: acceptArguments,
    machine: machine.options({ self: join(machine.home, 'cli.js') }),
    version: '0.0.0',
    interactive: false,
  };
}

export const silent: Io = { out: () => undefined, err: () => undefined, colour: false, home: '/' };

/** The arguments after `portolan` in a command line of an example, a help page or a hint. */
export function typedIn(line: string): string[] {
  const words = commandsIn(line).find(([first]) => first === 'portolan');
  if (!words) throw new Error(`no portolan command in: ${line}`);
  return words.slice(1);
}

/** These commands start a process or wait for input, so only their arguments are parsed. */
const ONLY_PARSED = ['serve', 'daemon', 'announce', 'tour', 'python', 'clients', 'ps'];

/** The usage error of the command for these arguments; undefined if it accepts them. */
export async function refusalOf(args: readonly string[], machine: Machine): Promise<string | undefined> {
  const program = programOn(machine);
  const [name = '', ...rest] = args;
  const command = (await everyCommand(program)).find((one) => one.name === name);
  if (!command) return `there is no command ${name}`;
  try {
    if (ONLY_PARSED.includes(name) || rest.includes('--install-model')) flags(command, rest, command.options);
    else await command.run(rest, silent);
  } catch (error) {
    if (error instanceof PortolanError && error.code === ErrorCode.Usage) return error.message;
    if (!(error instanceof PortolanError || error instanceof ArgumentsAccepted)) throw error;
  }
  return undefined;
}
