import { sep } from 'node:path';
import type { Definition } from '../model/index.js';

/** Where a repository may be, and where it certainly is not. */
export interface Folders {
  readonly home: string;
  readonly cwd: string;
  readonly repository: string | undefined;
}

/** Whether an entry was brought by the repository someone works in, whatever its client calls the scope. */
export function isFromRepository({ scope, source }: Definition, { home, cwd, repository }: Folders): boolean {
  if (scope === 'project') return true;
  // Someone who works in the home folder itself, or keeps all of it in a repository, did not get those files from others.
  const top = [repository, cwd].find((folder) => folder !== undefined && !isAround(folder, home));
  return top !== undefined && source.startsWith(`${top}${sep}`);
}

function isAround(folder: string, home: string): boolean {
  return home === folder || home.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
