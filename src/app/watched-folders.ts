// Our own watcher: chokidar misses files in directories that are created later.
import { basename, dirname, join, resolve } from 'node:path';
import { type Log, matchesWildcard } from '../base/index.js';

/** Systems limit the number of watched directories; the periodic scan covers the rest. */
const MAX_WATCHED = 2_000;
/** A limit on repeats, because directories may appear while their parents are being watched. */
const MAX_ROUNDS = 8;
/** The maximum length of a chain of links. */
const MAX_LINKS = 8;

/** The patterns of the relevant names in each listed directory. */
export type ListedFolders = ReadonlyMap<string, ReadonlySet<string>>;

type FileSystem = typeof import('node:fs');
type Watcher = ReturnType<FileSystem['watch']>;

/** The relevant names in a directory. */
interface Wanted {
  readonly names: Set<string>;
  readonly patterns: ReadonlySet<string>;
}

const NO_PATTERNS: ReadonlySet<string> = new Set();

/** One watcher per directory in which a relevant change can happen. */
export class WatchedFolders implements Disposable {
  readonly #fs = process.getBuiltinModule('node:fs');
  readonly #log: Log;
  readonly #onEvent: (path: string) => void;
  readonly #watchers = new Map<string, { readonly watcher: Watcher; readonly identity: string }>();
  #wanted: ReadonlyMap<string, Wanted> = new Map();

  constructor(log: Log, onEvent: (path: string) => void) {
    this.#log = log;
    this.#onEvent = onEvent;
  }

  watch(touched: ReadonlySet<string>, listed: ListedFolders): void {
    // A file created before its directory is watched causes no event, so determine the directories again.
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      this.#wanted = foldersOf(touched, listed, this.#fs);
      if (!this.#replace()) return;
    }
  }

  /** Watches exactly the wanted directories; true if a watcher was added. */
  #replace(): boolean {
    for (const [folder, { watcher, identity }] of this.#watchers) {
      // A recreated directory has the same name, but its old watcher reports nothing.
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
        if (name === null || this.#isRelevant(folder, event, name)) this.#onEvent(join(folder, name ?? ''));
      });
      watcher.on('error', () => this.#watchers.delete(folder)); // the periodic scan replaces it
      this.#watchers.set(folder, { watcher, identity });
      return true;
    } catch (error) {
      this.#log('debug', 'cannot watch a directory; it is scanned periodically', {
        folder,
        error: error instanceof Error ? error.message : String(error),
      });
      return false;
    }
  }

  /**
   * A home directory changes all the time, so only names that lead to a path matter. They are those from before the
   * change, because a directory that was just created is no longer wanted in its parent.
   */
  #isRelevant(folder: string, event: string, name: string): boolean {
    const wanted = this.#wanted.get(folder);
    if (wanted?.names.has(name)) return true;
    // Changes of a file that was never read do not matter, but its creation or removal does.
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
 * The files to which a symbolic link leads, one after the other; editing them causes no event in the directory of the
 * link. Many people keep their settings elsewhere and link them.
 */
function linkTargets(path: string, fs: FileSystem): readonly string[] {
  const targets: string[] = [];
  try {
    let here = path;
    while (targets.length < MAX_LINKS && fs.lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink()) {
      // The parent directory may be a link too, and the target is relative to the real one.
      here = resolve(fs.realpathSync(dirname(here)), fs.readlinkSync(here));
      targets.push(here);
    }
  } catch {
    // The link changed meanwhile or is not accessible; the periodic scan finds what it leads to.
  }
  return targets;
}

/**
 * The directories in which a relevant change can happen, with the names that matter in each; for a missing path, its
 * nearest existing parent. Parents of paths come first, listed directories after them.
 */
function foldersOf(paths: ReadonlySet<string>, listed: ListedFolders, fs: FileSystem): Map<string, Wanted> {
  const folders = new Map<string, Wanted>();
  const known = new Map<string, boolean>();
  const isThere = (path: string): boolean => {
    const answer = known.get(path) ?? fs.existsSync(path);
    known.set(path, answer);
    return answer;
  };
  const wantedIn = (folder: string): Wanted => {
    const wanted = folders.get(folder) ?? { names: new Set(), patterns: listed.get(folder) ?? NO_PATTERNS };
    folders.set(folder, wanted);
    return wanted;
  };
  const add = (path: string): void => {
    let [folder, name] = [dirname(path), basename(path)];
    while (!isThere(folder) && dirname(folder) !== folder) [folder, name] = [dirname(folder), basename(folder)];
    wantedIn(folder).names.add(name);
  };
  for (const path of paths) {
    add(path);
    for (const target of linkTargets(path, fs)) add(target);
  }
  for (const folder of listed.keys()) if (isThere(folder)) wantedIn(folder);
  return folders;
}
