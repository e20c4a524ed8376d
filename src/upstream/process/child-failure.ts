import { ErrorCode, PortolanError } from '../../base/index.js';

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'install it, add its directory to PATH, or set `command` to an absolute path',
  EACCES: 'make the file executable',
  EPERM: 'make the file executable',
  ENOEXEC: 'use a program built for this machine',
  E2BIG: 'shorten its arguments or its environment',
  EMFILE: 'too many files are open: stop some servers, or raise the limit',
  ENFILE: 'too many files are open: stop some servers, or raise the limit',
  EAGAIN: 'too many processes are running: stop some servers, or raise the limit',
  ENOMEM: 'the machine is out of memory: stop some servers',
};

/** Without `cause`: the error of Node lists all arguments, which may contain a secret. */
export function startFailure(command: string, code: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${shown(command)} cannot be started (${code})`, {
    hint: HINTS[code] ?? 'try the same command in a terminal',
  });
}

/** Without the path: a model reads the message, and the path may reveal other projects. */
export function folderFailure(command: string): PortolanError {
  return new PortolanError(
    ErrorCode.ConnectionError,
    `${shown(command)} cannot be started: its working directory does not exist or is not a directory`,
    { hint: 'create the directory, or change `cwd` in the entry of the server' },
  );
}

export function wordFailure(command: string, where: string): PortolanError {
  return new PortolanError(
    ErrorCode.ConnectionError,
    `${shown(command)} cannot be started: ${where} contains a character that cannot be passed to a program`,
    { hint: 'remove the character from the entry of the server' },
  );
}

const SHOWN_CHARACTERS = 200;

/** The file name of the program without its directory, for the same reason. */
function shown(command: string): string {
  const text = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
