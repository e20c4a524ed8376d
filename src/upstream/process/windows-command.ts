import { win32 } from 'node:path';

/** A command that can be started without a shell; `verbatim` arguments are already quoted. */
export interface WindowsCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

const DEFAULT_EXTENSIONS = '.COM;.EXE;.BAT;.CMD';
const BATCH = /\.(?:cmd|bat)$/i;
/** cmd.exe expands `%` even in quotes, and a line end ends the command: neither can be escaped. */
const UNWRITABLE = /[%\r\n\0]/;

/**
 * Resolves a command to the program to start: Windows does not find `npx.cmd` by itself and runs it only through
 * cmd.exe. Undefined if an argument cannot be escaped for cmd.exe.
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
  // Not COMSPEC, which any program may have set.
  const interpreter = win32.join(variable(env, 'SYSTEMROOT') ?? 'C:\\Windows', 'System32', 'cmd.exe');
  const line = [path, ...args].map(quotedForBatch).join(' ');
  return { command: interpreter, args: ['/d', '/v:off', '/s', '/c', `"${line}"`], verbatim: true };
}

/**
 * Quotes every word, so that cmd.exe takes `&`, `|`, `<`, `>` and `^` literally; both cmd.exe and programs read `""` as
 * one quote.
 */
function quotedForBatch(word: string): string {
  return `"${word.replaceAll(/(\\*)"/g, '$1$1""').replace(/\\+$/, '$&$&')}"`;
}

/** Never searches the current directory for a bare name, because a repository controls its files. */
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
