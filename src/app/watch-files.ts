import { basename, dirname } from 'node:path';
import type { FileReading, Files, FolderReading, Log } from '../base/index.js';

/** An editor writes a file in several steps; this long after the last of them it is read. */
const DEBOUNCE_MS = 500;
/** What no notice was given of, on network drives for example, is seen this late. */
const SWEEP_MS = 30_000;

export interface RecordingFiles extends Files {
  readonly touched: Set<string>;
  /** Those that could not be read just now, as when too many files are open: nobody will write them because of that. */
  readonly unread: Set<string>;
}

/** The same files, and the paths that anybody asked for: all that an answer made from them depends on. */
export function recordingFiles(files: Files): RecordingFiles {
  const touched = new Set<string>();
  const unread = new Set<string>();
  const noting = <T>(path: string, act: (path: string) => T): T => {
    touched.add(path);
    return act(path);
  };
  const reading = <T extends FileReading | FolderReading>(path: string, act: (path: string) => T): T => {
    const answer = noting(path, act);
    if (answer.kind === 'failed' && answer.mayPass) unread.add(path);
    else unread.delete(path);
    return answer;
  };
  return {
    touched,
    unread,
    read: (path) => reading(path, files.read),
    readStart: (path, maxBytes) => noting(path, () => files.readStart(path, maxBytes)),
    list: (path) => reading(path, files.list),
    exists: (path) => noting(path, files.exists),
    realPath: (path) => noting(path, files.realPath),
    // Of folders as well, whose times change all day: a file that matters is read next.
    status: files.status,
    content: (path, wholeBytes) => noting(path, () => files.content(path, wholeBytes)),
  };
}

export interface WatchOptions {
  readonly touched: ReadonlySet<string>;
  /** Emptied before each call, which fills it anew. */
  readonly unread: Set<string>;
  /** Called when something changed. Its paths may be others afterwards. Where it says false, it is called again at a later look. */
  readonly changed: () => Promise<boolean>;
  readonly log: Log;
}

/** Calls when one of the paths is made, changed or taken away, and at each look while one is unread, until it is disposed of. */
export function watchPaths({ touched, unread, changed, log }: WatchOptions): Disposable {
  const fs = process.getBuiltinModule('node:fs');
  const watchers = new Map<string, ReturnType<typeof fs.watch>>();
  let wanted: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  let seen = snapshot(touched);
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isRepeated = false;
  let isEnded = false;

  const look = async () => {
    timer = undefined;
    if (isLooking) return soon();
    watchFolders(); // a folder may have come without what it will hold
    const now = snapshot(touched);
    if ((now === seen && unread.size === 0) || isEnded) return;
    isLooking = true;
    const [before, missing] = [new Set(touched), [...unread]];
    unread.clear();
    const isDone = await changed().finally(() => {
      isLooking = false;
    });
    watchFolders();
    if (!isDone) {
      for (const path of missing) unread.add(path); // perhaps nobody tried
      return;
    }
    // What was written while we read may have been missed: once more, and only once, because reading itself may write.
    isRepeated = snapshot(before) !== now && !isRepeated;
    seen = isRepeated ? now : snapshot(touched);
    if (isRepeated) soon();
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), DEBOUNCE_MS);
    timer.unref();
  };
  const watchFolders = () => {
    if (isEnded) return;
    wanted = foldersOf(touched, fs.existsSync);
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of wanted.keys()) {
      if (watchers.has(folder)) continue;
      try {
        const watcher = fs.watch(folder, { persistent: false }, (_, name) => {
          // A home folder is written to all day; only what leads to one of the paths is of interest. That is what led there
          // before the change: a folder that has just been made is not asked for in the one above it any more.
          if (name === null || wanted.get(folder)?.has(name)) soon();
        });
        watcher.on('error', () => watchers.delete(folder)); // the sweep sees what it would have seen
        watchers.set(folder, watcher);
      } catch (error) {
        log('debug', 'folder not watched; it is looked at now and then', {
          folder,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  };
  // Not at once: the first client waits for its answer, and to watch a folder of many names takes long. The first look sees
  // what has changed until then.
  soon();
  const sweep = setInterval(() => void look(), SWEEP_MS);
  sweep.unref();
  return {
    [Symbol.dispose]: () => {
      isEnded = true;
      clearTimeout(timer);
      clearInterval(sweep);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** The folders in which something can happen to the paths, each with the names that matter: for what is not there, the nearest that is. */
function foldersOf(paths: ReadonlySet<string>, exists: (path: string) => boolean): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  const known = new Map<string, boolean>();
  const isThere = (path: string): boolean => {
    const answer = known.get(path) ?? exists(path);
    known.set(path, answer);
    return answer;
  };
  for (const path of paths) {
    let [folder, name] = [dirname(path), basename(path)];
    while (!isThere(folder) && dirname(folder) !== folder) [folder, name] = [dirname(folder), basename(folder)];
    folders.set(folder, (folders.get(folder) ?? new Set()).add(name));
  }
  return folders;
}

/** What a look at the paths would tell apart. */
function snapshot(paths: ReadonlySet<string>): string {
  const fs = process.getBuiltinModule('node:fs');
  return [...paths]
    .map((path) => {
      try {
        const stat = fs.statSync(path, { throwIfNoEntry: false });
        return stat ? `${path}:${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.mode}` : path;
      } catch {
        return path;
      }
    })
    .join('\n');
}
