import { dirname, isAbsolute, join, sep } from 'node:path';
import { splitWords } from '../base/index.js';
import type { Definition } from './definition.js';

/** The working directory of a client, and the home of its user. */
export interface StartLocation {
  readonly cwd: string;
  readonly home: string;
}

/**
 * The working directory of a server: relative to the project for a project's entry, otherwise to the home. Default: the
 * client's working directory.
 */
export function startFolder(definition: Definition, location: StartLocation): string {
  const { cwd, scope, source } = definition;
  if (cwd === undefined || cwd === '') return location.cwd;
  if (isAbsolute(cwd)) return cwd;
  if (scope === 'local') return join(location.cwd, cwd);
  return join(scope === 'project' ? projectOf(source, location.cwd) : location.home, cwd);
}

/** A project's file may be above the client's working directory: the project is the directory that contains both. */
function projectOf(source: string, cwd: string): string {
  let folder = cwd;
  while (!source.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder === dirname(folder) ? cwd : folder;
}

/** The env file of an entry, relative to the server's working directory. */
export function envFilePath({ envFile }: Definition, folder: string): string | undefined {
  if (envFile === undefined) return undefined;
  return isAbsolute(envFile) ? envFile : join(folder, envFile);
}

/** The program and arguments of a headers helper. `~` is expanded, because the line is written for a shell. */
export function helperWords(line: string, home: string): string[] {
  return splitWords(line).map((word) => (/^~(?=$|[\\/])/.test(word) ? join(home, word.slice(1)) : word));
}
