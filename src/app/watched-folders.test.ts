import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../tests/fakes/manual-clock.js';
import { diskFiles, silentLog } from '../base/index.js';
import { recordingFiles, watchPaths } from './watch-files.js';
import { WatchedFolders } from './watched-folders.js';

/** A change is read within this time. */
const SOON_MS = 1_000;

/** A watch over the JSON files in some directories, with a manual clock. Each change lists them again. */
function watching(...folders: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), 'portolan-folders-'));
  const at = (name: string) => join(root, name);
  const write = (name: string, text = '{}') => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const files = recordingFiles(diskFiles);
  const clock = manualClock();
  let calls = 0;
  const scans: { readonly enough: number; readonly resolve: () => void }[] = [];
  const scan = () => {
    for (const folder of folders) {
      const reading = files.list(at(folder), '*.json');
      if (reading.kind !== 'read') continue;
      for (const { name } of reading.names) if (name.endsWith('.json')) files.read(join(at(folder), name));
    }
  };
  const start = () => {
    scan();
    const watch = watchPaths({
      ...files,
      clock,
      log: silentLog,
      changed: async () => {
        scan();
        calls += 1;
        for (const { enough, resolve } of scans) if (calls >= enough) resolve();
        return true;
      },
    });
    clock.advance(SOON_MS); // the first scan, which starts to watch
    return watch;
  };
  return {
    at,
    write,
    clock,
    start,
    calls: () => calls,
    /** Waits for an event of the system, then for the scan that follows within a second. */
    scanned: async () => {
      const done = new Promise<void>((resolve) => scans.push({ enough: calls + 1, resolve }));
      await clock.due(SOON_MS);
      clock.advance(SOON_MS);
      await done;
      await new Promise((resolve) => setImmediate(resolve)); // the scan has ended
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

describe.concurrent('a directory that was listed', () => {
  it.each([
    { title: 'is empty', before: [] },
    { title: 'has a file already', before: ['servers/old.json'] },
  ])('is read within a second when a file appears or disappears, if it $title', async ({ before }) => {
    using here = watching('servers');
    mkdirSync(here.at('servers'));
    for (const name of before) here.write(name);
    using _watch = here.start();
    here.write('servers/new.json');
    await here.scanned();
    here.write('servers/new.json', '{"changed": true}');
    await here.scanned();
    rmSync(here.at('servers/new.json'));
    await here.scanned();
    expect(here.calls()).toBe(3);
  });

  it.each([
    { title: 'renamed into it', come: 'rename' },
    { title: 'linked into it', come: 'link' },
  ] as const)('is read within a second when a file is $title', async ({ come }) => {
    using here = watching('servers');
    mkdirSync(here.at('servers'));
    here.write('elsewhere.json');
    using _watch = here.start();
    if (come === 'link') symlinkSync(here.at('elsewhere.json'), here.at('servers/new.json'));
    else renameSync(here.at('elsewhere.json'), here.at('servers/new.json'));
    await here.scanned();
  });

  it('is read within a second after it is created, alone or with its parents and files', async () => {
    using here = watching('a/b/servers');
    using _watch = here.start();
    here.write('a/b/servers/one.json');
    await here.scanned();
    here.write('a/b/servers/two.json');
    await here.scanned();
    rmSync(here.at('a'), { recursive: true });
    await here.scanned();
    mkdirSync(here.at('a/b'), { recursive: true });
    await here.clock.due(SOON_MS); // the parents appeared, which is no change yet
    here.clock.advance(SOON_MS);
    mkdirSync(here.at('a/b/servers'));
    await here.scanned();
    here.write('a/b/servers/three.json');
    await here.scanned();
    expect(here.calls()).toBe(5);
  });

  it('is watched again when another directory replaced it before a scan', async () => {
    using here = watching('servers');
    here.write('servers/old.json');
    using _watch = here.start();
    rmSync(here.at('servers'), { recursive: true });
    here.write('servers/old.json');
    await here.scanned();
    here.write('servers/new.json');
    await here.scanned();
  });

  it('ignores irrelevant names, and changes of files that were not read', async () => {
    using here = watching();
    here.write('servers/notes.txt');
    here.write('servers/old.json');
    const happened: string[] = [];
    const seen = await new Promise<readonly string[]>((resolve) => {
      const folders = new WatchedFolders(silentLog, (path) => {
        happened.push(path);
        // Events arrive in order, so the others have been delivered when this one is.
        if (path !== here.at('servers/new.json')) return;
        folders[Symbol.dispose]();
        resolve(happened);
      });
      folders.watch(new Set(), new Map([[here.at('servers'), new Set(['*.json'])]]));
      here.write('servers/notes.txt', 'more');
      here.write('servers/old.json', 'more');
      here.write('servers/other.txt');
      rmSync(here.at('servers/other.txt'));
      here.write('servers/new.json');
    });
    expect(seen).toEqual([here.at('servers/new.json')]);
  });

  it('is read within a second even while files appear continuously', async () => {
    using here = watching('servers');
    mkdirSync(here.at('servers'));
    using _watch = here.start();
    const began = here.clock.now();
    for (let n = 0; here.calls() === 0; n += 1) {
      here.write(`servers/${n}.json`);
      await here.clock.due(SOON_MS);
      here.clock.advance(100);
    }
    expect(here.clock.now() - began).toBeLessThanOrEqual(SOON_MS);
  });

  it('is read within a second even as one of hundreds, and a scan takes little time', async () => {
    const names = Array.from({ length: 400 }, (_, n) => `many/${n}`);
    using here = watching(...names);
    for (const name of names) mkdirSync(here.at(name), { recursive: true });
    const began = process.cpuUsage();
    using _watch = here.start();
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(500);
    for (const name of [names[0], names[200], names.at(-1)]) {
      here.write(`${name}/new.json`);
      await here.scanned();
    }
  });
});
