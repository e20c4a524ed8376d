import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configure, fixture, isAlive, startsIn, until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import type { LineClient } from '../support/gateway-harness.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const CLIENTS = IS_SOAK ? 2_000 : 1_000;
const SERVERS = IS_SOAK ? 200 : 50;
/** A tenth of them crashes each minute. The small run has the crashes of one minute in a few seconds. */
const MINUTES = IS_SOAK ? 60 : 1;
const CRASHES = Math.ceil(SERVERS / 10) * MINUTES;
const LEAST_MS = IS_SOAK ? MINUTES * 60_000 : 5_000;
/** Longer than the test; by default the servers end after two minutes. */
const LIFETIME_MS = 2 * LEAST_MS + 600_000;
/** Repeated crashes delay the next start. */
const CRASH_LIMIT_MS = 120_000;
const SETTINGS = {
  limits: { inFlightPerServer: 1_000, queue: 10_000 },
  timeouts: { startMs: 120_000, callMs: 120_000 },
};

describe('the daemon', { tags: 'G1' }, () => {
  it(
    `answers every call of ${CLIENTS} clients to healthy servers while a tenth of ${SERVERS} crashes`,
    async () => {
      await using setup = makeDaemonSetup();
      const names = Array.from({ length: SERVERS }, (_, n) => `s${n}`);
      const starts = (name: string) => join(setup.machine.root, name);
      // Different arguments, so that no two servers share a process.
      const launch = (name: string) => fixture([name, '--starts', starts(name), '--lives', String(LIFETIME_MS)]);
      configure(setup.machine, Object.fromEntries(names.map((name) => [name, launch(name)])), SETTINGS);
      await setup.run(['daemon', 'start']);
      const clients: LineClient[] = [];
      const sockets: { destroy(): void }[] = [];
      for (let n = 0; n < CLIENTS; n += 1) {
        const { client, socket } = await setup.direct();
        clients.push(client);
        sockets.push(socket);
        await client.initialize(`client ${n}`);
      }
      // The last tenth of the servers crashes; all counted calls go to the others.
      const isFragile = (at: number) => at >= SERVERS - Math.ceil(SERVERS / 10);
      const healthy = names.filter((_, at) => !isFragile(at));
      const fragile = names.filter((_, at) => isFragile(at));
      const [crasher, ...callers] = clients;
      if (!crasher) throw new Error('no client is connected');
      // Starting two hundred processes takes a while.
      await Promise.all(names.map((name) => crasher.execute(name, 'echo', { text: name })));
      const begun = performance.now();
      const ends = begun + LEAST_MS;
      const tally = { right: 0, wrong: [] as string[] };
      const crashed = new Set<number>();
      const crashing = (async () => {
        for (let n = 0; n < CRASHES; n += 1) {
          const name = fragile[n % fragile.length] ?? '';
          const crash = async () => {
            await crasher.execute(name, 'exit');
            return startsIn(starts(name)).at(-1) ?? 0;
          };
          crashed.add(await until(crash, (pid) => pid > 0 && !crashed.has(pid) && !isAlive(pid), CRASH_LIMIT_MS));
          const next = begun + ((n + 1) * LEAST_MS) / CRASHES;
          await new Promise((resolve) => setTimeout(resolve, next - performance.now()));
        }
      })();
      const calling = callers.map(async (client, at) => {
        for (let n = 0; n === 0 || performance.now() < ends; n += 1) {
          const text = `${at}/${n}`;
          const server = healthy[(at + n) % healthy.length] ?? '';
          const { content } = (await client.execute(server, 'echo', { text })) as { content: { text?: string }[] };
          if (content[0]?.text === text) tally.right += 1;
          else tally.wrong.push(`${text}: ${content[0]?.text}`);
          client.answered.clear(); // the ids of an hour do not fit in memory
        }
      });
      await Promise.all([crashing, ...calling]);
      expect(tally.wrong.slice(0, 5)).toEqual([]);
      expect(tally.right).toBeGreaterThanOrEqual(callers.length);
      expect(crashed.size).toBe(CRASHES);
      // No other server crashed.
      expect(healthy.flatMap((name) => startsIn(starts(name)).slice(1))).toEqual([]);
      for (const socket of sockets) socket.destroy();
      await until(
        async () => JSON.parse((await setup.run(['clients', '--json'])).stdout).clients.length,
        (left) => left === 0,
      );
    },
    IS_SOAK ? 2 * 3_600_000 : 300_000,
  );
});
