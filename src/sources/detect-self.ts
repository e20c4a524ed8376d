import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { type Host, variable } from '../model/index.js';
import { baseName, installedPackage, isRunner, packageName, type Started } from './command-line.js';
import { isOwnFile, OUR_NAME } from './own-file.js';
import { scriptCommands } from './script-commands.js';

/** Our program inside a folder of ours, wherever that lies; other scripts there are examples and tests. */
const OUR_SCRIPT =
  /(?:^|[\\/])portolan(?:@[^\\/]*)?[\\/](?:dist[\\/](?:cli|main|index)|bin[\\/]cli|src[\\/]cli[\\/]main)(?:\.[cm]?[jt]s)?$/i;
/** Servers that are shipped with us are servers like any other. */
const OUR_EXAMPLE = /[\\/]dist[\\/]examples[\\/][\w-]+\.js$/;
/** Our mark is among the first bytes of a file. */
const BEGINNING_BYTES = 256;
/** A script that only starts another program is no longer than this; of a longer file only the beginning is read. */
const MAX_SCRIPT_BYTES = 16 * 1024;
/** Files that are opened for one entry: scripts that start scripts must not go on without end. */
const MAX_FILES = 16;

/** Where the words of a command line are looked for. */
interface Place {
  readonly folder: string;
  readonly host: Host;
  /** Files that may still be opened. */
  filesLeft: number;
}

/** Whether starting the entry would start this gateway again, inside itself. Undefined if not, else why. */
export function whyIsSelf(name: string, started: readonly Started[], folder: string, host: Host): string | undefined {
  // A plugin's servers are called after the plugin: `plugin:<plugin>:<server>`.
  if (name.toLowerCase().split(':').at(-1)?.trim() === OUR_NAME) return `an entry called "${OUR_NAME}" is this gateway`;
  return startsSelf(started, { folder, host, filesLeft: MAX_FILES });
}

function startsSelf(started: readonly Started[], place: Place): string | undefined {
  for (const { kind, word } of started) {
    if (kind === 'package' && (packageName(word) === OUR_NAME || isOurSource(word) || isOurPath(word, place.folder)))
      return `it runs the package ${OUR_NAME}`;
    if (kind === 'program' && isOurPath(word, place.folder)) return `it starts ${OUR_NAME}`;
    // A runner is never us, and looking for `npx` along the whole path for each of its entries takes long.
    const reason = kind === 'program' && !isRunner(word) ? programReason(word, place) : undefined;
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function isOurPath(word: string, folder: string): boolean {
  if (baseName(word) === OUR_NAME) return true;
  if (installedPackage(word) === OUR_NAME && !OUR_EXAMPLE.test(word)) return true;
  return OUR_SCRIPT.test(word) || (/[\\/]/.test(word) && OUR_SCRIPT.test(resolve(folder, word)));
}

/** A package that is fetched from a repository or an archive: `git+https://…/portolan.git#v1`, `…/portolan-1.0.0.tgz`. */
function isOurSource(word: string): boolean {
  return /[\\/:]portolan(?:\.git|-\d[\w.+-]*\.tgz)?(?:#.*)?$/is.test(word);
}

function programReason(word: string, place: Place): string | undefined {
  const { folder, host } = place;
  const self = withoutEnding(host.self);
  let isFirst = true;
  for (const path of candidates(word, folder, host)) {
    const real = host.files.realPath(path);
    if (real === undefined) continue;
    if (self !== undefined && withoutEnding(real) === self) return 'it starts this very program by another path';
    // Only the first that is there would run.
    const reason = isFirst ? fileReason(real, place) : undefined;
    if (reason !== undefined) return reason;
    isFirst = false;
  }
  return undefined;
}

/** What the file at a real path is or starts; it is read and never executed. */
function fileReason(path: string, place: Place): string | undefined {
  if (isRunner(baseName(path)) || place.filesLeft <= 0) return undefined;
  place.filesLeft -= 1;
  const { files } = place.host;
  const beginning = files.readStart?.(path, BEGINNING_BYTES);
  if (!beginning) return undefined;
  if (isOurPath(path, place.folder) || isOwnFile(path, beginning.text, files))
    return `it starts another copy of ${OUR_NAME}`;
  if (beginning.size > MAX_SCRIPT_BYTES || beginning.text.includes('\0')) return undefined;
  const { text } = files.readStart?.(path, MAX_SCRIPT_BYTES) ?? beginning;
  const commands = scriptCommands(path, text);
  if (!commands || commands.length === 0) return undefined;
  return commands.every((started) => startsSelf(started, place) !== undefined)
    ? `it runs a script that only starts ${OUR_NAME}`
    : undefined;
}

/** Our program lies there twice, as CommonJS and as a module. */
function withoutEnding(path: string | undefined): string | undefined {
  return path?.replace(/\.[cm]?js$/, '');
}

/** The files that a word in the place of a program may mean. */
function candidates(word: string, folder: string, host: Host): string[] {
  const here = [word.startsWith('~/') ? join(host.home, word.slice(2)) : resolve(folder, word)].flatMap((path) => [
    path,
    `${path}.js`, // Node adds it where the script has no ending
  ]);
  if (/[\\/]/.test(word) || /\.[cm]?[jt]s$/.test(word)) return here;
  const folders = (variable(host, 'PATH') ?? '').split(delimiter).filter(isAbsolute);
  return [...folders.map((path) => join(path, word)), ...here];
}
