import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { entryFrom } from '../../use-cases/index.js';
import { suggestion } from './suggestion.js';

/** What a command may use of its process. */
export interface Io {
  out(line: string): void;
  err(line: string): void;
  /** stdout is a terminal, and no environment variable asks for plain text. */
  readonly colour: boolean;
  /** stdout is a terminal. */
  readonly isTerminal?: boolean;
  /** The width of that terminal; undefined for a pipe or file. */
  readonly columns?: number;
  readonly home: string;
  /** Shows one line of progress in place of the last one; undefined clears it. Only if stderr is a terminal. */
  readonly status?: (text: string | undefined) => void;
  /** Asks the person at the terminal; undefined if there is no terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** The terminal, for prompts that are drawn; undefined if there is none. */
  readonly terminal?: Terminal;
  /** Asks without showing the answer; undefined if there is no terminal. */
  readonly askSecret?: (question: string) => Promise<string>;
  /** From this call on, a shutdown signal aborts the returned signal instead of ending the process. */
  readonly ending?: () => ShutdownSignal;
}

/** A terminal for reading keys and drawing. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Aborted by SIGINT, SIGTERM or SIGHUP. After disposal these signals end the process again. */
export interface ShutdownSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** A command line and what it does. */
interface Example {
  readonly line: string;
  readonly does: string;
}

/** The headings of `portolan help`, in its order. Within a group, commands keep the order of the command table. */
export const COMMAND_GROUPS = [
  'Discover',
  'Use tools',
  'Approve and secure',
  'Set up clients',
  'Run and monitor',
] as const;
type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** A command is a value: it takes arguments and `Io` and returns an exit code. */
export interface Command {
  readonly name: string;
  readonly group: CommandGroup;
  readonly summary: string;
  readonly usage: string;
  /** The flags, for the parser, the help and shell completion. */
  readonly options: Options;
  /** For shell completion: what the first word can be (each word, for `servers`). */
  readonly words?: 'server' | 'servers' | 'client' | readonly string[];
  /** Command lines to copy; a test runs each. */
  readonly examples: readonly Example[];
  run(args: readonly string[], io: Io): Promise<number>;
}

export const EXIT = { ok: 0, failed: 1, usage: 2, terminalNeeded: 3 } as const;

/** One flag: what `parseArgs` needs, and its text for help and shell completion. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly about?: string;
  /** Its value: a placeholder in capitals, or the list of accepted words. */
  readonly value?: string | readonly string[];
  /** Used only by processes that Portolan starts. */
  readonly isHidden?: boolean;
}
export type Options = Readonly<Record<string, Option>>;
type Value<O extends Option> = O['type'] extends 'boolean' ? boolean : string;

export interface Flags<T extends Options> {
  readonly values: { readonly [K in keyof T]?: T[K]['multiple'] extends true ? readonly Value<T[K]>[] : Value<T[K]> };
  readonly positionals: readonly string[];
}

/** An error in the arguments of a command: what is wrong, beginning with a verb, and how the command is used. */
export function usageError({ name, usage }: Pick<Command, 'name' | 'usage'>, what: string, how = ''): PortolanError {
  return new PortolanError(ErrorCode.Usage, `portolan ${name} ${what}`, { hint: `${how}usage: ${usage}` });
}

/** Parses the flags of a command. An unknown flag or an extra word is an error with the usage as its hint. */
export function flags<T extends Options>(
  command: Command,
  args: readonly string[],
  options: T,
  { mostWords = Number.POSITIVE_INFINITY }: { readonly mostWords?: number } = {},
): Flags<T> {
  // The parser and the help must use the same flags.
  if (command.options !== options) throw new Error(`${command.name} parses flags that differ from its "options"`);
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const extra = positionals[mostWords];
    if (extra !== undefined) throw usageError(command, `does not take the argument "${extra}"`);
    return { values: values as Flags<T>['values'], positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw wrongFlag(command, error.message);
  }
}

/** Names the flag of an error of `parseArgs`, and a similar one. */
function wrongFlag(command: Command, message: string): PortolanError {
  const [reason = ''] = message.split('. ');
  const [, unknown] = /^Unknown option '(-[^']*)'/.exec(reason) ?? [];
  if (unknown !== undefined) {
    const known = Object.entries(command.options).filter(([, { isHidden }]) => !isHidden);
    const meant = suggestion(
      unknown,
      known.map(([flag]) => `--${flag}`),
    );
    return usageError(command, `has no flag ${unknown}`, meant);
  }
  const [, flag] = /^Option '(?:-\w, )?(--[\w-]+)/.exec(reason) ?? [];
  if (flag === undefined) return usageError(command, `cannot read its arguments: ${reason}`);
  const takesValue = command.options[flag.slice(2)]?.type === 'string';
  return usageError(command, takesValue ? `needs a value after ${flag}` : `takes no value after ${flag}`);
}

/** Checks that the required arguments are there; `names` says what they are, for the error. */
export function needed<const N extends readonly string[]>(
  command: Command,
  words: readonly string[],
  names: N,
): [...{ [K in keyof N]: string }, ...string[]] {
  const missing = names[words.length];
  if (missing !== undefined) throw usageError(command, `needs a ${missing}`);
  return [...words] as [...{ [K in keyof N]: string }, ...string[]];
}

/** For commands that connect to the daemon. */
export const SOCKET_OPTION = {
  'mcp-bridge-socket': { type: 'string', value: 'PATH', about: 'socket of the daemon, instead of the default' },
} as const;

/** Flags of every command that scans for servers. */
export const SCAN_OPTIONS = {
  json: { type: 'boolean', about: 'print JSON' },
  config: { type: 'string', value: 'FILE|DIR', about: 'read only this file or directory' },
  client: { type: 'string', value: 'ID,…', about: 'only servers defined in these clients' },
  server: {
    type: 'string',
    value: 'NAME=…',
    multiple: true,
    about: 'add a server for this command: a command line or a URL',
  },
} as const;
const { json } = SCAN_OPTIONS;

export const DAEMON_MODES = ['auto', 'require', 'never'] as const;
/** For commands that use the gateway of the daemon. */
export const GATEWAY_OPTIONS = {
  daemon: {
    type: 'string',
    value: DAEMON_MODES,
    about: 'use the daemon and start it if necessary (auto), only use it, or never',
  },
  ...SOCKET_OPTION,
} as const;

/** For commands that do not scan for servers and can print JSON. */
export const JSON_OPTIONS = { json } as const;

interface GatewayFlags {
  readonly daemon?: (typeof DAEMON_MODES)[number];
  readonly socket?: string;
}

/** `environment` is used without the flag. */
export function gatewayFlags(
  command: Command,
  values: { daemon?: unknown; 'mcp-bridge-socket'?: unknown },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): GatewayFlags {
  const written = values.daemon ?? environment.PORTOLAN_DAEMON;
  const daemon = DAEMON_MODES.find((mode) => mode === written);
  if (written && daemon === undefined)
    throw usageError(
      command,
      `needs one of ${DAEMON_MODES.join(', ')} after --daemon (or in PORTOLAN_DAEMON), not "${written}"`,
    );
  const socket = values['mcp-bridge-socket'];
  return { ...(daemon && { daemon }), ...(typeof socket === 'string' && { socket }) };
}

export interface ScanFlags {
  readonly config?: string;
  readonly clients?: readonly string[];
  readonly servers?: Readonly<Record<string, unknown>>;
}

export function scanFlags(values: { config?: unknown; client?: unknown; server?: readonly string[] }): ScanFlags {
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
  throw new PortolanError(ErrorCode.Usage, `--server ${argument} is not of the form name=command or name=URL`, {
    hint: 'write --server name=command, or --server name=https://…',
  });
}
