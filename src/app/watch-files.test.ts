import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskFiles, silentLog } from '../base/index.js';
import { recordingFiles, watchPaths } from './watch-files.js';

const DEBOUNCE_MS = 150;
/** What has not been called by then is not called: the debounce twice, with time for a busy machine. */
const QUIET_MS = 500;
const LIMIT_MS = 10_000;
/** Real time with a short debounce; the sweep, which would also find a change, keeps its half minute. */
const briefClock = {
  now: () => performance.now(),
  after: (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms > 1_000 ? ms : Math.min(ms, DEBOUNCE_MS));
    return () => clearTimeout(timer);
  },
};

/** A folder of its own for each test: they run side by side, because all of them mostly wait. */
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
  const watch = watchPaths({
    touched,
    listed: new Map(),
    unread,
    changed: async () => {
      calls += 1;
      return (await onChange()) !== false;
    },
    log: silentLog,
    clock: briefClock,
  });
  return {
    touched,
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
  it('calls until all is read, though nobody writes', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    const unread = new Set([at('f')]);
    let isTried = false;
    using watch = watching([at('f')], () => isTried, unread);
    expect(await watch.until(1)).toBe(1);
    expect([...unread]).toEqual([at('f')]);
    isTried = true;
    writeFileSync(at('f'), 'bb'); // a look that does not wait for the next sweep
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
    { title: 'a file that is made', before: () => undefined, change: (at: At) => writeFileSync(at('f'), 'a') },
    {
      title: 'a file that is taken away',
      before: (at: At) => writeFileSync(at('f'), 'a'),
      change: (at: At) => rmSync(at('f')),
    },
    {
      title: 'a file that another takes the place of, with the same size',
      before: (at: At) => {
        writeFileSync(at('f'), 'a');
        writeFileSync(at('g'), 'b');
        const then = new Date(2020, 0, 1);
        for (const name of ['f', 'g']) utimesSync(at(name), then, then);
      },
      change: (at: At) => renameSync(at('g'), at('f')),
    },
  ])('tells of $title, once', async ({ before, change }) => {
    using folder = makeFolder();
    const { at } = folder;
    before(at);
    using watch = watching([at('f')]);
    change(at);
    expect(await watch.until(1)).toBe(1);
    await quiet();
    expect(watch.calls()).toBe(1);
  });

  it('tells of a file whose folders came with it, at once or one after the other', async () => {
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

  it('says nothing of other files in the same folder, nor of a file that is as it was', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    using watch = watching([at('f')]);
    writeFileSync(at('other'), 'a');
    await quiet();
    expect(watch.calls()).toBe(0);
  });

  it('takes many writes in a row for one', async () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), '');
    using watch = watching([at('f')]);
    for (let n = 0; n < 10; n += 1) {
      writeFileSync(at('f'), 'x'.repeat(n + 1));
      await new Promise((resolve) => setImmediate(resolve)); // the notice of each write is delivered
    }
    expect(await watch.until(1)).toBe(1);
    await quiet();
    expect(watch.calls()).toBe(1);
  });

  it('looks again at what was written while it was being read, and no more than once', async () => {
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

  it('looks again at a file that came up only when it was read, and was written then', async () => {
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

  it('calls again at a later look where what changed could not be taken in', async () => {
    using folder = makeFolder();
    writeFileSync(folder.at('f'), 'a');
    const answers = [false, true];
    using watch = watching([folder.at('f'), folder.at('g')], () => answers.shift() ?? true);
    await quiet();
    writeFileSync(folder.at('f'), 'bb');
    expect(await watch.until(1)).toBe(1);
    await quiet();
    // Something happens that changes nothing by itself.
    writeFileSync(folder.at('g'), '');
    rmSync(folder.at('g'));
    expect(await watch.until(2)).toBe(2);
    await quiet();
    writeFileSync(folder.at('g'), '');
    rmSync(folder.at('g'));
    await quiet();
    expect(watch.calls()).toBe(2);
  });

  it('watches paths that came up only when it was read', async () => {
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

  it('is over when it is disposed of', async () => {
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
  it('knows those that could not be read for a moment, and only those', () => {
    using folder = makeFolder();
    const { at } = folder;
    writeFileSync(at('f'), 'a');
    mkdirSync(at('folder'));
    const busy = { kind: 'failed', message: 'cannot be read now', hint: '', mayPass: true } as const;
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
    files.read(at('folder')); // what it is does not pass
    expect([...files.unread]).toEqual([]);
  });

  it('knows every path that was asked for, whether it was there or not', () => {
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
