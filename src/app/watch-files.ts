import type { FileReading, Files, FolderReading, Log } from '../base/index.js';
import { type ListedFolders, matchesAny, WatchedFolders } from './watched-folders.js';

/** An editor writes a file in several steps; this long after the last of them it is read. */
const DEBOUNCE_MS = 500;
/** A change is read at the latest by then, also while files are written without a pause. */
const MAX_WAIT_MS = 900;
/** Changes without an event, on network drives for example, are detected by a periodic scan. */
const SWEEP_MS = 30_000;
export interface RecordingFiles extends Files {
  readonly touched: Set<string>;
  readonly listed: ListedFolders;
  /** Those that could not be read just now, as when too many files are open: nobody will write them because of that. */
  readonly unread: Set<string>;
}

/** The same files, and the paths that anybody asked for: all that an answer made from them depends on. */
export function recordingFiles(files: Files): RecordingFiles {
  const touched = new Set<string>();
  const listed = new Map<string, Set<string>>();
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
    listed,
    unread,
    read: (path) => reading(path, files.read),
    readStart: (path, maxBytes) => noting(path, () => files.readStart?.(path, maxBytes)),
    list: (path, pattern = '*') => {
      listed.set(path, (listed.get(path) ?? new Set()).add(pattern));
      return reading(path, () => files.list(path, pattern));
    },
    exists: (path) => noting(path, files.exists),
    realPath: (path) => noting(path, files.realPath),
    // Of folders as well, whose times change all day: a file that matters is read next.
    status: files.status,
    content: (path, wholeBytes) => noting(path, () => files.content(path, wholeBytes)),
  };
}

/** Time as the watch sees it, so that a test can stand in for it. */
export interface WatchClock {
  now(): number;
  /** Runs once after the time, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

const systemClock: WatchClock = {
  now: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface WatchOptions {
  readonly touched: ReadonlySet<string>;
  readonly listed: ListedFolders;
  /** Emptied before each call, which fills it anew. */
  readonly unread: Set<string>;
  /** Called when something changed. Its paths may be others afterwards. Where it says false, it is called again at a later look. */
  readonly changed: () => Promise<boolean>;
  readonly log: Log;
  readonly clock?: WatchClock;
}

/**
 * Calls when one of the paths is made, changed or removed, when a name that matters appears in a listed folder or leaves it,
 * and at each look while a path is unread, until it is disposed of.
 */
export function watchPaths(options: WatchOptions): Disposable {
  const { touched, listed, unread, changed, log, clock = systemClock } = options;
  const folders = new WatchedFolders(log, () => soon());
  let seen = snapshot(touched, listed);
  let cancel: (() => void) | undefined;
  let waitingSince: number | undefined;
  let isLooking = false;
  let isRepeated = false;
  let isEnded = false;

  const look = async () => {
    waitingSince = undefined;
    if (isLooking) return soon();
    if (isEnded) return;
    folders.watch(touched, listed); // a folder may have come without what it will hold
    const now = snapshot(touched, listed);
    if (now === seen && unread.size === 0) return;
    isLooking = true;
    const [before, missing, began] = [new Set(touched), [...unread], Date.now()];
    unread.clear();
    const isDone = await changed().finally(() => {
      isLooking = false;
    });
    if (isEnded) return;
    folders.watch(touched, listed);
    if (!isDone) {
      for (const path of missing) unread.add(path); // perhaps nobody tried
      return;
    }
    // What was written while we read may have been missed: once more, and only once, because reading itself may write.
    const isLate = snapshot(before, listed) !== now || isWrittenSince(began, touched, before);
    isRepeated = isLate && !isRepeated;
    seen = isRepeated ? now : snapshot(touched, listed);
    if (isRepeated) soon();
  };
  const soon = () => {
    if (isEnded) return;
    cancel?.();
    waitingSince ??= clock.now();
    const atMost = waitingSince + MAX_WAIT_MS - clock.now();
    cancel = clock.after(Math.max(0, Math.min(DEBOUNCE_MS, atMost)), () => void look());
  };
  let cancelSweep: () => void = () => undefined;
  const sweep = () => {
    cancelSweep = clock.after(SWEEP_MS, () => {
      sweep();
      void look();
    });
  };
  // Not at once: the first client waits for its answer, and to watch a folder of many names takes long. The first look sees
  // what has changed until then.
  soon();
  sweep();
  return {
    [Symbol.dispose]: () => {
      isEnded = true;
      cancel?.();
      cancelSweep();
      folders[Symbol.dispose]();
    },
  };
}

/** As coarse as the times of files may be. */
const TICK_MS = 20;

/** Whether a path that came up only now was written while it was read: there is no earlier snapshot of it to compare with. */
function isWrittenSince(began: number, touched: ReadonlySet<string>, before: ReadonlySet<string>): boolean {
  const fs = process.getBuiltinModule('node:fs');
  for (const path of touched) {
    if (before.has(path)) continue;
    try {
      const stat = fs.statSync(path, { throwIfNoEntry: false });
      if (stat?.isFile() && stat.ctimeMs > began - TICK_MS) return true;
    } catch {
      // What cannot be examined now is in the next snapshot.
    }
  }
  return false;
}

/** Everything about the paths that a change would alter: of a listed folder, the names that matter. */
function snapshot(paths: ReadonlySet<string>, listed: ListedFolders): string {
  const fs = process.getBuiltinModule('node:fs');
  return [...paths]
    .map((path) => {
      try {
        const stat = fs.statSync(path, { throwIfNoEntry: false });
        if (!stat) return path;
        const patterns = listed.get(path);
        if (!patterns || !stat.isDirectory()) return `${path}:${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.mode}`;
        const names = fs
          .readdirSync(path)
          .filter((name) => matchesAny(patterns, name))
          .sort();
        return `${path}:${stat.ino}:${stat.mode}:${JSON.stringify(names)}`;
      } catch {
        return path;
      }
    })
    .join('\n');
}
