import { dirname, isAbsolute, join, sep } from 'node:path';
import { splitWords } from '../base/index.js';
import type { Definition } from './definition.js';

/** Where a client works, and the home of its user. */
export interface Whereabouts {
  readonly cwd: string;
  readonly home: string;
}

/** Relative to the project for what a project wrote, else to the home; without one, where the client works. */
export function startFolder(definition: Definition, whereabouts: Whereabouts): string {
  const { cwd, scope, source } = definition;
  if (cwd === undefined || cwd === '') return whereabouts.cwd;
  if (isAbsolute(cwd)) return cwd;
  if (scope === 'local') return join(whereabouts.cwd, cwd);
  return join(scope === 'project' ? projectOf(source, whereabouts.cwd) : whereabouts.home, cwd);
}

/** A project's file may lie above the folder in which the client works: the folder that holds both is the project. */
function projectOf(source: string, cwd: string): string {
  let folder = cwd;
  while (!source.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder === dirname(folder) ? cwd : folder;
}

/** The env file of an entry, from the folder in which its server is started. */
export function envFilePath({ envFile }: Definition, folder: string): string | undefined {
  if (envFile === undefined) return undefined;
  return isAbsolute(envFile) ? envFile : join(folder, envFile);
}

/** The program and the words of a headers helper. Written for a shell, nearly every path in it begins with `~`. */
export function helperWords(line: string, home: string): string[] {
  return splitWords(line).map((word) => (/^~(?=$|[\\/])/.test(word) ? join(home, word.slice(1)) : word));
}
