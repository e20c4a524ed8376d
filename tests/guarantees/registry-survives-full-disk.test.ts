import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerRegistry } from '../../src/registry/index.js';
import { failingDisk } from '../fakes/failing-disk.js';
import { bundleInto, Worker } from '../fixtures/registry/start-worker.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const top = mkdtempSync(join(tmpdir(), 'portolan-r6-'));
let program = '';
beforeAll(async () => {
  chmodSync(top, 0o755);
  program = await bundleInto(top);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const unexpected = (message: string) => expect.unreachable(message);

/** A directory for the user that writes: root can write to read-only directories. */
function project(name: string): { folder: string; path: string } {
  const folder = join(top, name);
  mkdirSync(folder);
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  return { folder, path: join(folder, '.portolan', 'mcp_servers.json') };
}
const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', top], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('a disk that fails', { tags: 'R6' }, () => {
  it.each(['ENOSPC', 'EROFS', 'EMFILE', 'EIO'])(
    'keeps the old registry intact and causes a warning, whichever operation fails with %s',
    async (code) => {
      for (let n = 1; ; n += 1) {
        const folder = join(top, `${code}-${n}`);
        const path = join(folder, 'mcp_servers.json');
        await using good = new ServerRegistry(path, { warn: unexpected });
        await good.registerServer('old_1', {});
        const before = readFileSync(path, 'utf8');
        const disk = failingDisk(n, code);
        const warnings: string[] = [];
        const failing = new ServerRegistry(path, { disk, warn: (message) => void warnings.push(message) });
        await failing.registerServer('new_1', {});
        const listed = (await good.listServers()).map(({ id }) => id);
        const view = JSON.parse(readFileSync(path, 'utf8')).servers;
        await good.unregisterServer('new_1');
        if (disk.done().length < n) {
          expect({ warnings, listed, view: Object.keys(view) }).toEqual({
            warnings: [],
            listed: ['new_1', 'old_1'],
            view: ['new_1', 'old_1'],
          });
          break; // every operation has failed once
        }
        expect(warnings).toEqual([expect.stringContaining(code)]);
        expect(listed).toContain('old_1');
        expect(view).toMatchObject({ old_1: JSON.parse(before).servers.old_1 });
        expect(readdirSync(join(folder, 'servers.d'))).toEqual([expect.stringMatching(/^old_1\./)]);
      }
    },
  );

  it('does not stop the server if a directory is read-only', async () => {
    const { folder, path } = project('read-only');
    await using worker = new Worker(program, path, { ...asNobody, heartbeatMs: 200 });
    await worker.tell({ register: 'old_1' });
    const before = readFileSync(path, 'utf8');
    for (const name of ['.portolan', '.portolan/servers.d']) chmodSync(join(folder, name), 0o500);
    expect(await worker.tell({ register: 'new_1', list: true })).toMatchObject({
      listed: ['old_1'],
      warnings: [expect.stringContaining('EACCES')],
    });
    expect(await worker.tell({ unregister: 'old_1', list: true })).toMatchObject({
      listed: ['old_1'],
      warnings: [expect.stringContaining('EACCES')],
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
    for (const name of ['.portolan', '.portolan/servers.d']) chmodSync(join(folder, name), 0o700);
    // The failed announcement and the failed withdrawal are both repeated.
    const inView = () => Object.keys(JSON.parse(readFileSync(path, 'utf8')).servers);
    await expect
      .poll(async () => [(await worker.tell({ list: true }))?.listed, inView()], { timeout: 20_000 })
      .toEqual([['new_1'], ['new_1']]);
  });

  it('writes no view without a server whose file is unreadable at the moment', async () => {
    const { folder, path } = project('unreadable');
    await using worker = new Worker(program, path, asNobody);
    await worker.tell({ register: 'old_1' });
    const [name = ''] = readdirSync(join(folder, '.portolan', 'servers.d'));
    chmodSync(join(folder, '.portolan', 'servers.d', name), 0);
    const report = await worker.tell({ register: 'new_1' });
    expect(report?.warnings).toEqual([expect.stringContaining('EACCES')]);
    expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).servers)).toEqual(['old_1']);
    chmodSync(join(folder, '.portolan', 'servers.d', name), 0o600);
    await worker.tell({ register: 'new_1' });
    expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).servers)).toEqual(['new_1', 'old_1']);
  });

  it('does not stop the server without free file descriptors', async () => {
    const { path } = project('emfile');
    const under = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'];
    await using worker = new Worker(program, path, { ...asNobody, under });
    await worker.tell({ register: 'old_1' });
    const before = readFileSync(path, 'utf8');
    const report = await worker.tell({ exhausted: true, register: 'new_1' });
    expect(report?.warnings).toEqual([expect.stringMatching(/could not be written/)]);
    const listing = await worker.tell({ list: true });
    expect(listing?.warnings).toEqual([expect.stringContaining('EMFILE')]);
    await worker.tell({ unregister: 'old_1' });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(await worker.tell({ exhausted: false, register: 'new_1', list: true })).toMatchObject({
      listed: ['new_1', 'old_1'],
      warnings: [],
    });
  });

  it.skipIf(!canMount())('keeps the registry on a full file system (skipped without the right to mount)', async () => {
    const folder = join(top, 'full');
    mkdirSync(folder);
    const under = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o size=96k,mode=700 none "$0" && exec "$@"', folder];
    await using worker = new Worker(program, join(folder, '.portolan', 'mcp_servers.json'), { under });
    const good: string[] = [];
    const warnings: string[] = [];
    for (let n = 10; n < 60; n += 1) {
      const id = `server_${n}`;
      const report = await worker.tell({ register: id });
      warnings.push(...(report?.warnings ?? []));
      if (warnings.length === 0) good.push(id);
    }
    const listed = (await worker.tell({ list: true }))?.listed ?? [];
    expect(good.length).toBeGreaterThan(3);
    expect(listed.slice(0, good.length)).toEqual(good);
    expect(warnings[0]).toContain('ENOSPC');
    for (const id of good.slice(0, 5)) await worker.tell({ unregister: id });
    expect(await worker.tell({ register: 'server_10', list: true })).toMatchObject({
      warnings: [],
      listed: expect.arrayContaining(['server_10']),
    });
  });
});
