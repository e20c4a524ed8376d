import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { type Host, variable } from '../model/index.js';
import { baseName, installedPackage, isRunner, packageName, type Started } from './command-line.js';

const OUR_NAME = 'portolan';
/** Our program inside a folder of ours, wherever that lies; other scripts there are examples and tests. */
const OUR_SCRIPT =
  /(?:^|[\\/])portolan(?:@[^\\/]*)?[\\/](?:dist[\\/](?:cli|main|index)|bin[\\/]cli|src[\\/]cli[\\/]main)(?:\.[cm]?[jt]s)?$/i;
/** Servers that are shipped with us are servers like any other. */
const OUR_EXAMPLE = /[\\/]dist[\\/]examples[\\/][\w-]+\.js$/;

/** Whether starting the entry would start this gateway again, inside itself. Undefined if not, else why. */
export function selfReason(name: string, started: readonly Started[], folder: string, host: Host): string | undefined {
  // A plugin's servers are called after the plugin: `plugin:<plugin>:<server>`.
  if (name.toLowerCase().split(':').at(-1)?.trim() === OUR_NAME) return `an entry called "${OUR_NAME}" is this gateway`;
  for (const { kind, word } of started) {
    if (kind === 'package' && (packageName(word) === OUR_NAME || isOurPath(word, folder)))
      return `it runs the package ${OUR_NAME}`;
    if (kind === 'program' && isOurPath(word, folder)) return `it starts ${OUR_NAME}`;
    if (kind === 'program' && isThisProgram(word, folder, host)) return 'it starts this very program by another path';
  }
  return undefined;
}

function isOurPath(word: string, folder: string): boolean {
  if (baseName(word) === OUR_NAME) return true;
  if (installedPackage(word) === OUR_NAME && !OUR_EXAMPLE.test(word)) return true;
  return OUR_SCRIPT.test(word) || (/[\\/]/.test(word) && OUR_SCRIPT.test(resolve(folder, word)));
}

function isThisProgram(word: string, folder: string, host: Host): boolean {
  // A runner is never us, and looking for `npx` along the whole path for each of its entries takes long.
  if (host.self === undefined || isRunner(word)) return false;
  const self = withoutEnding(host.self);
  return candidates(word, folder, host).some((path) => withoutEnding(host.files.realPath(path)) === self);
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
