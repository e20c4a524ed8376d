import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { ServerRegistry, serverId } from '../../src/registry/index.js';
import { bundleInto, Worker } from '../fixtures/registry/start-worker.js';

const isSoak = process.env.PORTOLAN_SOAK === '1';
const OPERATIONS = isSoak ? 1_000_000 : 20_000;
const KILLS = isSoak ? 10_000 : 100;
const WORKERS = 4;
/** Operations of each worker between two counts. */
const BURST = 130;
const TORN_BURST = isSoak ? 50_000 : 500;
const KILLED_PER_ROUND = 2;
/** Every fourth round kills one more worker after all others have ended. */
const LATE_KILL_ROUNDS = 4;
const READ_AGAIN_MS = 25;

/** In memory, because a busy disk slows the run and kill -9 does not affect the disk. A soak uses the disk. */
const place = !isSoak && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const top = mkdtempSync(join(place, 'portolan-r1-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const warn = (message: string) => expect.unreachable(message);

/** The ids in the view. Throws if its JSON is incomplete. */
function viewed(path: string): string[] {
  return Object.keys(JSON.parse(readFileSync(path, 'utf8')).servers).toSorted();
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // removed in the meantime
  }
}

function isWhole(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

const without = (ids: readonly string[], others: readonly string[]): string[] =>
  ids.filter((id) => !others.includes(id));

describe.skipIf(process.platform === 'win32')('a registry whose writers are killed', () => {
  it(`loses no entry of a live server, restores no removed one and never has incomplete JSON in ${OPERATIONS} operations with ${KILLS} kills`, {
    tags: 'R1',
    timeout: isSoak ? 7_200_000 : 300_000,
  }, async () => {
    const program = await bundleInto(top);
    const path = join(top, '.portolan', 'mcp_servers.json');
    await using registry = new ServerRegistry(path, { warn });
    const bystander = serverId('bystander', process.pid);
    await registry.registerServer(bystander, {});
    const sums = { operations: 0, kills: 0, reads: 0, lost: 0, resurrected: 0, torn: 0, stale: 0, left: 0 };

    /** Reads the registry repeatedly while workers write and are killed. */
    const readWhile = async (isOver: () => boolean) => {
      while (!isOver()) {
        sums.reads += 1;
        try {
          if (!viewed(path).includes(bystander)) sums.lost += 1;
        } catch {
          sums.torn += 1;
        }
        if (!(await registry.listServers()).some(({ id }) => id === bystander)) sums.lost += 1;
        await pause(READ_AGAIN_MS);
      }
    };

    let workers = Array.from({ length: WORKERS }, () => new Worker(program, path));
    let roundMs = 500;
    let rounds = 0;
    try {
      while (sums.operations < OPERATIONS || sums.kills < KILLS) {
        const before = performance.now();
        let isOver = false;
        const reading = readWhile(() => isOver);
        const doomed = workers.slice(0, KILLED_PER_ROUND);
        const work = workers.map((worker) => worker.tell({ burst: BURST }));
        const kills = doomed.map((worker) => pause(Math.random() * roundMs).then(() => worker.kill()));
        const warnings = (await Promise.all(work)).flatMap((report) => report?.warnings ?? []);
        roundMs = performance.now() - before;
        await Promise.all(kills);
        const late = rounds % LATE_KILL_ROUNDS === 0 ? workers.slice(-1) : [];
        for (const worker of late) await worker.kill();
        rounds += 1;
        isOver = true;
        await reading;
        expect(warnings).toEqual([]);

        sums.operations += workers.reduce((sum, worker) => sum + worker.steps, 0);
        sums.kills += doomed.length;
        for (const worker of workers) worker.steps = 0;
        const expected = [bystander, ...workers.flatMap(({ held }) => held)].toSorted();
        const listed = (await registry.listServers()).map(({ id }) => id);
        sums.lost += without(expected, listed).length;
        sums.resurrected += without(listed, expected).length;
        // The next writer cleans up: the view is correct and has no entry of a dead process.
        await registry.registerServer(bystander, {});
        const view = viewed(path);
        sums.stale += without(view, expected).length + without(expected, view).length;
        sums.left += readdirSync(join(top, '.portolan', 'servers.d')).length - expected.length;
        const gone = [...doomed, ...late];
        workers = [...workers.filter((worker) => !gone.includes(worker)), ...gone.map(() => new Worker(program, path))];
      }
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
    }
    expect(sums).toMatchObject({ lost: 0, resurrected: 0, torn: 0, stale: 0, left: 0 });
    expect([sums.operations >= OPERATIONS, sums.kills >= KILLS, sums.reads > KILLS]).toEqual([true, true, true]);
    if (process.env.PORTOLAN_SHOW) process.stderr.write(`${JSON.stringify(sums)}\n`);
  });

  it('never has incomplete JSON for a reader that does not write', { tags: 'R2' }, async () => {
    const path = join(top, 'r2', 'mcp_servers.json');
    const folder = join(top, 'r2', 'servers.d');
    const program = await bundleInto(top);
    const workers = Array.from({ length: 2 }, () => new Worker(program, path));
    try {
      await workers[0]?.tell({ burst: 1 });
      let isOver = false;
      const work = Promise.all(workers.map((worker) => worker.tell({ burst: TORN_BURST }))).finally(() => {
        isOver = true;
      });
      const sums = { reads: 0, torn: 0 };
      while (!isOver) {
        for (let n = 0; n < 100; n += 1) {
          const names = n % 10 === 0 ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
          for (const file of [path, ...names.map((name) => join(folder, name))]) {
            const text = readIfThere(file);
            sums.reads += 1;
            if (text !== undefined && !isWhole(text)) sums.torn += 1;
          }
        }
        await pause(0);
      }
      await work;
      expect(sums).toEqual({ reads: expect.any(Number), torn: 0 });
      expect(sums.reads).toBeGreaterThan(1_000);
      if (process.env.PORTOLAN_SHOW) process.stderr.write(`${JSON.stringify(sums)}\n`);
    } finally {
      await Promise.all(workers.map((worker) => worker.kill()));
    }
  });
});
