import { readdirSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { until } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { odd, watchedGateway } from '../support/gateway-harness.js';
import { INITIALIZE } from '../support/raw-http.js';

const AT_ONCE = 20;
const BLOCK = 1_000;
/** What the first connections bring is there for good: code, buffers, pages that the heap keeps. */
const WARM_UP_SHARE = 0.6;
/** A heap breathes: the lowest of a few looks is what is really held. */
const LOOKS = 4;
const CONNECTS = 10_000;
/** Two requests each, and slower ones. */
const SESSIONS = 5_000;
/** Of what is held, not of what waits to be collected: 0.3 MB at most in three runs, and 3.3 where some 300 bytes were kept for each connect. */
const MAX_GROWTH_BYTES = 2 * 1024 * 1024;
const STEADY_LOOKS = 50;
const RATE = { limits: { ratePerMinute: 100_000_000 } };

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

interface Visited {
  readonly pid: number;
  readonly connects: number;
  memory(): number | Promise<number>;
  visit(n: number): Promise<unknown>;
}

/** Lets many come and go after those who warm it up, and says by how much that made a process grow. */
async function growthOf({ pid, connects, memory, visit }: Visited): Promise<number> {
  const descriptors = () => readdirSync(`/proc/${pid}/fd`).length;
  let next = 0;
  const block = async () => {
    const end = next + BLOCK;
    const worker = async () => {
      while (next < end) await visit(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return memory();
  };
  while (next < connects * WARM_UP_SHARE) await block();
  const before = await settled(descriptors);
  const held: number[] = [];
  for (let n = 0; n < connects / BLOCK + LOOKS; n += 1) held.push(await block());
  await until(descriptors, (now) => now <= before);
  const grown = Math.min(...held.slice(-LOOKS)) - Math.min(...held.slice(0, LOOKS));
  // biome-ignore lint/suspicious/noConsole: the figures are what a reader of the log looks for.
  console.log(`G14: ${connects} connects, memory grew by ${(grown / 1024 / 1024).toFixed(1)} MB`);
  return grown;
}

/** One request over a connection of its own, read to its end. */
function ask(port: number, method: string, headers: Record<string, string>, body = ''): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/mcp', method, headers, agent: false };
    const asked = request(options, (answer) => answer.resume().once('end', () => resolve(answer)));
    asked.once('error', reject).end(body);
  });
}

describe.skipIf(process.platform !== 'linux')(
  'the gateway (where the system tells what a process holds)',
  { tags: 'G14' },
  () => {
    it(`the daemon holds no more descriptors, and no more memory, after ${CONNECTS} connects`, async () => {
      await using setup = makeDaemonSetup();
      await using gateway = watchedGateway({ odd: odd() }, RATE, ['--socket', setup.socket], ['--expose-gc']);
      await until(gateway.stderr, (said) => said.includes('listens on'));
      const visit = async (n: number) => {
        const { client, socket } = await setup.direct();
        await client.initialize(`client ${n}`);
        if (n % 10 === 0) await client.request('tools/list');
        // Some say goodbye, some are just gone.
        if (n % 2 === 0) socket.destroy();
        else socket.end();
        await new Promise((resolve) => socket.once('close', resolve).resume());
      };
      const pid = gateway.process.pid ?? 0;
      const memory = async () => (await gateway.figures('read')).heapBytes;
      expect(await growthOf({ pid, connects: CONNECTS, memory, visit })).toBeLessThan(MAX_GROWTH_BYTES);
      expect(JSON.parse((await setup.run(['clients', '--json'])).stdout)).toEqual({ clients: [] });
    }, 240_000);

    it(`it holds no more of either after ${SESSIONS} sessions over HTTP`, async () => {
      await using gateway = watchedGateway({ odd: odd() }, RATE, ['--http', '127.0.0.1:0'], ['--expose-gc']);
      const [, port] =
        /listens on \S+:(\d+)\/mcp/.exec(await until(gateway.stderr, (said) => said.includes('/mcp'))) ?? [];
      const statuses = new Set<string>();
      const visit = async () => {
        const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        const begun = await ask(Number(port), 'POST', accept, INITIALIZE);
        const session = String(begun.headers['mcp-session-id']);
        const ended = await ask(Number(port), 'DELETE', { 'mcp-session-id': session });
        statuses.add(`${begun.statusCode} ${ended.statusCode}`);
      };
      const memory = async () => (await gateway.figures('read')).heapBytes;
      const pid = gateway.process.pid ?? 0;
      expect(await growthOf({ pid, connects: SESSIONS, memory, visit })).toBeLessThan(MAX_GROWTH_BYTES);
      expect([...statuses]).toEqual(['200 200']);
    }, 240_000);
  },
);
