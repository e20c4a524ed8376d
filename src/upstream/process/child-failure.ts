import { ErrorCode, PortolanError } from '../../base/index.js';

const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'see that it is installed and that its folder is in PATH, or write its full path',
  EACCES: 'see that the file may be executed',
  EPERM: 'see that the file may be executed',
  ENOEXEC: 'see that the file is a program for this machine',
  E2BIG: 'its arguments and environment are too long',
  EMFILE: 'too many files are open: stop some servers, or raise the limit',
  ENFILE: 'too many files are open: stop some servers, or raise the limit',
  EAGAIN: 'too many processes are running: stop some servers, or raise the limit',
  ENOMEM: 'there is no memory left for it',
};

/** Never with the cause: Node's has all arguments in it, and among them may be a secret. */
export function startFailure(command: string, code: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `${shown(command)} cannot be started (${code})`, {
    hint: HINTS[code] ?? 'try the same command in a terminal',
  });
}

/** Without the path: a model reads this, and where other projects lie is none of its business. */
export function folderFailure(command: string): PortolanError {
  return new PortolanError(
    ErrorCode.ConnectionError,
    `${shown(command)} cannot be started: its working folder is not a folder`,
    { hint: 'make the folder, or change `cwd` of the server; `portolan why` shows it' },
  );
}

export function wordFailure(command: string, where: string): PortolanError {
  return new PortolanError(
    ErrorCode.ConnectionError,
    `${shown(command)} cannot be started: ${where} has a character in it that no program can be given`,
    { hint: 'take it out of the entry of the server' },
  );
}

const SHOWN_CHARACTERS = 200;

/** The program without its folder, for the same reason. */
function shown(command: string): string {
  const text = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
