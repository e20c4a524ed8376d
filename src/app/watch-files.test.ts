import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskFiles, silentLog } from '../base/index.js';
import { recordingFiles, watchPaths } from './watch-files.js';

const DEBOUNCE_MS = 150;
/** A call that has not happened within this time never does: twice the debounce, with time for a busy machine. */
const QUIET_MS = 500;
const LIMIT_MS = 10_000;
/** Real time with a short debounce; the periodic scan keeps its 30 s, so that it does not find the change instead. */
const briefClock = {
  now: () => performance.now(),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms > 1_000 ? ms : Math.min(ms, DEBOUNCE_MS));
    return () => clearTimeout(timer);
  },
};

/** A directory for each test; they run concurrently, because they mostly wait. */
function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-watch-'));
  return {
    at: (...names: string[]) => join(folder, ...names),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
type At = ReturnType<typeof makeFolder>['at'];

const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

function watching(paths: readonly string[], onChange: () => unknown = () => undefined, unread = new Set<string>()) {
  const touched = new Set(paths);
  let calls = 0;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const after = (ms: number, run: () => void) =>
    briefClock.after(ms, () => {
      run();
      begin();
    });
  const watch = watchPaths({
    touched,
    listed: new Map(),
    unread,
    changed: async () => {
      calls += 1;
      return (await onChange()) !== false;
    },
    log: silentLog,
    clock: { ...briefClock, after },
  });
  return {
    touched,
    /** Fulfilled after the first scan, when the directories are watched. */
    begun,
    calls: () => calls,
    until: async (count: number) => {
      const ends = performance.now() + LIMIT_MS;
      while (calls < count && performance.now() < ends) await new Promise((resolve) => setTimeout(resolve, 10));
      return calls;
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  };
}

describe.concurrent('watchPaths', () => {
  it('calls until all files are read, even without a change', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    const unread = new Set([at('f')]);
    let isTried = false;
    using watch = watching([at('f')], () => isTried, unread);
    expect(await watch.until(1)).toBe(1);
    expect([...unread]).toEqual([at('f')]);
    isTried = true;
    writeFileSync(at('f'), 'bb'); // a change that does not wait for the periodic scan
    expect(await watch.until(2)).toBe(2);
    expect([...unread]).toEqual([]);
    await quiet();
    expect(watch.calls()).toBe(2);
  });

  it.each([
    {
      title: 'a file that is written',
      before: (at: At) => writeFileSync(at('f'), 'a'),
      change: (at: At) => writeFileSync(at('f'), 'bb'),
    },
    { title: 'a file that is created', before: () => undefined, change: (at: At) => writeFileSync(at('f'), 'a') },
    {
      title: 'a file that is removed',
      before: (at: At) => writeFileSync(at('f'), 'a'),
      change: (at: At) => rmSync(at('f')),
    },
    {
      title: 'a file that is replaced by another of the same size',
      before: (at: At) => {
        writeFileSync(at('f'), 'a');
        writeFileSync(at('g'), 'b');
        const then = new Date(2020, 0, 1);
        for (const name of ['f', 'g']) utimesSync(at(name), then, then);
      },
      change: (at: At) => renameSync(at('g'), at('f')),
    },
    {
      title: 'a file behind two links that is written',
      before: (at: At) => {
        for (const name of ['a', 'b']) mkdirSync(at(name));
        writeFileSync(at('b', 'h'), 'a');
        symlinkSync('../b/h', at('a', 'g'));
        symlinkSync(at('a', 'g'), at('f'));
      },
      change: (at: At) => writeFileSync(at('b', 'h'), 'bb'),
    },
    {
      title: 'the missing file behind a link that is created',
      before: (at: At) => symlinkSync(at('b', 'h'), at('f')),
      change: (at: At) => {
        mkdirSync(at('b'));
        writeFileSync(at('b', 'h'), 'a');
      },
    },
    {
      title: 'a link that leads to another file',
      before: (at: At) => {
        writeFileSync(at('g'), 'a');
        writeFileSync(at('h'), 'bb');
        symlinkSync('g', at('f'));
      },
      change: (at: At) => {
        symlinkSync('h', at('new'));
        renameSync(at('new'), at('f'));
      },
    },
  ])('reports $title once', async ({ before, change }) => {
    using folder = makeFolder();
    const { at } = folder;
    before(at);
    using watch = watching([at('f')]);
    await watch.begun;
    change(at);
    expect(await watch.until(1)).toBe(1);
    await quiet();
    expect(watch.calls()).toBe(1);
  });

  it('reports a file that was created with its directories, at once or one after the other', async () => {
    using folder = makeFolder();
    const { at } = folder;
    const path = at('a', 'b', 'f');
    using watch = watching([path]);
    mkdirSync(at('a', 'b'), { recursive: true });
    writeFileSync(path, '1');
    expect(await watch.until(1)).toBe(1);
    rmSync(at('a'), { recursive: true });
    expect(await watch.until(2)).toBe(2);
    mkdirSync(at('a'));
    await quiet();
    mkdirSync(at('a', 'b'));
    await quiet();
    expect(watch.calls()).toBe(2);
    writeFileSync(path, '1');
    expect(await watch.until(3)).toBe(3);
  });

  it('ignores other files in the same directory, and a file that is unchanged', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    using watch = watching([at('f')]);
    writeFileSync(at('other'), 'a');
    await quiet();
    expect(watch.calls()).toBe(0);
  });

  it('reports many writes in a row once', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), '');
    using watch = watching([at('f')]);
    for (let n = 0; n < 10; n += 1) {
      writeFileSync(at('f'), 'x'.repeat(n + 1));
      await new Promise((resolve) => setImmediate(resolve)); // the event of each write is delivered
    }
    expect(await watch.until(1)).toBe(1);
    await quiet();
    expect(watch.calls()).toBe(1);
  });

  it('reads a file again that changed during the read, once', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    let size = 10;
    using watch = watching([at('f')], () => {
      size += 1;
      writeFileSync(at('f'), 'x'.repeat(size));
    });
    writeFileSync(at('f'), 'bb');
    expect(await watch.until(2)).toBe(2);
    await quiet();
    expect(watch.calls()).toBe(2);
  });

  it('reads a file again that was first queried and changed during the read', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    using watch = watching([at('f')], () => {
      watch.touched.add(at('new'));
      if (watch.calls() === 1) writeFileSync(at('new'), 'written after it was read');
    });
    writeFileSync(at('f'), 'bb');
    expect(await watch.until(2)).toBe(2);
    await quiet();
    expect(watch.calls()).toBe(2);
  });

  it('calls again at a later scan if the change could not be handled', async () => {
    using folder = makeFolder();
    writeFileSync(folder.at('f'), 'a');
    const answers = [false, true];
    using watch = watching([folder.at('f'), folder.at('g')], () => answers.shift() ?? true);
    await quiet();
    writeFileSync(folder.at('f'), 'bb');
    expect(await watch.until(1)).toBe(1);
    await quiet();
    // An event without a change.
    writeFileSync(folder.at('g'), '');
    rmSync(folder.at('g'));
    expect(await watch.until(2)).toBe(2);
    await quiet();
    writeFileSync(folder.at('g'), '');
    rmSync(folder.at('g'));
    await quiet();
    expect(watch.calls()).toBe(2);
  });

  it('watches paths that were first queried during the read', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    mkdirSync(at('later'));
    using watch = watching([at('f')], () => {
      watch.touched.add(at('later', 'g'));
    });
    writeFileSync(at('f'), 'bb');
    await watch.until(1);
    await quiet();
    writeFileSync(at('later', 'g'), 'a');
    expect(await watch.until(2)).toBe(2);
  });

  it('stops when it is disposed of', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    const watch = watching([at('f')]);
    writeFileSync(at('f'), 'bb');
    watch[Symbol.dispose]();
    await quiet();
    expect(watch.calls()).toBe(0);
  });
});

describe('recordingFiles', () => {
  it('records exactly the paths that could not be read temporarily', () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    mkdirSync(at('folder'));
    const busy = { kind: 'failed', message: 'cannot be read now', hint: '', isTemporary: true } as const;
    let isBusy = true;
    const files = recordingFiles({
      ...diskFiles,
      read: (path) => (isBusy ? busy : diskFiles.read(path)),
      list: (path) => (isBusy ? busy : diskFiles.list(path)),
    });
    files.read(at('f'));
    files.list(at('folder'));
    expect([...files.unread]).toEqual([at('f'), at('folder')]);
    isBusy = false;
    files.read(at('f'));
    files.read(at('folder')); // a directory is no temporary error
    expect([...files.unread]).toEqual([]);
  });

  it('records every queried path, whether it exists or not', () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    const files = recordingFiles(diskFiles);
    expect(files.read(at('f'))).toMatchObject({ kind: 'read', text: 'a' });
    files.read(at('absent'));
    files.list(at('folder'));
    files.exists(at('maybe'));
    files.realPath(at('link'));
    expect([...files.touched]).toEqual(['f', 'absent', 'folder', 'maybe', 'link'].map((name) => at(name)));
  });
});
