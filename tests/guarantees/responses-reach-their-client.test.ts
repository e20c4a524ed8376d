import { describe, expect, it } from 'vitest';
import { configure } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { gatewayWith, type LineClient, odd, textOf } from '../support/gateway-harness.js';

const IS_SOAK = process.env.PORTOLAN_SOAK === '1';
const CALLS = IS_SOAK ? 1_000_000 : 100_000;
/** Calls over the socket of the shipped program. */
const OVER_SOCKET = CALLS / 5;
const CLIENTS = 50;
/** Calls of one client at the same time. */
const AT_ONCE = 16;
const LIMITS = {
  inFlightPerClient: 10_000,
  inFlightPerServer: 10_000,
  queue: 10_000,
  ratePerMinute: 100_000_000,
};

interface Tally {
  right: number;
  readonly wrong: string[];
}

/** Makes calls, some in parallel, and checks that each response repeats the arguments of its call. */
async function work(client: LineClient, name: number, calls: number, tally: Tally): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < calls; n = next++) {
      // Two servers, and sometimes a request that the gateway answers itself.
      const server = (n + name) % 2 === 0 ? 'one' : 'two';
      if (n % 50 === 49) {
        const { result } = await client.request('tools/call', { name: 'list_tools', arguments: { server } });
        const listed = (result as { structuredContent: { server: string } }).structuredContent.server;
        if (listed === server) tally.right += 1;
        else tally.wrong.push(`client ${name} asked for the tools of ${server} and got those of ${listed}`);
        continue;
      }
      const sent = JSON.stringify({ client: name, n, server });
      const received = textOf(await client.execute(server, 'echo', JSON.parse(sent)));
      if (received === sent) tally.right += 1;
      else tally.wrong.push(`client ${name} sent ${sent} and received ${received}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Divides the calls among the clients and checks that each has exactly one response, its own. */
async function noneIsMixedUp(clients: readonly LineClient[], calls: number, transport: string): Promise<void> {
  await Promise.all(clients.map((client, n) => client.initialize(n % 2 === 0 ? 'same name' : `client ${n}`)));
  const tally: Tally = { right: 0, wrong: [] };
  const start = performance.now();
  await Promise.all(clients.map((client, n) => work(client, n, calls / clients.length, tally)));
  const seconds = (performance.now() - start) / 1_000;
  // biome-ignore lint/suspicious/noConsole: the log shows the measured figures.
  console.log(`G8, ${transport}: ${calls} calls in ${seconds.toFixed(1)} s, ${(calls / seconds).toFixed(0)} a second`);
  expect(tally.wrong.slice(0, 10)).toEqual([]);
  expect(tally.right).toBe(calls);
  const everyIdOnce = clients.map(({ answered }) => [answered.size, Math.max(...answered.values())]);
  expect(everyIdOnce).toEqual(clients.map(() => [calls / clients.length + 1, 1]));
}

describe('clients that number their requests from 0', { tags: 'G8' }, () => {
  const servers = { one: odd(['one']), two: odd(['two', 'python']) };

  it(
    `get only their own responses: ${CALLS} calls of ${CLIENTS} clients`,
    async () => {
      await using home = await gatewayWith(servers, { limits: LIMITS });
      const clients = Array.from({ length: CLIENTS }, () => home.connect());
      await noneIsMixedUp(clients, CALLS, 'in one process');
    },
    CALLS * 20,
  );

  it(
    `get only their own responses from the daemon: ${OVER_SOCKET} calls over ${CLIENTS} sockets`,
    async () => {
      await using setup = makeDaemonSetup();
      configure(setup.machine, servers, { limits: LIMITS });
      await setup.run(['daemon', 'start']);
      const ends = await Promise.all(Array.from({ length: CLIENTS }, () => setup.direct()));
      const clients = ends.map(({ client }) => client);
      await noneIsMixedUp(clients, OVER_SOCKET, 'over the socket');
      for (const { socket } of ends) socket.destroy();
    },
    OVER_SOCKET * 20,
  );
});
