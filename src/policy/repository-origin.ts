import { sep } from 'node:path';
import type { Definition } from '../model/index.js';

/** The directories that determine whether a file belongs to a repository. */
export interface Folders {
  readonly home: string;
  readonly cwd: string;
  readonly repository: string | undefined;
}

/** `/proc/self/cwd` is the repository under another name. No client keeps its configuration there. */
const IN_PROCESS_FOLDER = /^[\\/]+(?:proc|dev)[\\/]/;

/** Returns whether the current repository brought the entry, whatever scope its client assigns. */
export function isFromRepository(
  { scope, source }: Pick<Definition, 'scope' | 'source'>,
  { home, cwd, repository }: Folders,
): boolean {
  if (scope === 'project') return true;
  const top = topFolder({ home, cwd, repository });
  return top !== undefined && (source.startsWith(`${top}${sep}`) || IN_PROCESS_FOLDER.test(source));
}

/** The directory that an approval is bound to, if any: `npm run mcp` is another program in another repository. */
export function folderOfApproval(definition: Definition, folders: Folders): string | undefined {
  const { command, headersHelper, standsFor } = definition;
  // An approval to replace a server of the user is limited to one repository, because any other could claim the
  // same.
  if (standsFor !== undefined)
    return isFromRepository(definition, folders) ? (topFolder(folders) ?? folders.cwd) : undefined;
  const isStarted = command !== undefined || headersHelper !== undefined;
  return isStarted ? projectFolder(definition, folders) : undefined;
}

/** The project that brought an entry: its files may change with the next update of the repository. */
export function projectFolder(definition: Definition, folders: Folders): string | undefined {
  const isBrought = definition.state === 'pending-approval' || isFromRepository(definition, folders);
  return isBrought ? (topFolder(folders) ?? folders.cwd) : undefined;
}

/**
 * If the user works in the home directory, or keeps all of it in a repository, those files did not come from others.
 */
function topFolder({ home, cwd, repository }: Folders): string | undefined {
  return [repository, cwd].find((folder) => folder !== undefined && !isAtOrAbove(folder, home));
}

export function isAtOrAbove(folder: string, home: string): boolean {
  return home === folder || home.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
