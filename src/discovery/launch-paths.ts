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
  /** False where there is more than is looked at. */
  readonly isClear: boolean;
}

/** More distinct pieces than any command line of a server has. */
const MAX_PIECES = 2_000;
const MAX_PIECE_CHARACTERS = 1_024;

const INTERPRETERS =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*w?|pypy[\d.]*|py|ruby|perl|php|lua|uv|uvx|poetry|pipenv|pdm|hatch)$/;
const RUNNERS =
  /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|make|gmake|just|task|uv|uvx|poetry|pipenv|pdm|hatch|cargo|go|rake|bundle|gradle|mvn|composer|docker|docker-compose|podman)$/;

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
  const names = [...programs].map(programName);
  return {
    programs: [...programs].filter((program) => program !== ''),
    pieces: [...pieces],
    isInterpreted: names.some((name) => INTERPRETERS.test(name)),
    isRunner: names.some((name) => RUNNERS.test(name)),
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
  const add = (piece: string) => {
    const plain = piece.startsWith('file://') ? piece.slice('file://'.length) : piece;
    if (plain !== '' && plain.length <= MAX_PIECE_CHARACTERS && !plain.includes('\0') && pieces.size <= MAX_PIECES)
      pieces.add(plain);
  };
  add(word);
  const equals = word.indexOf('=');
  if (equals >= 0) add(word.slice(equals + 1));
  if (/^[\w@.~/\\-]*$/.test(word) && !word.startsWith('-')) return;
  for (const [piece] of word.matchAll(/[\p{L}\p{N}_@.~/\\:+-]+/gu)) {
    add(piece);
    // `a.js:b.js` is a list, `-r./a.js` a flag with its value; a drive letter keeps its colon in the whole piece.
    for (const part of piece.split(':')) add(part);
    const joined = /^-{1,2}[A-Za-z]([./\\~].*)$/.exec(piece)?.[1];
    if (joined !== undefined) add(joined);
    // A sentence's full stop, or an ellipsis.
    add(piece.replace(/\.+$/, ''));
  }
}
