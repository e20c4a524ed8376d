import { fileURLToPath } from 'node:url';
import { splitWords } from '../base/index.js';
import { type Definition, helperWords, programName } from '../model/index.js';
import { candidatesOf, MAX_CANDIDATES } from '../policy/index.js';

/** The programs and possible paths in a command line. */
export interface NamedPaths {
  readonly programs: readonly string[];
  readonly pieces: readonly string[];
  /** Whether some program runs files by a name without extension, or directories. */
  readonly isInterpreted: boolean;
  /** Whether some program finds the code it runs through files of its own, such as package.json. */
  readonly isRunner: boolean;
  /** Whether a program starts another one, which may run in another directory or with another search path. */
  readonly isWrapped: boolean;
  /** Whether some word is code, which may compute paths when it runs. */
  readonly hasCode: boolean;
  /** False if the command line exceeds the limits. */
  readonly isClear: boolean;
}

/** More than the command line of any real server has. */
const MAX_PIECES = 2_000;
/** Python has the longest such words: `-IsSuBm`. */
const MAX_JOINED_OPTIONS = 8;

const INTERPRETERS = new RegExp(
  `^(?:${[
    ...[
      'node',
      'nodejs',
      'bun',
      'deno',
      'tsx',
      'ts-node',
      'ts-node-dev',
      'ts-node-esm',
      'vite-node',
      'nodemon',
      'jiti',
    ],
    ...['electron', 'py', 'pythonw?', 'pypy', 'ipython', 'micropython', 'jython', 'uvicorn', 'gunicorn', 'hypercorn'],
    ...[
      'flask',
      'fastmcp',
      'mcp',
      'coverage',
      'ruby',
      'jruby',
      'perl',
      'php',
      'lua',
      'luajit',
      'java',
      'javaw',
      'groovy',
    ],
    ...['Rscript', 'julia', 'elixir', 'uv', 'uvx', 'poetry', 'pipenv', 'pdm', 'hatch', 'rye', 'pixi', 'conda'],
  ].join('|')})(?:-?[\\d.]+)?w?$`,
  'i',
);
const RUNNERS = new RegExp(
  `^(?:${[
    ...[
      'npm',
      'npx',
      'pnpm',
      'pnpx',
      'yarn',
      'bun',
      'bunx',
      'deno',
      'corepack',
      'nx',
      'turbo',
      'make',
      'gmake',
      'just',
    ],
    ...['task', 'mise', 'rtx', 'direnv', 'devbox', 'nix', 'nix-shell', 'nix-build', 'uv', 'uvx', 'poetry', 'pipenv'],
    ...['pdm', 'hatch', 'rye', 'pixi', 'tox', 'nox', 'invoke', 'inv', 'cargo', 'go', 'rake', 'bundle', 'gradle', 'mvn'],
    ...['ant', 'sbt', 'lein', 'mix', 'swift', 'composer', 'docker', 'docker-compose', 'podman', 'foreman', 'overmind'],
  ].join('|')})$`,
);

/** Programs that set the variables of `.env` in their directory without being asked to. */
const ENV_FILE_READERS = /^(?:bun|bunx|pipenv|just|foreman|overmind|docker-compose|podman-compose|compose)$/;

/** Shell syntax, or a call or an assignment in a programming language. */
const CODE = /[;|&$`*?(]|\s\S+\s/;

export function pathsNamedBy(definition: Definition): NamedPaths {
  const { headersHelper: _, ...launch } = definition;
  const { command, args = [] } = definition;
  return pathsIn(launch, command === undefined ? [] : [command, ...args]);
}

/** Like `pathsNamedBy`, for the headers helper. */
export function pathsNamedByHelper(definition: Definition, home: string): NamedPaths {
  const [command, ...args] = helperWords(definition.headersHelper ?? '', home);
  if (command === undefined) return pathsIn({ ...definition, args: [] }, []);
  const { headersHelper: _, ...entry } = definition;
  return pathsIn({ ...entry, command, args }, [command, ...args]);
}

function pathsIn(launch: Definition, words: readonly string[]): NamedPaths {
  const candidates = words.length === 0 ? [] : candidatesOf(launch);
  const programs = new Set(candidates.flatMap(({ words: all, wrapping }) => [all[0] ?? '', all[wrapping] ?? '']));
  const pieces = new Set<string>();
  // A program name without a directory is looked up only in PATH.
  for (const word of [...words, ...candidates.flatMap((candidate) => candidate.words)])
    if (/[/\\]/.test(word) || !programs.has(word)) addPieces(pieces, word);
  // Includes wrappers: `npx tsx server` also runs an interpreter.
  const names = [...programs, ...words].map(programName);
  if (names.some((name) => ENV_FILE_READERS.test(name))) for (const name of ['.env', '.env.local']) pieces.add(name);
  const isWrapped = candidates.some(({ wrapping }) => wrapping > 0);
  const isInterpreted = names.some(isInterpreter);
  return {
    programs: [...programs].filter((program) => program !== ''),
    pieces: [...pieces],
    isInterpreted,
    // `node --run` runs a command of package.json.
    isRunner: names.some((name) => RUNNERS.test(name)) || words.some((word) => /^--run(?:=|$)/.test(word)),
    isWrapped,
    hasCode: (isWrapped || isInterpreted) && words.some((word) => CODE.test(word)),
    isClear: pieces.size <= MAX_PIECES && candidates.length <= MAX_CANDIDATES,
  };
}

/** Whether a program of this name runs code from files that are named without extension, or from directories. */
export function isInterpreter(name: string): boolean {
  return INTERPRETERS.test(name);
}

/** The words in a value, such as `NODE_OPTIONS`, that could be paths. */
export function piecesOf(value: string): readonly string[] {
  const pieces = new Set<string>();
  addPieces(pieces, value);
  return [...pieces];
}

/** Adds a word, the part after its `=`, and every path-like substring, because code in a word can name files too. */
function addPieces(pieces: Set<string>, word: string): void {
  // Not limited in length: an interpreter normalizes `./././a.js` before it opens it.
  const add = (piece: string) => {
    const plain = piece.startsWith('file:') ? fromFileUrl(piece) : piece;
    if (plain === '' || plain.includes('\0') || pieces.size > MAX_PIECES) return;
    pieces.add(plain);
    // Node.js and Deno read a module name as part of a URL.
    if (/%[\da-f]{2}/i.test(plain)) pieces.add(decoded(plain));
  };
  add(word);
  const equals = word.indexOf('=');
  if (equals >= 0) add(word.slice(equals + 1));
  // `-mapp`, `-umapp`: short options in one word, the last one with its value.
  for (let at = 2; at <= MAX_JOINED_OPTIONS + 1 && /^-[A-Za-z]+$/.test(word.slice(0, at)); at += 1) add(word.slice(at));
  if (/^[\w.~/\\-]*$/.test(word) && !word.startsWith('-')) return;
  for (const part of splitWords(word)) add(part);
  // A name in quotes or with escaped spaces may contain any character.
  for (const part of splitWords(word.replaceAll(/\\[ ]/g, '\u{F0000}'))) add(part.replaceAll('\u{F0000}', ' '));
  for (const [, , text = ''] of word.matchAll(/(["'`])((?:(?!\1)[^\n\\])+)\1/g)) add(text);
  for (const [run] of word.matchAll(/[\p{L}\p{N}_@.~/\\:+%-]+/gu)) {
    add(run);
    // `Foo::Bar` is a module of Perl or Ruby, also after `-M`.
    if (run.includes('::')) add(run.replace(/^-[A-Za-z]/, '').replaceAll('::', '/'));
    // `a.js:b.js` is a list of paths; a drive letter keeps its colon in the whole substring.
    for (const part of run.split(':')) {
      add(part);
      // `-r./a.js`, `@words.txt`
      add(part.replace(/^(?:-[A-Za-z]|@)/, ''));
      // `$PWD/a.js` and `${ROOT}/a.js`: the value of the variable is unknown here.
      if (part.includes('/')) add(part.slice(part.indexOf('/') + 1));
    }
    // A full stop at the end of a sentence is not part of the path.
    add(run.replace(/[.]$/, ''));
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not encoded
  }
}

function fromFileUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url.slice('file:'.length); // on another machine, or not a valid URL
  }
}
