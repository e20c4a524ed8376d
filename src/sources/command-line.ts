import { commandsIn, quoted, splitWords } from '../base/index.js';

/** A package or program that a command line starts, without its wrappers. */
export interface Started {
  /** A package that a runner downloads, or a program or script by name or path. */
  readonly kind: 'package' | 'program';
  readonly word: string;
  readonly rest: readonly string[];
}

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);
const SCRIPT_RUNNERS = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node', 'electron']);
const PACKAGE_RUNNERS = new Set(['npx', 'pnpx', 'bunx', 'uvx']);

/** Programs that start another program, with their flags that take a value. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  env: ['-u', '--unset', '-C', '--chdir'],
  sudo: ['-u', '--user', '-g', '--group', '-h', '-p', '-C', '-D'],
  doas: ['-u', '-C'],
  nice: ['-n'],
  ionice: ['-c', '-n', '-p'],
  exec: ['-a'],
  timeout: ['-s', '--signal', '-k', '--kill-after'],
  stdbuf: ['-i', '-o', '-e'],
  wsl: ['-d', '--distribution', '-u', '--user', '--cd'],
  ...Object.fromEntries(
    [
      ...['nohup', 'command', 'time', 'setsid', 'start', 'call', 'winpty', 'arch', 'caffeinate', 'corepack', 'busybox'],
      ...['unbuffer', 'flatpak-spawn', 'dbus-run-session', 'tini', 'dumb-init'],
    ].map((name) => [name, []]),
  ),
};

/** Prefixes that are shell builtins; a file named `start.cmd` is not one. */
const BUILTINS = new Set(['exec', 'command', 'start', 'call']);

/** Programs that provide secrets or versions and start the command after `--`. */
const AFTER_DASHES = new Set([
  'op',
  'doppler',
  'infisical',
  'dotenv',
  'dotenvx',
  'mise',
  'aws-vault',
  'chamber',
  'fnm',
]);

/** Subcommands with which a package manager runs a package. */
const RUN_WORDS: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx', 'exec'],
  bun: ['x'],
  uv: ['tool run', 'run'],
  pipx: ['run'],
};
/** Package managers that run a program of the project for any other word. */
const BARE_RUNNERS = new Set(['pnpm', 'yarn']);

/** Flags of runners that take the next word as their value. */
const VALUE_FLAGS = new Set([
  ...[
    '--registry',
    '--cache',
    '--prefix',
    '-C',
    '--cwd',
    '--dir',
    '-w',
    '--workspace',
    '--userconfig',
    '--node-options',
  ],
  ...['-r', '--require', '--import', '--loader', '--experimental-loader', '--env-file', '--conditions', '--tsconfig'],
  ...['--config', '--import-map', '--lock', '--filter', '-F'],
  ...['--python', '--from', '--with', '--with-editable', '--with-requirements', '--directory', '--project', '--extra'],
  ...['--group', '--index', '--index-url', '--default-index'],
]);
const MAX_NESTING = 8;
/** Each command of a script may require file system checks. No real entry has more commands. */
const MAX_COMMANDS = 500;

/** All programs and packages that a command line starts. Arguments that are data do not count. */
export function startedBy(command: string, args: readonly string[]): Started[] {
  return unwrap([command, ...args], 0);
}

function unwrap(all: readonly string[], depth: number): Started[] {
  const words = all.slice(all.findIndex((word) => !isBeforeCommand(word)));
  const [first, ...rest] = words;
  if (!first || isBeforeCommand(first) || /^\w+:\/\//.test(first) || depth > MAX_NESTING) return [];
  const name = baseName(first);
  const itself: Started = { kind: 'program', word: first, rest };
  // A path that contains blanks, or a whole command line that a client passes to a shell.
  if (rest.length === 0 && /\s/.test(first.trim())) {
    return [...(isPathWithBlanks(first) ? [itself] : []), ...inScript(first, depth)];
  }
  if (Object.hasOwn(PREFIXES, name) && (!BUILTINS.has(name) || first.toLowerCase() === name))
    return unwrap(afterPrefix(name, rest), depth + 1);
  if (AFTER_DASHES.has(name) && rest.includes('--'))
    return [itself, ...unwrap(rest.slice(rest.indexOf('--') + 1), depth + 1)];
  if (name === 'cmd') return inScript(afterCmd(rest), depth);
  if (SHELLS.has(name)) return inShell(rest, depth);
  if (name === 'powershell' || name === 'pwsh') return inPowerShell(rest, depth);
  return [itself, ...startedByRunner(name, rest, depth), ...wrappedServer(name, rest, depth)];
}

function startedByRunner(name: string, rest: readonly string[], depth: number): Started[] {
  if (PACKAGE_RUNNERS.has(name)) return inPackageRunner(rest, depth);
  const at = firstWord(rest);
  const run = RUN_WORDS[name]?.find((words) => `${rest.slice(at).join(' ')} `.startsWith(`${words} `));
  if (run !== undefined)
    return inPackageRunner([...rest.slice(0, at), ...rest.slice(at + run.split(' ').length)], depth);
  if (SCRIPT_RUNNERS.has(name)) return scriptIn(rest);
  return BARE_RUNNERS.has(name) ? unwrap(rest.slice(rest[at] === 'run' ? at + 1 : at), depth + 1) : [];
}

/** Proxies that start a local server themselves: `supergateway --stdio "npx …"`, `mcp-proxy -- npx …`. */
function wrappedServer(name: string, rest: readonly string[], depth: number): Started[] {
  if (name === 'supergateway') {
    const at = rest.indexOf('--stdio');
    return at < 0 ? [] : inScript(rest[at + 1] ?? '', depth);
  }
  if (name !== 'mcp-proxy') return [];
  return unwrap(rest.slice(rest.includes('--') ? rest.indexOf('--') + 1 : firstWord(rest)), depth + 1);
}

/** Words before a command: `FOO=1 npx …` and `if npx …; then`. */
function isBeforeCommand(word: string): boolean {
  return word === '' || /^[A-Za-z_]\w*=/.test(word) || /^(?:if|then|elif|else|while|until|do|!|\{|@)$/.test(word);
}

/** A path with blanks rather than a program with arguments, which begin with a dash or are paths themselves. */
function isPathWithBlanks(text: string): boolean {
  return /^(?:[~.]{0,2}[\\/]|[A-Za-z]:[\\/])/.test(text) && !/\s(?:[-~./\\]|[A-Za-z]:[\\/])/.test(text);
}

function afterPrefix(name: string, words: readonly string[]): readonly string[] {
  // `command -v npx` only prints the path.
  if (name === 'command' && /^-[pvV]*[vV]/.test(words[0] ?? '')) return [];
  const split = name === 'env' ? splitString(words) : undefined;
  if (split) return split;
  const flags = PREFIXES[name] ?? [];
  let at = 0;
  while (at < words.length && isPrefixFlag(name, words[at] ?? '')) at += flags.includes(words[at] ?? '') ? 2 : 1;
  // `timeout 30 npx …`
  return words.slice(name === 'timeout' ? at + 1 : at);
}

/** `env -S "npx …"` with its spellings: `-iS …`, `-S"npx …"`, `--split-string="npx …"`. */
function splitString(words: readonly string[]): readonly string[] | undefined {
  for (const [at, word] of words.entries()) {
    const [, joined] = /^(?:-[0iv]*S|--split-string(?:=|$))(.*)$/s.exec(word) ?? [];
    if (joined !== undefined) return splitWords([joined, ...words.slice(at + 1)].join(' '));
    if (!/^-|=/.test(word)) return undefined;
  }
  return undefined;
}

function isPrefixFlag(name: string, word: string): boolean {
  return word === '' || word.startsWith('-') || (name === 'start' && word.startsWith('/'));
}

/** `cmd /d /s /c npx …`, also with the whole command as one argument. */
function afterCmd(words: readonly string[]): string {
  const at = words.findIndex((word) => !/^\/[^ck]/i.test(word));
  const [, joined] = /^\/[ck](.*)$/is.exec(words[at] ?? '') ?? [];
  const after = at < 0 ? [] : words.slice(joined === undefined ? at : at + 1);
  const rest = joined ? [joined, ...after] : after;
  return rest.length === 1 ? (rest[0] ?? '') : rest.map(quoted).join(' ');
}

function inShell(words: readonly string[], depth: number): Started[] {
  for (const [at, word] of words.entries()) {
    if (/^-[a-z]+$/i.test(word) && /c/i.test(word)) return inShellScript(words.slice(at + 1), depth);
    // A script file; the following words are its arguments.
    if (!/^[-+]/.test(word) && words[at - 1] !== '-o') return scriptIn(words.slice(at));
  }
  return [];
}

/** `sh -c 'exec "$@"' sh npx …` runs the words after the script. */
function inShellScript(words: readonly string[], depth: number): Started[] {
  const [script = '', zero = '', ...more] = words[0] === '--' ? words.slice(1) : words;
  const [, passed] = /^\s*(?:exec\s+)?"?\$([@*0])/.exec(script) ?? [];
  return [...inScript(script, depth), ...(passed ? unwrap(passed === '0' ? [zero, ...more] : more, depth + 1) : [])];
}

function inPowerShell(words: readonly string[], depth: number): Started[] {
  const file = words.findIndex((word) => /^-f(?:ile)?$/i.test(word));
  if (file >= 0) return scriptIn(words.slice(file + 1));
  const flag = words.findIndex((word) => /^-c(?:ommand)?$/i.test(word));
  const at = flag >= 0 ? flag + 1 : words.findIndex((word) => !word.startsWith('-'));
  return at < 0 ? [] : inScript(words.slice(at).join(' '), depth);
}

/** Each simple command of a shell script, as far as it can be parsed without a shell. */
function inScript(script: string, depth: number): Started[] {
  return commandsIn(script)
    .slice(0, MAX_COMMANDS)
    .flatMap((words) => unwrap(words, depth + 1));
}

/** `[-y] [-p package]… package [words…]`, and `-c "script"`. */
function inPackageRunner(words: readonly string[], depth: number): Started[] {
  const found: Started[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, flag, joined] = /^(--package|--call|-[a-z]*[pc])(?:=(.*))?$/s.exec(word) ?? [];
    if (flag !== undefined) {
      const value = joined ?? words[at + 1] ?? '';
      if (joined === undefined) at += 1;
      if (/^--c|^-[^-]*c$/.test(flag)) for (const started of inScript(value, depth)) found.push(started);
      else found.push({ kind: 'package', word: value, rest: [] });
    } else if (VALUE_FLAGS.has(word)) at += 1;
    else if (!word.startsWith('-')) {
      const rest = words.slice(at + 1);
      const name = packageName(word);
      const script = SCRIPT_RUNNERS.has(name) ? scriptIn(rest) : []; // `npx tsx server.ts`
      return [...found, { kind: 'package', word, rest }, ...script, ...wrappedServer(name, rest, depth)];
    }
  }
  return found;
}

function scriptIn(words: readonly string[]): Started[] {
  const at = firstWord(words);
  // Code on the command line; the following words are its arguments.
  if (words.slice(0, at).some((word) => /^(?:-e|--eval|-p|--print|-pe)$/.test(word))) return [];
  const script = words[at] === 'run' ? at + 1 + firstWord(words.slice(at + 1)) : at;
  const word = words[script];
  if (word === undefined) return [];
  return [{ kind: word.startsWith('npm:') ? 'package' : 'program', word, rest: words.slice(script + 1) }];
}

/** The index of the first word that is neither a flag nor a flag's value. */
function firstWord(words: readonly string[]): number {
  let at = 0;
  while (at < words.length && words[at]?.startsWith('-')) at += VALUE_FLAGS.has(words[at] ?? '') ? 2 : 1;
  return at;
}

/** Whether the program is a shell, by name or path. */
export function isShell(word: string): boolean {
  const name = baseName(word);
  return SHELLS.has(name) || name === 'powershell' || name === 'pwsh';
}

/** Whether the word is the bare name of a program that starts packages or scripts. */
export function isRunner(word: string): boolean {
  return PACKAGE_RUNNERS.has(word) || SCRIPT_RUNNERS.has(word) || Object.hasOwn(RUN_WORDS, word);
}

/** The last part of a Unix or Windows path in lower case, without the extension of a program or script. */
export function baseName(word: string): string {
  const last = word.split(/[\\/]/).at(-1) ?? '';
  return last.toLowerCase().replace(/\.(exe|cmd|bat|ps1|[cm]?[jt]s)$/, '');
}

/** A package's name without its version or protocol: `npm:portolan@1.2`, `alias@npm:portolan@1.2` → `portolan`. */
export function packageName(word: string): string {
  const name = word.toLowerCase().replace(/^(?:@?[^@]+@)?npm:/, '');
  const version = name.indexOf('@', 1);
  return version < 0 ? name : name.slice(0, version);
}

/** The package that contains an installed file. */
export function installedPackage(path: string): string | undefined {
  const below = path.split(/[\\/]node_modules[\\/]/).at(-1);
  if (below === undefined || below === path) return undefined;
  return /^(?:@[^\\/]+[\\/])?[^\\/]+/.exec(below)?.[0].replace('\\', '/').toLowerCase();
}
