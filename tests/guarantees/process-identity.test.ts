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
  return identityOf(process.pid) ?? expect.unreachable('this process has no identity');
}

describe('the liveness of a process', { tags: 'R5' }, () => {
  const boot = 'b00t pid:[1]';
  const running: ProcessEntry = { pid: 7, parent: 1, group: 7, session: 7, start: '100', isDead: false };
  it.each([
    { title: 'the same process', is: 'alive' },
    { title: 'a reused pid', entry: { ...running, start: '101' }, is: 'dead' },
    { title: 'a zombie', entry: { ...running, isDead: true }, is: 'dead' },
    { title: 'a pid without a process', entry: undefined, isTaken: false, is: 'dead' },
    { title: 'a hidden process of another user (EPERM)', entry: undefined, isTaken: true, is: 'alive' },
    { title: 'another boot', boot: 'oth3r pid:[1]', is: 'dead' },
    { title: 'another container of this boot', boot: 'b00t pid:[2]', is: 'elsewhere' },
    { title: 'a boot that cannot be read', boot: '', is: 'alive' },
    { title: 'an unknown start time', start: '', is: 'alive' },
  ])('is correct for $title', ({ is, ...written }) => {
    const entry = 'entry' in written ? written.entry : running;
    const look = { boot, entry: () => entry, isTaken: () => written.isTaken ?? true };
    expect(livenessOf({ boot: written.boot ?? boot, pid: 7, start: written.start ?? '100' }, look)).toBe(is);
  });
});

describe.skipIf(process.platform === 'win32')('the liveness of real processes', () => {
  /** Writes the entry that a server with this identity would have left. */
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
  ])(
    'omits an entry with $title from the list, and the next writer removes it',
    { tags: 'R5' },
    async ({ title, change }) => {
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
    },
  );

  it('keeps an id that is registered again while the entry of its dead owner is removed', { tags: 'R1' }, async () => {
    const path = join(top, 'taken', 'mcp_servers.json');
    await using worker = new Worker(await bundleInto(top), path);
    await leave(path, 'twice_1', { ...mine(), start: '1' });
    const removed: string[] = [];
    const disk = {
      ...writableDisk,
      remove: async (name: string) => {
        removed.push(name);
        if (removed.length === 1) await worker.tell({ register: 'twice_1' });
        await writableDisk.remove(name).catch(() => undefined); // the worker may have removed it already
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

  it('treats a zombie as dead', { tags: 'R5' }, async () => {
    const path = join(top, 'zombie', 'mcp_servers.json');
    await using registry = new ServerRegistry(path, { warn });
    // The shell is replaced by a program that never waits for its child.
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

  /** The pid of a process that has ended and was reaped. */
  async function freePid(): Promise<number> {
    const child = spawn('true', { stdio: 'ignore' });
    await once(child, 'exit');
    return child.pid ?? 0;
  }

  // Only root can change its user.
  it.skipIf(!isRoot)(
    'treats a pid as used if signalling it fails with EPERM, and an unused pid as free (skipped without root)',
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

  it("treats another user's process as alive", { tags: 'R5' }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-r5-other-'));
    try {
      const program = await bundleInto(folder);
      mkdirSync(join(folder, 'project'));
      for (const path of [folder, program, join(folder, 'project')]) {
        if (isRoot) chownSync(path, NOBODY, NOBODY);
        chmodSync(path, 0o755);
      }
      // Root may signal every process, so as root another user checks our process.
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

  it('removes no live entry if the clock of a writer, a cleaner or the files jumps by a day', {
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
