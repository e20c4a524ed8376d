import { dirname, join } from 'node:path';
import type { Files } from '../base/index.js';

export type Platform = 'linux' | 'darwin' | 'win32';

/** The machine as its clients see it. Sources get all facts from here; none reads `process`. */
export interface Host {
  readonly platform: Platform;
  readonly home: string;
  /** The project directory, in which a client would be started. */
  readonly cwd: string;
  /** The top of the repository around `cwd`, if there is one. */
  readonly repository: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A prefix for absolute system paths, so that a test tree can replace the machine. */
  readonly root: string;
  readonly files: Files;
  /** The real path of the running program, so that discovery does not list it as a server. */
  readonly self: string | undefined;
  /** The values that the user stored for an entry, as references, by the name of a variable or `input:` and an id. */
  readonly stored?: (source: string, server: string) => Readonly<Record<string, string>>;
}

/** An environment variable of the host; on Windows names ignore case. */
export function variable(host: Host, name: string): string | undefined {
  const exact = host.env[name];
  if (exact !== undefined || host.platform !== 'win32') return exact;
  const wanted = name.toLowerCase();
  return Object.entries(host.env).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

/** The nearest directory at or above `cwd` that contains `.git`. */
export function findRepository(files: Files, cwd: string): string | undefined {
  return ancestors(cwd).find((folder) => files.exists(join(folder, '.git')));
}

/** The directory and all its parents, nearest first. */
export function ancestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** Normalizes a directory's path for comparison: Windows has two separators, ignores case, and has drive letters. */
export function sameFolderKey(path: string, host: Host): string {
  const trimmed = path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '');
  if (host.platform !== 'win32') return trimmed;
  return trimmed.replace(/^[a-z]:(?=\/)/i, '').toLowerCase();
}
