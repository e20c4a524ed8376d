import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configure, fixture, until } from '../client-over-stdio.js';
import { daemonHouse } from '../daemon-harness.js';

const CONNECTS = 10_000;
const AT_ONCE = 20;
/** What the first connections bring is there for good: code, buffers, pages that the heap keeps. */
const WARM_UP = 2_000;
const MAX_GROWTH_BYTES = 32 * 1024 * 1024;
const PAGE_BYTES = 4096;
const STEADY_LOOKS = 50;

/** The figure once it has not changed for a second: folders are watched and servers read only some time after the first client. */
async function settled(read: () => number): Promise<number> {
  const seen: number[] = [];
  return until(
    () => {
      seen.push(read());
      return seen.at(-1) ?? 0;
    },
    () => seen.length > STEADY_LOOKS && new Set(seen.slice(-STEADY_LOOKS)).size === 1,
  );
}

describe.skipIf(process.platform !== 'linux')('the daemon (where the system tells what a process holds)', () => {
  it(`G14: holds no more descriptors, and hardly more memory, after ${CONNECTS} connects`, async () => {
    await using house = daemonHouse();
    configure(house.machine, { one: fixture() });
    await house.run(['daemon', 'start']);
    const pid = await house.pid();
    const descriptors = () => readdirSync(`/proc/${pid}/fd`).length;
    const memory = () => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
    const visit = async (n: number) => {
      const { client, socket } = await house.direct();
      await client.initialize(`client ${n}`);
      if (n % 10 === 0) await client.request('tools/list');
      // Some say goodbye, some are just gone.
      if (n % 2 === 0) socket.destroy();
      else socket.end();
      await new Promise((resolve) => socket.once('close', resolve).resume());
    };
    const visits = async (from: number, to: number) => {
      let next = from;
      const worker = async () => {
        for (let n = next++; n < to; n = next++) await visit(n);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    };
    await visits(0, WARM_UP);
    const before = await settled(descriptors);
    const warm = memory();
    await visits(WARM_UP, CONNECTS);
    await until(descriptors, (now) => now <= before);
    expect(memory() - warm).toBeLessThan(MAX_GROWTH_BYTES);
    expect(JSON.parse((await house.run(['clients', '--json'])).stdout)).toEqual({ clients: [] });
  }, 240_000);
});
