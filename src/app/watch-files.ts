import type { FileReading, Files, FolderReading, Log } from '../base/index.js';
import { type ListedFolders, matchesAny, WatchedFolders } from './watched-folders.js';

/** Debounce: an editor writes a file in several steps, so it is read this long after the last one. */
const DEBOUNCE_MS = 500;
/** The maximum delay, also while files are written continuously. */
const MAX_WAIT_MS = 900;
/** Changes without an event, on network drives for example, are detected by a periodic scan. */
const SWEEP_MS = 30_000;
export interface RecordingFiles extends Files {
  readonly touched: Set<string>;
  readonly listed: ListedFolders;
  /** Paths that could not be read, for example with too many open files; they are retried without a change. */
  readonly unread: Set<string>;
}

/** The read files and all queried paths: everything that the result depends on. */
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
    if (answer.kind === 'failed' && answer.isTemporary) unread.add(path);
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
    // Directory times change all the time; a relevant file in it is checked separately.
    status: files.status,
    content: (path, wholeBytes) => noting(path, () => files.content(path, wholeBytes)),
  };
}

/** The clock and timers, replaceable in tests. */
export interface WatchClock {
  now(): number;
  /** Runs a function once after the time, unless the returned function is called before. */
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
  /** Cleared before each call of `changed`, which fills it again. */
  readonly unread: Set<string>;
  /** Called on a change. The paths may differ afterwards. If it returns false, it is called again at a later scan. */
  readonly changed: () => Promise<boolean>;
  readonly log: Log;
  readonly clock?: WatchClock;
}

/**
 * Calls `changed` when a path is created, modified or removed, when a relevant name appears in or disappears from a
 * listed directory, and at each periodic scan while a path is unread, until it is disposed of.
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

  const check = async () => {
    waitingSince = undefined;
    if (isLooking) return soon();
    if (isEnded) return;
    folders.watch(touched, listed); // a directory may exist before its files do
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
      for (const path of missing) unread.add(path); // it may not have been read at all
      return;
    }
    // Changes during the read may have been missed, so read once more; only once, because reading itself may write.
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
    cancel = clock.after(Math.max(0, Math.min(DEBOUNCE_MS, atMost)), () => void check());
  };
  let cancelSweep: () => void = () => undefined;
  const sweep = () => {
    cancelSweep = clock.after(SWEEP_MS, () => {
      sweep();
      void check();
    });
  };
  // Delayed, because the first client is waiting and watching a large directory is slow. The first scan finds changes
  // made until then.
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

/** The coarsest resolution of file times. */
const TICK_MS = 20;

/** Whether a path that was queried for the first time changed during the read; there is no earlier snapshot of it. */
function isWrittenSince(began: number, touched: ReadonlySet<string>, before: ReadonlySet<string>): boolean {
  const fs = process.getBuiltinModule('node:fs');
  for (const path of touched) {
    if (before.has(path)) continue;
    try {
      const stat = fs.statSync(path, { throwIfNoEntry: false });
      if (stat?.isFile() && stat.ctimeMs > began - TICK_MS) return true;
    } catch {
      // A path that cannot be examined now is in the next snapshot.
    }
  }
  return false;
}

/** A text that changes with the paths: metadata of files, and the relevant names in listed directories. */
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
