import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { baseName, packageName, type Started } from './command-line.js';
import { type Host, variable } from './host.js';

const OUR_NAME = 'portolan';
/** The bundled program inside a folder of ours, wherever that lies. */
const OUR_SCRIPT = /(?:^|[\\/])portolan(?:@[^\\/]*)?[\\/](?:dist|bin)[\\/][\w.-]+\.[cm]?js$/i;

/** Whether starting the entry would start this gateway again, inside itself. Undefined if not, else why. */
export function selfReason(name: string, started: readonly Started[], folder: string, host: Host): string | undefined {
  if (name.toLowerCase() === OUR_NAME) return `an entry called "${OUR_NAME}" is this gateway`;
  for (const { kind, word } of started) {
    if (kind === 'package' && (packageName(word) === OUR_NAME || isOurPath(word)))
      return `it runs the package ${OUR_NAME}`;
    if (kind === 'program' && isOurPath(word)) return `it starts ${OUR_NAME}`;
    if (kind === 'program' && isThisProgram(word, folder, host)) return 'it starts this very program by another path';
  }
  return undefined;
}

function isOurPath(word: string): boolean {
  return baseName(word) === OUR_NAME || OUR_SCRIPT.test(word);
}

function isThisProgram(word: string, folder: string, host: Host): boolean {
  if (host.self === undefined) return false;
  return candidates(word, folder, host).some((path) => host.files.realPath(path) === host.self);
}

/** The files that a word in the place of a program may mean. */
function candidates(word: string, folder: string, host: Host): string[] {
  if (isAbsolute(word)) return [word];
  if (word.startsWith('~/')) return [join(host.home, word.slice(2))];
  const here = [resolve(folder, word)];
  if (/[\\/]/.test(word) || /\.[cm]?js$/.test(word)) return here;
  return (variable(host, 'PATH') ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((path) => join(path, word));
}
