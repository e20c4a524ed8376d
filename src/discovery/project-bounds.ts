import { sep } from 'node:path';
import type { Definition, Host } from '../model/index.js';
import { isAround, projectFolder } from '../policy/index.js';

/** Which files belong to the project that brought an entry. */
export interface ProjectBounds {
  isInside(path: string): boolean;
}

/** The project and the folder in which the entry starts its server; nothing for an entry of the user's own. */
export function projectBounds(definition: Definition, folder: string, host: Host): ProjectBounds {
  const project = projectFolder(definition, host);
  if (project === undefined) return { isInside: () => false };
  // A server that is started in the home folder or above does not make all of it a project.
  const tops = [project, host.cwd, ...(isAround(folder, host.home) ? [] : [folder])];
  const real = tops.map((top) => host.files.realPath(top) ?? top);
  const prefixes = [...new Set([...tops, ...real])].map((top) => (top.endsWith(sep) ? top : `${top}${sep}`));
  return { isInside: (path) => prefixes.some((prefix) => path.startsWith(prefix) || `${path}${sep}` === prefix) };
}
