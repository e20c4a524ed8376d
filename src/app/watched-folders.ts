import { basename, dirname, join } from 'node:path';
import { type Log, matchesWildcard } from '../base/index.js';

/** Systems limit the number of watched folders; beyond this the periodic scan has to do. */
const MAX_WATCHED = 2_000;
/** Folders may appear while the ones above them are being watched, but not without end. */
const MAX_ROUNDS = 8;

/** The patterns of the names that matter in each folder that was listed. */
export type ListedFolders = ReadonlyMap<string, ReadonlySet<string>>;

type Watcher = ReturnType<typeof import('node:fs')['watch']>;

/** The names that matter in a folder. */
interface Wanted {
  readonly names: Set<string>;
  readonly patterns: ReadonlySet<string>;
}

const NO_PATTERNS: ReadonlySet<string> = new Set();

/** One watcher for each folder in which something can happen to the paths. */
export class WatchedFolders implements Disposable {
  readonly #fs = process.getBuiltinModule('node:fs');
  readonly #log: Log;
  readonly #happened: (path: string) => void;
  readonly #watchers = new Map<string, { readonly watcher: Watcher; readonly identity: string }>();
  #wanted: ReadonlyMap<string, Wanted> = new Map();

  constructor(log: Log, happened: (path: string) => void) {
    this.#log = log;
    this.#happened = happened;
  }

  watch(touched: ReadonlySet<string>, listed: ListedFolders): void {
    // What is made in a folder before its watcher is there has no event: it shows when the folders are determined again.
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      this.#wanted = foldersOf(touched, listed, this.#fs.existsSync);
      if (!this.#replace()) return;
    }
  }

  /** Watches what is wanted and nothing else; true where a watcher was added. */
  #replace(): boolean {
    for (const [folder, { watcher, identity }] of this.#watchers) {
      // A folder that was removed and made again has the same name, and its old watcher says nothing more.
      if (this.#wanted.has(folder) && identity === identityOf(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    let isAdded = false;
    for (const folder of this.#wanted.keys()) {
      if (this.#watchers.size >= MAX_WATCHED) break;
      if (!this.#watchers.has(folder)) isAdded = this.#add(folder) || isAdded;
    }
    return isAdded;
  }

  #add(folder: string): boolean {
    try {
      const identity = identityOf(folder);
      const watcher = this.#fs.watch(folder, { persistent: false }, (event, name) => {
        if (name === null || this.#matters(folder, event, name)) this.#happened(join(folder, name ?? ''));
      });
      watcher.on('error', () => this.#watchers.delete(folder)); // the periodic scan replaces it
      this.#watchers.set(folder, { watcher, identity });
      return true;
    } catch (error) {
      this.#log('debug', 'a folder cannot be watched; it is read periodically', {
        folder,
        error: error instanceof Error ? error.message : String(error),
      });
      return false;
    }
  }

  /**
   * A home folder is written to all day; only what leads to one of the paths is of interest. That is what led there before
   * the change: a folder that has just been made is not asked for in the one above it any more.
   */
  #matters(folder: string, event: string, name: string): boolean {
    const wanted = this.#wanted.get(folder);
    if (wanted?.names.has(name)) return true;
    // What is written into a file that nobody has read yet does not matter; that it came or went does.
    return event === 'rename' && matchesAny(wanted?.patterns ?? NO_PATTERNS, name);
  }

  [Symbol.dispose](): void {
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}

function identityOf(folder: string): string {
  try {
    const stat = process.getBuiltinModule('node:fs').statSync(folder, { throwIfNoEntry: false });
    return stat ? `${stat.dev} ${stat.ino} ${stat.birthtimeMs}` : '';
  } catch {
    return '';
  }
}

export function matchesAny(patterns: ReadonlySet<string>, name: string): boolean {
  for (const pattern of patterns) if (matchesWildcard(pattern, name)) return true;
  return false;
}

/**
 * The folders in which something can happen to the paths, each with the names that matter: for what is not there, the nearest
 * that is. Those that hold a path come first, and after them those that were listed.
 */
function foldersOf(
  paths: ReadonlySet<string>,
  listed: ListedFolders,
  exists: (path: string) => boolean,
): Map<string, Wanted> {
  const folders = new Map<string, Wanted>();
  const known = new Map<string, boolean>();
  const isThere = (path: string): boolean => {
    const answer = known.get(path) ?? exists(path);
    known.set(path, answer);
    return answer;
  };
  const wantedIn = (folder: string): Wanted => {
    const wanted = folders.get(folder) ?? { names: new Set(), patterns: listed.get(folder) ?? NO_PATTERNS };
    folders.set(folder, wanted);
    return wanted;
  };
  for (const path of paths) {
    let [folder, name] = [dirname(path), basename(path)];
    while (!isThere(folder) && dirname(folder) !== folder) [folder, name] = [dirname(folder), basename(folder)];
    wantedIn(folder).names.add(name);
  }
  for (const folder of listed.keys()) if (isThere(folder)) wantedIn(folder);
  return folders;
}
