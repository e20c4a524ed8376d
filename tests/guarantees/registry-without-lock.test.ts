import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writableDisk } from '../../src/base/index.js';
import { ServerRegistry, serverId } from '../../src/registry/index.js';
import { bundleInto, Worker } from '../fixtures/registry/start-worker.js';

const isSoak = process.env.PORTOLAN_SOAK === '1';
const ROUNDS = isSoak ? 2_000 : 40;
const BURST = 30;

const top = mkdtempSync(join(tmpdir(), 'portolan-r4-'));
let program = '';
beforeAll(async () => {
  program = await bundleInto(top);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const warn = (message: string) => expect.unreachable(message);
const viewed = (path: string): string[] => Object.keys(JSON.parse(readFileSync(path, 'utf8')).servers).toSorted();

describe.skipIf(process.platform === 'win32')('a registry without locks', () => {
  it('delays no process after another was killed while writing', { tags: 'R3' }, async () => {
    const path = join(top, 'r3', 'mcp_servers.json');
    await using registry = new ServerRegistry(path, { warn });
    const mine = serverId('mine', process.pid);
    const waits: number[] = [];
    for (let n = 0; n < ROUNDS / 2; n += 1) {
      await using worker = new Worker(program, path);
      const work = worker.tell({ burst: 1_000_000 });
      while (worker.steps < 3) await pause(2);
      await pause(Math.random() * 10);
      await worker.kill();
      await work;
      const before = performance.now();
      await registry.registerServer(mine, {});
      waits.push(performance.now() - before);
      expect((await registry.listServers()).map(({ id }) => id)).toEqual([mine]);
    }
    const sorted = waits.toSorted((a, b) => a - b);
    // A busy disk may delay one of them, but never longer than this.
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(1_000);
    expect(sorted.at(-1)).toBeLessThan(10 * 1_000);
  });

  it('keeps the writes of other processes while one is paused, in files and view', { tags: 'R4' }, async () => {
    const path = join(top, 'r4', 'mcp_servers.json');
    await using registry = new ServerRegistry(path, { warn });
    await using paused = new Worker(program, path);
    await using other = new Worker(program, path);
    const expected = () => [serverId('mine', process.pid), ...paused.held, ...other.held].toSorted();
    await paused.tell({ burst: 1 });
    for (let n = 0; n < ROUNDS; n += 1) {
      const steps = paused.steps;
      const work = paused.tell({ burst: BURST });
      while (paused.steps < steps + 2) await pause(1);
      await pause(Math.random() * 10);
      paused.child.kill('SIGSTOP');
      const id = serverId(`other${n}`, other.pid);
      await registry.registerServer(serverId('mine', process.pid), {});
      await other.tell({ register: id });
      if (n > 0) await other.tell({ unregister: serverId(`other${n - 1}`, other.pid) });
      expect((await registry.listServers()).map((server) => server.id)).toContain(id);
      expect(viewed(path)).toContain(id);
      paused.child.kill('SIGCONT');
      expect((await work)?.warnings).toEqual([]);
      expect((await registry.listServers()).map((server) => server.id)).toEqual(expected());
      expect(viewed(path)).toEqual(expected());
    }
  });

  it('does not replace a newer view with an older one after a pause before the last step', {
    tags: 'R4',
  }, async () => {
    const path = join(top, 'r4-step', 'mcp_servers.json');
    await using worker = new Worker(program, path);
    let isPaused = false;
    const disk = {
      ...writableDisk,
      rename: async (from: string, to: string) => {
        if (to === path && !isPaused) {
          isPaused = true;
          await worker.tell({ register: 'theirs_1' });
          expect(viewed(path)).toEqual(['mine_1', 'theirs_1']);
        }
        await writableDisk.rename(from, to);
      },
    };
    await using registry = new ServerRegistry(path, { warn, disk });
    await registry.registerServer('mine_1', {});
    expect([isPaused, viewed(path)]).toEqual([true, ['mine_1', 'theirs_1']]);
  });

  it('has a correct view in the end, whichever process wrote last', { tags: 'R4' }, async () => {
    const path = join(top, 'r4-view', 'mcp_servers.json');
    const registry = new ServerRegistry(path, { warn });
    const workers = Array.from({ length: 4 }, () => new Worker(program, path));
    try {
      for (let n = 0; n < ROUNDS / 2; n += 1) {
        await Promise.all(workers.map((worker) => worker.tell({ burst: 5 })));
        const expected = workers.flatMap(({ held }) => held).toSorted();
        expect([viewed(path), (await registry.listServers()).map(({ id }) => id)]).toEqual([expected, expected]);
      }
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
    }
  });
});
