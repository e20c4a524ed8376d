import { dirname, join } from 'node:path';
import type { Files } from '../base/index.js';

export type Platform = 'linux' | 'darwin' | 'win32';

/** The machine as the clients on it see it. Everything a source may know of the world is here; none reads `process`. */
export interface Host {
  readonly platform: Platform;
  readonly home: string;
  /** The project: the folder in which a client would be started. */
  readonly cwd: string;
  /** The top of the repository around `cwd`, if there is one. */
  readonly repository: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Stands before absolute system paths, so that a tree can stand in for the machine. */
  readonly root: string;
  readonly files: Files;
  /** The real path of the program that is running, so that it is never found as a server. */
  readonly self: string | undefined;
}

/** A variable of the host's environment; on Windows its name has no case. */
export function variable(host: Host, name: string): string | undefined {
  const exact = host.env[name];
  if (exact !== undefined || host.platform !== 'win32') return exact;
  const wanted = name.toLowerCase();
  return Object.entries(host.env).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

/** The folder with a `.git` in it that is nearest above `cwd`. */
export function findRepository(files: Files, cwd: string): string | undefined {
  return ancestors(cwd).find((folder) => files.exists(join(folder, '.git')));
}

/** The folder itself and every folder above it, nearest first. */
export function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** One spelling for a folder however it was written: Windows has two separators, no case, and a drive letter. */
export function sameFolderKey(path: string, host: Host): string {
  const trimmed = path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '');
  if (host.platform !== 'win32') return trimmed;
  return trimmed.replace(/^[a-z]:(?=\/)/i, '').toLowerCase();
}
