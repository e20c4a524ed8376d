import { win32 } from 'node:path';

/** What can be handed to the system without a shell; `verbatim` arguments are quoted already. */
export interface WindowsCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

const DEFAULT_EXTENSIONS = '.COM;.EXE;.BAT;.CMD';
const BATCH = /\.(?:cmd|bat)$/i;
/** `%` is expanded even in quotes, and a line ends the command: there is no way to write either. */
const UNWRITABLE = /[%\r\n\0]/;

/**
 * The program that Windows would start for a command: it finds no `npx.cmd` by itself, and runs one only by its interpreter.
 * Undefined where an argument cannot be written so that the interpreter leaves it alone.
 */
export function windowsCommand(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  isFile: (path: string) => boolean,
): WindowsCommand | undefined {
  const path = candidates(command, env, cwd).find(isFile);
  if (path === undefined || !BATCH.test(path)) return { command: path ?? command, args, verbatim: false };
  if ([path, ...args].some((word) => UNWRITABLE.test(word))) return undefined;
  // Not COMSPEC, which anybody may have set.
  const interpreter = win32.join(variable(env, 'SYSTEMROOT') ?? 'C:\\Windows', 'System32', 'cmd.exe');
  const line = [path, ...args].map(quotedForBatch).join(' ');
  return { command: interpreter, args: ['/d', '/v:off', '/s', '/c', `"${line}"`], verbatim: true };
}

/** In quotes always, so that `&`, `|`, `<`, `>` and `^` are letters; a quote is two, which the interpreter and the program read alike. */
function quotedForBatch(word: string): string {
  return `"${word.replaceAll(/(\\*)"/g, '$1$1""').replace(/\\+$/, '$&$&')}"`;
}

/** Never the current folder for a bare name: what lies there is a repository's. */
function candidates(command: string, env: Readonly<Record<string, string>>, cwd: string): string[] {
  const extensions = (variable(env, 'PATHEXT') ?? DEFAULT_EXTENSIONS).split(';').filter((one) => one !== '');
  const hasExtension = extensions.some((one) => command.toLowerCase().endsWith(one.toLowerCase()));
  const names = [...(hasExtension ? [command] : []), ...extensions.map((one) => `${command}${one}`)];
  const isPath = /[\\/:]/.test(command);
  const folders = isPath ? [cwd] : (variable(env, 'PATH') ?? '').split(';').filter(win32.isAbsolute);
  return folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name)));
}

function variable(env: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
