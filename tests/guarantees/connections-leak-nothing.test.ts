import { readdirSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { odd, watchedGateway } from '../support/gateway-harness.js';
import { INITIALIZE } from '../support/raw-http.js';

const AT_ONCE = 20;
const BLOCK = 1_000;
/** The first connections allocate compiled code, buffers and heap pages that stay allocated. */
const WARM_UP_SHARE = 0.6;
/** The heap grows until a collection, so the smallest of some measurements counts. */
const MEASUREMENTS = 4;
const CONNECTS = 10_000;
/** Fewer, because each has two slow requests. */
const SESSIONS = 5_000;
/** Three runs grew by at most 0.3 MB; a leak of 300 bytes per connection grew by 3.3 MB. */
const MAX_GROWTH_BYTES = 2 * 1024 * 1024;
const STEADY_READS = 50;
const RATE = { limits: { ratePerMinute: 100_000_000 } };

/** The value after it has not changed for a second: the gateway opens watchers and files some time after the first client. */
async function settled(read: () => number): Promise<number> {
  const seen: number[] = [];
  return until(
    () => {
      seen.push(read());
      return seen.at(-1) ?? 0;
    },
    () => seen.length > STEADY_READS && new Set(seen.slice(-STEADY_READS)).size === 1,
  );
}

interface Measured {
  readonly pid: number;
  readonly connects: number;
  memory(): number | Promise<number>;
  connectOnce(n: number): Promise<unknown>;
}

/** How much the process grows while many clients connect and disconnect, after a warm-up. */
async function growthOf({ pid, connects, memory, connectOnce }: Measured): Promise<number> {
  const descriptors = () => readdirSync(`/proc/${pid}/fd`).length;
  let next = 0;
  const block = async () => {
    const end = next + BLOCK;
    const worker = async () => {
      while (next < end) await connectOnce(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return memory();
  };
  while (next < connects * WARM_UP_SHARE) await block();
  const before = await settled(descriptors);
  const held: number[] = [];
  for (let n = 0; n < connects / BLOCK + MEASUREMENTS; n += 1) held.push(await block());
  await until(descriptors, (now) => now <= before);
  const grown = Math.min(...held.slice(-MEASUREMENTS)) - Math.min(...held.slice(0, MEASUREMENTS));
  // biome-ignore lint/suspicious/noConsole: the log shows the measured figures.
  console.log(`G14: ${connects} connects, memory grew by ${(grown / 1024 / 1024).toFixed(1)} MB`);
  return grown;
}

/** Sends one request over a new connection and reads the response to its end. */
function ask(port: number, method: string, headers: Record<string, string>, body = ''): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/mcp', method, headers, agent: false };
    const asked = request(options, (answer) => answer.resume().once('end', () => resolve(answer)));
    asked.once('error', reject).end(body);
  });
}

describe.skipIf(process.platform !== 'linux')('the gateway (skipped without /proc)', { tags: 'G14' }, () => {
  it(`as a daemon has no more file descriptors and memory after ${CONNECTS} connections`, async () => {
    await using setup = makeDaemonSetup();
    await using gateway = watchedGateway({ odd: odd() }, RATE, ['--socket', setup.socket], ['--expose-gc']);
    await until(gateway.stderr, (text) => text.includes('listens on'));
    const connectOnce = async (n: number) => {
      const { client, socket } = await setup.direct();
      await client.initialize(`client ${n}`);
      if (n % 10 === 0) await client.request('tools/list');
      // Some end the connection, some destroy it.
      if (n % 2 === 0) socket.destroy();
      else socket.end();
      await new Promise((resolve) => socket.once('close', resolve).resume());
    };
    const pid = gateway.process.pid ?? 0;
    const memory = async () => (await gateway.figures('read')).heapBytes;
    expect(await growthOf({ pid, connects: CONNECTS, memory, connectOnce })).toBeLessThan(MAX_GROWTH_BYTES);
    expect(JSON.parse((await setup.run(['clients', '--json'])).stdout)).toEqual({ clients: [] });
  }, 240_000);

  it(`has no more file descriptors and memory after ${SESSIONS} sessions over HTTP`, async () => {
    await using gateway = watchedGateway({ odd: odd() }, RATE, ['--http', '127.0.0.1:0'], ['--expose-gc']);
    const [, port] =
      /listens on \S+:(\d+)\/mcp/.exec(await until(gateway.stderr, (text) => text.includes('/mcp'))) ?? [];
    const statuses = new Set<string>();
    const connectOnce = async () => {
      const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const begun = await ask(Number(port), 'POST', accept, INITIALIZE);
      const session = String(begun.headers['mcp-session-id']);
      const ended = await ask(Number(port), 'DELETE', { 'mcp-session-id': session });
      statuses.add(`${begun.statusCode} ${ended.statusCode}`);
    };
    const memory = async () => (await gateway.figures('read')).heapBytes;
    const pid = gateway.process.pid ?? 0;
    expect(await growthOf({ pid, connects: SESSIONS, memory, connectOnce })).toBeLessThan(MAX_GROWTH_BYTES);
    expect([...statuses]).toEqual(['200 200']);
  }, 240_000);
});
