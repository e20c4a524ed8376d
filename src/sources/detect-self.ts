import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { type Host, variable } from '../model/index.js';
import { baseName, installedPackage, isRunner, packageName, type Started } from './command-line.js';
import { isOwnFile, isOwnFolder, OUR_NAME } from './own-file.js';
import type { ProblemDraft } from './problem-draft.js';
import { scriptCommands } from './script-commands.js';

/** The program inside an installed copy of Portolan; other scripts in it are examples and tests. */
const OUR_SCRIPT =
  /(?:^|[\\/])portolan(?:@[^\\/]*)?[\\/](?:dist[\\/](?:cli|main|index)|bin[\\/]cli|src[\\/]cli[\\/]main)(?:\.[cm]?[jt]s)?$/i;
/** The package of somebody else, whatever its name is after the slash. */
const SCOPED_PACKAGE = /^@[^\\/]+[\\/][^\\/]+$/;
/** The example servers of the package count as other servers. */
const OUR_EXAMPLE = /[\\/]dist[\\/]examples[\\/][\w-]+\.js$/;
/** The marker of the program is within the first bytes of the file. */
const BEGINNING_BYTES = 256;
/** The limit for a script that only starts another program. Of a longer file only the beginning is read. */
const MAX_SCRIPT_BYTES = 16 * 1024;
/** The limit of files opened per entry, because scripts may start scripts endlessly. */
const MAX_FILES = 16;

/** The context in which the words of a command line are resolved. */
interface Place {
  readonly folder: string;
  readonly host: Host;
  /** The number of files that may still be opened. */
  filesLeft: number;
}

const ONLY_NAMED = `it is named "${OUR_NAME}", but starts another program`;

/** Why starting the entry would start this gateway inside itself; undefined if it would not. */
export function whyIsSelf(name: string, started: readonly Started[], folder: string, host: Host): string | undefined {
  const reason = startsSelf(started, { folder, host, filesLeft: MAX_FILES });
  // The servers of a plugin are named `plugin:<plugin>:<server>`.
  if (reason !== undefined || name.toLowerCase().split(':').at(-1)?.trim() !== OUR_NAME) return reason;
  return started.length === 0 ? `an entry named "${OUR_NAME}" is this gateway` : ONLY_NAMED;
}

/** An entry of this gateway needs no action, except if only its name is ours. */
export function selfServer(reason: string): ProblemDraft {
  const isOnlyNamed = reason === ONLY_NAMED;
  return {
    code: 'self-server',
    severity: isOnlyNamed ? 'warning' : 'info',
    message: `skipped: ${reason}`,
    hint: isOnlyNamed
      ? 'rename the entry to use its server'
      : 'no action needed: this entry connects the client to Portolan, which does not start itself',
  };
}

function startsSelf(started: readonly Started[], place: Place): string | undefined {
  for (const { kind, word } of started) {
    if (kind === 'package' && isOurPackage(word, place)) return `it runs the package ${OUR_NAME}`;
    if (kind === 'program' && isOurPath(word, place.folder)) return `it starts ${OUR_NAME}`;
    // A runner is never Portolan, and searching PATH for `npx` for each entry is slow.
    const reason = kind === 'program' && !isRunner(word) ? programReason(word, place) : undefined;
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** A package of the registry, of a repository or an archive, or in a directory of this machine. */
function isOurPackage(word: string, { folder, host }: Place): boolean {
  const name = packageName(word);
  if (name === OUR_NAME) return true;
  if (SCOPED_PACKAGE.test(name)) return false;
  const path = word.replace(/^file:/, '');
  const isFolder = /^(?:\.{0,2}|[A-Za-z]:)[\\/]|^\.{1,2}$/.test(path);
  return isOurSource(word) || isOurPath(word, folder) || (isFolder && isOwnFolder(resolve(folder, path), host.files));
}

function isOurPath(word: string, folder: string): boolean {
  if (baseName(word) === OUR_NAME) return true;
  if (installedPackage(word) === OUR_NAME && !OUR_EXAMPLE.test(word)) return true;
  return OUR_SCRIPT.test(word) || (/[\\/]/.test(word) && OUR_SCRIPT.test(resolve(folder, word)));
}

/** A package from a repository or an archive: `git+https://…/portolan.git#v1`, `…/portolan-1.0.0.tgz`. */
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
    if (self !== undefined && withoutEnding(real) === self) return 'it starts this program by another path';
    // Only the first existing file would run.
    const reason = isFirst ? fileReason(real, place) : undefined;
    if (reason !== undefined) return reason;
    isFirst = false;
  }
  return undefined;
}

/** Checks whether the file is Portolan or a script that starts it. The file is read and never executed. */
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

/** The program exists as CommonJS and as an ES module, so the extension is ignored. */
function withoutEnding(path: string | undefined): string | undefined {
  return path?.replace(/\.[cm]?js$/, '');
}

/** The files that a program name may refer to. */
function candidates(word: string, folder: string, host: Host): string[] {
  const here = [word.startsWith('~/') ? join(host.home, word.slice(2)) : resolve(folder, word)].flatMap((path) => [
    path,
    `${path}.js`, // Node adds it if the script has no extension
  ]);
  if (/[\\/]/.test(word) || /\.[cm]?[jt]s$/.test(word)) return here;
  const folders = (variable(host, 'PATH') ?? '').split(delimiter).filter(isAbsolute);
  return [...folders.map((path) => join(path, word)), ...here];
}
