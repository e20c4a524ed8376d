/** What a command line starts once its wrappers are taken off. */
export interface Started {
  /** A package that a runner fetches, or a program or script by name or path. */
  readonly kind: 'package' | 'program';
  readonly word: string;
  readonly rest: readonly string[];
}

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);
const PREFIXES = new Set(['env', 'sudo', 'nohup', 'exec', 'command', 'time', 'nice', 'setsid', 'start', 'call']);
const SCRIPT_RUNNERS = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node', 'electron']);
const PACKAGE_RUNNERS = new Set(['npx', 'pnpx', 'bunx', 'uvx']);
/** Words of a package manager after which it runs a package. */
const RUN_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: new Set(['exec', 'x']),
  pnpm: new Set(['dlx', 'exec']),
  yarn: new Set(['dlx', 'exec']),
  bun: new Set(['x']),
  uv: new Set(['run']),
  pipx: new Set(['run']),
};
/** Flags of runners that take the next word as their value. */
const VALUE_FLAGS = new Set([
  '--registry',
  '--cache',
  '--prefix',
  '-C',
  '--cwd',
  '--require',
  '-r',
  '--import',
  '--loader',
  '--env-file',
  '--python',
  '--from',
  '--with',
  '-w',
  '--workspace',
]);
const MAX_NESTING = 5;

/** Everything a command line starts. Only words in the place of a program count: data that is handed to one does not. */
export function startedBy(command: string, args: readonly string[]): Started[] {
  return unwrap([command, ...args], 0);
}

function unwrap(words: readonly string[], depth: number): Started[] {
  const [first, ...rest] = words;
  if (!first || depth > MAX_NESTING) return [];
  const name = baseName(first);
  const itself: Started = { kind: 'program', word: first, rest };
  // Perhaps a path with blanks in it, perhaps a whole command line that a client hands to a shell.
  if (rest.length === 0 && /\s/.test(first.trim())) return [itself, ...unwrapScript(first, depth)];
  if (PREFIXES.has(name)) return unwrap(afterPrefix(rest), depth + 1);
  if (name === 'cmd') return unwrap(afterCmd(rest), depth + 1);
  if (SHELLS.has(name)) return inShell(rest, depth);
  if (name === 'powershell' || name === 'pwsh') return inPowerShell(rest, depth);
  if (PACKAGE_RUNNERS.has(name)) return [itself, ...packagesIn(rest, depth)];
  const runAt = rest.findIndex((word) => !word.startsWith('-'));
  if (RUN_WORDS[name]?.has(rest[runAt] ?? '')) return [itself, ...packagesIn(rest.slice(runAt + 1), depth)];
  if (SCRIPT_RUNNERS.has(name)) return [itself, ...scriptIn(rest)];
  return [itself];
}

function afterPrefix(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('-') && !/^[A-Za-z_]\w*=/.test(word));
  return at < 0 ? [] : words.slice(at);
}

/** `cmd /d /s /c npx …`, also with the whole command as one word. */
function afterCmd(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !word.startsWith('/'));
  const rest = at < 0 ? [] : words.slice(at);
  return rest.length === 1 ? splitWords(rest[0] ?? '') : rest;
}

function inShell(words: readonly string[], depth: number): Started[] {
  const flag = words.findIndex((word) => /^-[a-z]*c$/i.test(word));
  if (flag >= 0) return unwrapScript(words[flag + 1] ?? '', depth);
  return scriptIn(words);
}

function inPowerShell(words: readonly string[], depth: number): Started[] {
  const flag = words.findIndex((word) => /^-(c|command|f|file)$/i.test(word));
  return unwrapScript(words.slice(flag + 1).join(' '), depth);
}

/** Each simple command of a shell script, as far as it can be told without a shell. */
function unwrapScript(script: string, depth: number): Started[] {
  return script.split(/[;&|\n]+/).flatMap((line) => unwrap(splitWords(line), depth + 1));
}

/** `[-y] [-p package]… package [words…]`, and `-c "script"`. */
function packagesIn(words: readonly string[], depth: number): Started[] {
  const found: Started[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const joined = /^(?:--package|-p)=(.+)$/.exec(word)?.[1];
    if (joined) found.push({ kind: 'package', word: joined, rest: [] });
    else if (word === '-p' || word === '--package') {
      at += 1;
      found.push({ kind: 'package', word: words[at] ?? '', rest: [] });
    } else if (word === '-c' || word === '--call') {
      at += 1;
      found.push(...unwrapScript(words[at] ?? '', depth));
    } else if (VALUE_FLAGS.has(word)) at += 1;
    else if (!word.startsWith('-')) return [...found, { kind: 'package', word, rest: words.slice(at + 1) }];
  }
  return found;
}

function scriptIn(words: readonly string[]): Started[] {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-e' || word === '--eval' || word === '-p' || word === '--print') return [];
    if (VALUE_FLAGS.has(word)) at += 1;
    else if (word !== 'run' && !word.startsWith('-')) {
      return [{ kind: word.startsWith('npm:') ? 'package' : 'program', word, rest: words.slice(at + 1) }];
    }
  }
  return [];
}

/** Words as a shell would cut them, quotes taken off; nothing is expanded. */
export function splitWords(line: string): string[] {
  const words = line.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double, single) => String(double ?? single)),
  );
}

/** The last part of a path of either kind, in lower case, without what marks a program or script. */
export function baseName(word: string): string {
  const last = word.split(/[\\/]/).at(-1) ?? '';
  return last.toLowerCase().replace(/\.(exe|cmd|bat|ps1|[cm]?[jt]s)$/, '');
}

/** A package's name without its version or protocol: `npm:portolan@1.2` → `portolan`. */
export function packageName(word: string): string {
  return word
    .toLowerCase()
    .replace(/^npm:/, '')
    .replace(/(?<=.)@.*$/, '');
}
