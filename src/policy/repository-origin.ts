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
  const top = topFolder({ home, cwd, repository });
  return top !== undefined && source.startsWith(`${top}${sep}`);
}

/** The folder that an approval is bound to, where there is one: `npm run mcp` is another program in another repository. */
export function folderOfApproval(definition: Definition, folders: Folders): string | undefined {
  const { command, headersHelper, standsFor } = definition;
  // What may stand for a server of the user's in one repository may not in the next, which only has to claim the same.
  if (standsFor !== undefined)
    return isFromRepository(definition, folders) ? (topFolder(folders) ?? folders.cwd) : undefined;
  const isStarted = command !== undefined || headersHelper !== undefined;
  return isStarted ? projectFolder(definition, folders) : undefined;
}

/** The project that brought an entry: files in it may change with the next update of the repository. */
export function projectFolder(definition: Definition, folders: Folders): string | undefined {
  const isBrought = definition.state === 'pending-approval' || isFromRepository(definition, folders);
  return isBrought ? (topFolder(folders) ?? folders.cwd) : undefined;
}

/** Someone who works in the home folder itself, or keeps all of it in a repository, did not get those files from others. */
function topFolder({ home, cwd, repository }: Folders): string | undefined {
  return [repository, cwd].find((folder) => folder !== undefined && !isAround(folder, home));
}

export function isAround(folder: string, home: string): boolean {
  return home === folder || home.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
