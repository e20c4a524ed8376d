import { describe, expect, it } from 'vitest';
import { configure, fixture, isAlive, type StdioClient, until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';

const CALLS = 10_000;
const CLIENTS = 4;
const AT_ONCE = 8;
const REPLACEMENTS = 3;

interface Tally {
  right: number;
  readonly wrong: string[];
}

async function work(client: StdioClient, name: number, tally: Tally): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < CALLS / CLIENTS; n = next++) {
      const text = `${name}/${n}`;
      const received = await client.execute('one', 'echo', { text }).then(
        ({ content }) => content[0]?.text,
        (error: Error) => error.message,
      );
      if (received === text) tally.right += 1;
      else tally.wrong.push(`${text}: ${received}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describe('the daemon', { tags: 'G13' }, () => {
  it(`loses none of ${CALLS} calls when it is replaced under load`, async () => {
    await using setup = makeDaemonSetup();
    configure(setup.machine, { one: fixture() });
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => setup.client()));
    const tally: Tally = { right: 0, wrong: [] };
    const working = Promise.all(clients.map((client, name) => work(client, name, tally)));
    const pids = new Set<number>();
    for (let n = 1; n <= REPLACEMENTS; n += 1) {
      await until(
        () => tally.right + tally.wrong.length,
        (done) => done >= (n * CALLS) / (REPLACEMENTS + 2),
        60_000,
      );
      const pid = await until(
        () => setup.pid(),
        (found) => found !== undefined && !pids.has(found),
      );
      if (pid === undefined) continue;
      pids.add(pid);
      process.kill(pid, 'SIGTERM');
      await until(
        () => isAlive(pid),
        (alive) => !alive,
      );
    }
    await working;
    expect({ ...tally, wrong: tally.wrong.slice(0, 5), replaced: pids.size }).toEqual({
      right: CALLS,
      wrong: [],
      replaced: REPLACEMENTS,
    });
    await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  });
});
