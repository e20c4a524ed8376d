import { describe, expect, it } from 'vitest';
import { configure, fixture, until } from '../client-over-stdio.js';
import { daemonHouse } from '../daemon-harness.js';
import type { LineClient } from '../gateway-harness.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const CLIENTS = IS_SOAK ? 2_000 : 1_000;
const SERVERS = IS_SOAK ? 200 : 50;
/** A tenth of them crashes each minute; in the small run all of that minute's crashes come in its few seconds. */
const MINUTES = IS_SOAK ? 60 : 1;
const CRASHES = Math.ceil(SERVERS / 10) * MINUTES;
const LEAST_MS = IS_SOAK ? MINUTES * 60_000 : 5_000;
const SETTINGS = {
  limits: { inFlightPerServer: 1_000, queue: 10_000 },
  timeouts: { startMs: 120_000, callMs: 120_000 },
};

describe('the daemon', () => {
  it(
    `G1: answers every call of ${CLIENTS} clients to healthy servers while others of ${SERVERS} crash`,
    async () => {
      await using house = daemonHouse();
      const names = Array.from({ length: SERVERS }, (_, n) => `s${n}`);
      // Each a launch of its own, so that none is shared by mistake.
      configure(house.machine, Object.fromEntries(names.map((name) => [name, fixture([name])])), SETTINGS);
      await house.run(['daemon', 'start']);
      const clients: LineClient[] = [];
      const sockets: { destroy(): void }[] = [];
      for (let n = 0; n < CLIENTS; n += 1) {
        const { client, socket } = await house.direct();
        clients.push(client);
        sockets.push(socket);
        await client.initialize(`client ${n}`);
      }
      // The last tenth of the servers are the ones that crash; calls go to the others.
      const isFragile = (at: number) => at >= SERVERS - Math.ceil(SERVERS / 10);
      const healthy = names.filter((_, at) => !isFragile(at));
      const fragile = names.filter((_, at) => isFragile(at));
      const [crasher, ...callers] = clients;
      if (!crasher) throw new Error('there are clients');
      const ends = performance.now() + LEAST_MS;
      const tally = { right: 0, wrong: [] as string[] };
      let crashes = 0;
      const crashing = (async () => {
        for (; crashes < CRASHES; crashes += 1) {
          await crasher.execute(fragile[crashes % fragile.length] ?? '', 'exit');
          await new Promise((resolve) => setTimeout(resolve, LEAST_MS / CRASHES));
        }
      })();
      const calling = callers.map(async (client, at) => {
        for (let n = 0; n === 0 || performance.now() < ends; n += 1) {
          const text = `${at}/${n}`;
          const server = healthy[(at + n) % healthy.length] ?? '';
          const { content } = (await client.execute(server, 'echo', { text })) as { content: { text?: string }[] };
          if (content[0]?.text === text) tally.right += 1;
          else tally.wrong.push(`${text}: ${content[0]?.text}`);
        }
      });
      await Promise.all([crashing, ...calling]);
      expect(tally.wrong.slice(0, 5)).toEqual([]);
      expect(tally.right).toBeGreaterThanOrEqual(callers.length);
      expect(crashes).toBe(CRASHES);
      for (const socket of sockets) socket.destroy();
      await until(
        async () => JSON.parse((await house.run(['clients', '--json'])).stdout).clients.length,
        (left) => left === 0,
      );
    },
    IS_SOAK ? 2 * 3_600_000 : 300_000,
  );
});
