import { fileURLToPath } from 'node:url';
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
  /** Whether some word is code, which may compute paths when it runs. */
  readonly hasCode: boolean;
  /** False if the command line exceeds the limits. */
  readonly isClear: boolean;
}

/** More than the command line of any real server has. */
const MAX_PIECES = 2_000;

const INTERPRETERS =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*w?|pypy[\d.]*|py|ruby|perl|php|lua|uv|uvx|poetry|pipenv|pdm|hatch)$/;
const RUNNERS =
  /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|make|gmake|just|task|uv|uvx|poetry|pipenv|pdm|hatch|cargo|go|rake|bundle|gradle|mvn|composer|docker|docker-compose|podman)$/;

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
  const isShell = candidates.some(({ wrapping }) => wrapping > 0);
  const isInterpreted = names.some((name) => INTERPRETERS.test(name));
  return {
    programs: [...programs].filter((program) => program !== ''),
    pieces: [...pieces],
    isInterpreted,
    isRunner: names.some((name) => RUNNERS.test(name)),
    hasCode: (isShell || isInterpreted) && words.some((word) => CODE.test(word)),
    isClear: pieces.size <= MAX_PIECES && candidates.length <= MAX_CANDIDATES,
  };
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
    if (plain !== '' && !plain.includes('\0') && pieces.size <= MAX_PIECES) pieces.add(plain);
  };
  add(word);
  const equals = word.indexOf('=');
  if (equals >= 0) add(word.slice(equals + 1));
  if (/^[\w.~/\\-]*$/.test(word) && !word.startsWith('-')) return;
  for (const [run] of word.matchAll(/[\p{L}\p{N}_@.~/\\:+%-]+/gu)) {
    add(run);
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

function fromFileUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url.slice('file:'.length); // on another machine, or not a valid URL
  }
}
