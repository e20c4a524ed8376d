import { parseArgs } from 'node:util';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { entryFrom } from '../../use-cases/index.js';

/** All that a command may touch of the process. */
export interface Io {
  out(line: string): void;
  err(line: string): void;
  /** Someone is looking, and no variable asks for plain text. */
  readonly colour: boolean;
  /** Someone is looking, in colours or not. */
  readonly isTerminal?: boolean;
  readonly home: string;
  /** One line that is replaced by the next, for whoever waits; undefined takes it away. Only where someone looks. */
  readonly status?: (text: string | undefined) => void;
  /** Asks the person at the terminal; undefined where there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** What ends the process is for the command from now on, which ends in order; else the process just ends. */
  readonly ending?: () => ShutdownSignal;
}

/** A command hears that it is told to end, until it has nothing to end in order any more. */
export interface ShutdownSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** A command line, and what it is good for. */
interface Example {
  readonly line: string;
  readonly does: string;
}

/** A command is a value: arguments and `Io` in, exit code out. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  /** The flags it reads: the same value tells the parser, people and shells. */
  readonly options: Options;
  /** What its first word can be, or each, for shells: names of servers, ids of clients, or these. */
  readonly words?: 'server' | 'servers' | 'client' | readonly string[];
  /** Command lines as somebody would type them; each is tried by a test. */
  readonly examples: readonly Example[];
  run(args: readonly string[], io: Io): Promise<number>;
}

export const EXIT = { ok: 0, failed: 1, usage: 2, terminalNeeded: 3 } as const;

/** One flag, in the words of the parser, with what people and shells are told of it. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly about?: string;
  /** What follows it: in capitals what to write, or the words there are. */
  readonly value?: string | readonly string[];
  /** For our own processes alone. */
  readonly isHidden?: boolean;
}
export type Options = Readonly<Record<string, Option>>;
type Value<O extends Option> = O['type'] extends 'boolean' ? boolean : string;

export interface Flags<T extends Options> {
  readonly values: { readonly [K in keyof T]?: T[K]['multiple'] extends true ? readonly Value<T[K]>[] : Value<T[K]> };
  readonly positionals: readonly string[];
}

/** The flags of a command. A flag nobody knows, or a word too many, is an error that says how the command is used. */
export function flags<T extends Options>(
  command: Command,
  args: readonly string[],
  options: T,
  { mostWords = Number.POSITIVE_INFINITY }: { readonly mostWords?: number } = {},
): Flags<T> {
  // What is read and what is told must be one: a flag that only one of them knows is a trap.
  if (command.options !== options) throw new Error(`${command.name} reads other flags than its help tells of`);
  const hint = `usage: ${command.usage}`;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const extra = positionals[mostWords];
    if (extra !== undefined)
      throw new PortolanError(ErrorCode.Usage, `${command.name} has no use for ${extra}`, { hint });
    return { values: values as Flags<T>['values'], positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [reason = ''] = error.message.split('. ');
    throw new PortolanError(ErrorCode.Usage, reason, { hint, cause: error });
  }
}

/** The words that a command cannot do without, by what they mean, and those that follow. */
export function needed<const N extends readonly string[]>(
  command: Command,
  words: readonly string[],
  names: N,
): [...{ [K in keyof N]: string }, ...string[]] {
  const missing = names[words.length];
  if (missing !== undefined) {
    throw new PortolanError(ErrorCode.Usage, `${command.name} needs a ${missing}`, { hint: `usage: ${command.usage}` });
  }
  return [...words] as [...{ [K in keyof N]: string }, ...string[]];
}

/** For commands that speak to the daemon. */
export const SOCKET_OPTION = {
  'mcp-bridge-socket': { type: 'string', value: 'PATH', about: 'the socket of the daemon, if not the usual one' },
} as const;

/** Flags of every command that reads the chart. */
export const CHART_OPTIONS = {
  json: { type: 'boolean', about: 'print JSON, for programs' },
  config: { type: 'string', value: 'FILE|FOLDER', about: 'read this one place instead of every client' },
  client: { type: 'string', value: 'ID,…', about: 'only what these clients have written down' },
  server: {
    type: 'string',
    value: 'NAME=…',
    multiple: true,
    about: 'one more server for this call: a command or an address',
  },
} as const;
const { json } = CHART_OPTIONS;

/** For commands that touch no chart and have something to print. */
export const JSON_OPTIONS = { json } as const;

export interface ChartFlags {
  readonly config?: string;
  readonly clients?: readonly string[];
  readonly servers?: Readonly<Record<string, unknown>>;
}

export function chartFlags(values: { config?: unknown; client?: unknown; server?: readonly string[] }): ChartFlags {
  return {
    ...(values.server && { servers: Object.fromEntries(values.server.map(namedServer)) }),
    ...(typeof values.config === 'string' && { config: values.config }),
    ...(typeof values.client === 'string' && { clients: values.client.split(',').map((id) => id.trim()) }),
  };
}

/** `name=command words…` or `name=https://…` */
function namedServer(argument: string): [string, unknown] {
  const equals = argument.indexOf('=');
  if (equals > 0 && equals < argument.length - 1)
    return [argument.slice(0, equals), entryFrom(argument.slice(equals + 1))];
  throw new PortolanError(ErrorCode.Usage, `--server ${argument} names no server`, {
    hint: 'write --server name=command, or --server name=https://…',
  });
}
