import { sep } from 'node:path';
import type { Definition, Host } from '../model/index.js';
import { isAtOrAbove, projectFolder } from '../policy/index.js';

/** The directories whose files belong to the project of an entry. */
export interface ProjectBounds {
  isInside(path: string): boolean;
}

/** The project and the start directory of the server; empty for an entry of the user. */
export function projectBounds(definition: Definition, folder: string, host: Host): ProjectBounds {
  const project = projectFolder(definition, host);
  if (project === undefined) return { isInside: () => false };
  // If a server starts in the home directory or above, that directory does not count as a project.
  const tops = [project, host.cwd, ...(isAtOrAbove(folder, host.home) ? [] : [folder])];
  const real = tops.map((top) => host.files.realPath(top) ?? top);
  const prefixes = [...new Set([...tops, ...real])].map((top) => (top.endsWith(sep) ? top : `${top}${sep}`));
  return { isInside: (path) => prefixes.some((prefix) => path.startsWith(prefix) || `${path}${sep}` === prefix) };
}
