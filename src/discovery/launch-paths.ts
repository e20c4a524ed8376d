import { fileURLToPath } from 'node:url';
import { type Definition, helperWords, programName } from '../model/index.js';
import { candidatesOf, MAX_CANDIDATES } from '../policy/index.js';

/** What a command line may name: programs, and pieces of its words that could be paths. */
export interface NamedPaths {
  readonly programs: readonly string[];
  readonly pieces: readonly string[];
  /** Some program of it runs a file without its ending, or a folder. */
  readonly isInterpreted: boolean;
  /** Some program of it looks for what it runs in files and folders of its own. */
  readonly isRunner: boolean;
  /** Some word is code: what names it makes up is known only when it runs. */
  readonly hasCode: boolean;
  /** False where there is more than is looked at. */
  readonly isClear: boolean;
}

/** More distinct pieces than any command line of a server has. */
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

/** The same for the program that makes headers. */
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
  // A program without a folder is looked for in PATH and nowhere else.
  for (const word of [...words, ...candidates.flatMap((candidate) => candidate.words)])
    if (/[/\\]/.test(word) || !programs.has(word)) addPieces(pieces, word);
  // Generous: `npx tsx server` runs an interpreter too.
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

/** The pieces of one value, such as `NODE_OPTIONS`, that could be paths. */
export function piecesOf(value: string): readonly string[] {
  const pieces = new Set<string>();
  addPieces(pieces, value);
  return [...pieces];
}

/** A word, what comes after its `=`, and every run of letters in it that a path may be made of: code in a word names files too. */
function addPieces(pieces: Set<string>, word: string): void {
  // Of any length: an interpreter shortens `./././a.js` before it opens it.
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
    // `a.js:b.js` is a list; a drive letter keeps its colon in the whole run.
    for (const part of run.split(':')) {
      add(part);
      // `-r./a.js`, `@words.txt`
      add(part.replace(/^(?:-[A-Za-z]|@)/, ''));
      // `$PWD/a.js` and `${ROOT}/a.js`: the variable is not known here.
      if (part.includes('/')) add(part.slice(part.indexOf('/') + 1));
    }
    // The full stop of a sentence.
    add(run.replace(/[.]$/, ''));
  }
}

function fromFileUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url.slice('file:'.length); // not of this machine, or no URL at all
  }
}
