import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { entryOf, identityOf, type ProcessEntry, type ProcessIdentity, writableDisk } from '../../src/base/index.js';
import { writeEntry } from '../../src/registry/entry-files.js';
import { type RegisteredServer, ServerRegistry, serverId } from '../../src/registry/index.js';
import { placeOf } from '../../src/registry/private-folder.js';
import { livenessOf } from '../../src/registry/process-liveness.js';
import { bundleInto, Worker } from '../fixtures/registry/start-worker.js';

const top = mkdtempSync(join(tmpdir(), 'portolan-r5-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const NOBODY = 65_534;
const DAY_MS = 24 * 60 * 60 * 1000;
const isRoot = process.getuid?.() === 0;
const warn = (message: string) => expect.unreachable(message);
const ids = (servers: readonly RegisteredServer[]): string[] => servers.map(({ id }) => id);

function mine(): ProcessIdentity {
  return identityOf(process.pid) ?? expect.unreachable('we have an identity');
}

describe('the verdict on a process', { tags: 'R5' }, () => {
  const boot = 'b00t pid:[1]';
  const running: ProcessEntry = { pid: 7, parent: 1, group: 7, session: 7, start: '100', isDead: false };
  it.each([
    { title: 'the same process', is: 'alive' },
    { title: 'a pid that another one has by now', entry: { ...running, start: '101' }, is: 'dead' },
    { title: 'a zombie', entry: { ...running, isDead: true }, is: 'dead' },
    { title: 'nobody', entry: undefined, isTaken: false, is: 'dead' },
    { title: "another user's, hidden from us (EPERM)", entry: undefined, isTaken: true, is: 'alive' },
    { title: 'another boot', boot: 'oth3r pid:[1]', is: 'dead' },
    { title: 'another container of this boot', boot: 'b00t pid:[2]', is: 'elsewhere' },
    { title: 'a boot that cannot be read', boot: '', is: 'alive' },
    { title: 'a start that nobody could tell', start: '', is: 'alive' },
  ])('is right about $title', ({ is, ...written }) => {
    const entry = 'entry' in written ? written.entry : running;
    const look = { boot, entry: () => entry, isTaken: () => written.isTaken ?? true };
    expect(livenessOf({ boot: written.boot ?? boot, pid: 7, start: written.start ?? '100' }, look)).toBe(is);
  });
});

describe.skipIf(process.platform === 'win32')('the verdict on real processes', () => {
  /** An entry such as a server with this identity would have left. */
  async function leave(path: string, id: string, identity: ProcessIdentity): Promise<void> {
    const registry = new ServerRegistry(path, { warn });
    await registry.registerServer('made_1', {});
    const [{ id: _, liveness: __, ...server } = expect.unreachable('nothing announced')] = await registry.listServers();
    await registry.unregisterServer('made_1');
    const entry = { ...server, pid: identity.pid, start_identity: identity };
    await writeEntry(placeOf(path), { id, writer: identity, server: entry }, writableDisk);
  }

  it.each([
    { title: 'a reused pid', change: (own: ProcessIdentity) => ({ ...own, start: `${Number(own.start) - 1}` }) },
    { title: 'another boot', change: (own: ProcessIdentity) => ({ ...own, boot: `x${own.boot}` }) },
  ])('leaves out $title without writing, and the next writer removes it', { tags: 'R5' }, async ({ title, change }) => {
    const path = join(top, title, 'mcp_servers.json');
    const folder = join(top, title, 'servers.d');
    await leave(path, 'old_1', change(mine()));
    const registry = new ServerRegistry(path, { warn });
    const before = readdirSync(folder);
    expect([await registry.listServers(), readdirSync(folder)]).toEqual([[], before]);
    expect(before).toHaveLength(1);
    await registry.registerServer('new_1', {});
    expect(ids(await registry.listServers())).toEqual(['new_1']);
    expect(readdirSync(folder)).toHaveLength(1);
    await registry.unregisterServer('new_1');
  });

  it('keeps an id that is taken again while somebody removes what its dead owner left', { tags: 'R1' }, async () => {
    const path = join(top, 'taken', 'mcp_servers.json');
    await using worker = new Worker(await bundleInto(top), path);
    await leave(path, 'twice_1', { ...mine(), start: '1' });
    const removed: string[] = [];
    const disk = {
      ...writableDisk,
      remove: async (name: string) => {
        removed.push(name);
        if (removed.length === 1) await worker.tell({ register: 'twice_1' });
        await writableDisk.remove(name).catch(() => undefined); // the worker has cleaned up as well
      },
    };
    await using registry = new ServerRegistry(path, { warn, disk });
    await registry.registerServer('cleaner_1', {});
    expect(removed).toEqual([expect.stringContaining('twice_1')]);
    expect((await registry.listServers()).map(({ id, pid }) => ({ id, pid }))).toEqual([
      { id: 'cleaner_1', pid: process.pid },
      { id: 'twice_1', pid: worker.pid },
    ]);
  });

  it('takes a zombie for dead', { tags: 'R5' }, async () => {
    const path = join(top, 'zombie', 'mcp_servers.json');
    await using registry = new ServerRegistry(path, { warn });
    // The shell becomes a program that never asks how its child ended.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [text] = await once(parent.stdout, 'data');
    const pid = Number(text);
    await registry.registerServer(serverId('z', pid), { pid });
    expect(ids(await registry.listServers())).toEqual([serverId('z', pid)]);
    const deadline = performance.now() + 20_000;
    while (entryOf(pid)?.isDead === false && performance.now() < deadline)
      await new Promise((go) => setTimeout(go, 20));
    expect([entryOf(pid)?.isDead, await registry.listServers()]).toEqual([true, []]);
    parent.kill('SIGKILL');
  });

  /** A process that has ended and was fetched: its number is free, for now. */
  async function freePid(): Promise<number> {
    const child = spawn('true', { stdio: 'ignore' });
    await once(child, 'exit');
    return child.pid ?? 0;
  }

  // Only root can be somebody else.
  it.skipIf(!isRoot)(
    'takes a number for taken that it may not signal (EPERM), and a free one for free (skipped without root)',
    { tags: 'R5' },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'portolan-r5-taken-'));
      try {
        chmodSync(folder, 0o755);
        const nobody = { uid: NOBODY, gid: NOBODY };
        await using worker = new Worker(await bundleInto(folder), join(folder, 'mcp_servers.json'), nobody);
        const [own, free] = [worker.pid, await freePid()];
        expect(await worker.tell({ taken: [process.pid, own, free, 0, -1] })).toMatchObject({
          taken: [process.pid, own],
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  it("takes another user's process for alive", { tags: 'R5' }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-r5-other-'));
    try {
      const program = await bundleInto(folder);
      mkdirSync(join(folder, 'project'));
      for (const path of [folder, program, join(folder, 'project')]) {
        if (isRoot) chownSync(path, NOBODY, NOBODY);
        chmodSync(path, 0o755);
      }
      // For root no process is another's: there, somebody else looks at ours.
      const path = join(folder, 'project', '.portolan', 'mcp_servers.json');
      await using worker = new Worker(program, path, isRoot ? { uid: NOBODY, gid: NOBODY } : {});
      const pid = isRoot ? process.pid : 1;
      expect(await worker.tell({ register: 'root_1', pid, list: true })).toEqual({
        held: ['root_1'],
        listed: ['root_1'],
        warnings: [],
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('removes no live entry when the clock jumps a day either way, be it that of a writer, a cleaner or the files', {
    tags: 'R7',
  }, async () => {
    const path = join(top, 'clock', 'mcp_servers.json');
    const folder = join(top, 'clock', 'servers.d');
    const jumped = { now: Date.now() };
    const clocks = { now: () => jumped.now, uptime: () => 1_000 };
    await using registry = new ServerRegistry(path, { warn, clocks, heartbeatMs: 20 });
    await using other = new ServerRegistry(path, { warn, clocks });
    await registry.registerServer('steady_1', {});
    for (const days of [1, -2, 2, -1]) {
      jumped.now += days * DAY_MS;
      for (const name of readdirSync(folder)) {
        const time = new Date(Date.now() + days * DAY_MS);
        if (name.endsWith('.json')) utimesSync(join(folder, name), time, time);
      }
      await other.registerServer(`jumping_${jumped.now}`, {});
      await new Promise((go) => setTimeout(go, 60));
      await other.unregisterServer(`jumping_${jumped.now}`);
      expect(ids(await registry.listServers())).toEqual(['steady_1']);
    }
    const heartbeat = new Date(jumped.now).toISOString();
    await registry.registerServer('steady_1', {});
    expect(await registry.listServers()).toMatchObject([{ id: 'steady_1', heartbeat }]);
  });
});
