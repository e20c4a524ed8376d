import { splitWords } from '../base/index.js';

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh']);
/** With any of these characters, the shell does more than split words. */
const SHELL_SYNTAX = /[|&;<>()$`\\"'*?[\]#~={}!%^\n]/;
/** The same for `cmd`, where brackets are ordinary characters of directory names. */
const CMD_SYNTAX = /[|&<>^%!\r\n]/;
/** The maximum number of nested wrappers; only a hostile file has more. */
const MAX_WRAPPERS = 8;

/** The command without mere wrappers: `cmd /c`, the extension of a shim, a shell with one plain command. */
export function unwrapped(words: readonly string[]): readonly string[] {
  let bare = words;
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const inner = insideCmd(bare) ?? insideShell(bare);
    if (inner === undefined || inner.length === 0) break;
    bare = inner;
  }
  const [command = '', ...args] = bare;
  return [withoutEnding(command), ...args];
}

/** The file name of a program without an executable extension. */
export function programName(command: string): string {
  const name = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  return name.toLowerCase().replace(/\.(cmd|bat|exe|ps1)$/, '');
}

/** The command after `/c` or `/k`, which may be joined to it. */
function insideCmd(words: readonly string[]): readonly string[] | undefined {
  const [command = '', ...args] = words;
  if (programName(command) !== 'cmd') return undefined;
  const at = args.findIndex((arg) => !/^\/[^ck]/i.test(arg));
  const [, joined] = /^\/[ck](.*)$/is.exec(args[at] ?? '') ?? [];
  if (joined === undefined) return undefined;
  const rest = [...(joined === '' ? [] : [joined]), ...args.slice(at + 1)];
  if (rest.some((word) => CMD_SYNTAX.test(word))) return undefined;
  return rest.length === 1 ? splitWords(rest[0] ?? '') : rest;
}

/** The words of a `sh -c` script that consists of a single plain command, skipping flags. */
function insideShell(words: readonly string[]): readonly string[] | undefined {
  const [command = '', ...args] = words;
  if (!SHELLS.has(programName(command))) return undefined;
  const at = args.findIndex((arg) => !/^(-[eil]+|--login)$/.test(arg));
  const [flag = '', script, ...more] = args.slice(Math.max(at, 0));
  if (!/^-[eil]*c$/.test(flag) || script === undefined || more.length > 0 || SHELL_SYNTAX.test(script))
    return undefined;
  const inner = splitWords(script);
  return inner[0] === 'exec' ? inner.slice(1) : inner;
}

/** `npx.cmd` is `npx`; but two scripts with other extensions are different programs. */
function withoutEnding(command: string): string {
  return command.replace(/[\\/]/.test(command) ? /\.(cmd|exe)$/i : /\.(cmd|bat|exe|ps1)$/i, '');
}
