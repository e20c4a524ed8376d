import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Dice, malformed } from '../fixtures/servers/malformed.js';
import { type HttpText, malformedHttp, written } from '../fixtures/servers/malformed-http.js';
import { until } from '../support/client-over-stdio.js';
import { LineClient, odd, textOf, type WatchedGateway, watchedGateway } from '../support/gateway-harness.js';
import { makeMachine } from '../support/machine.js';
import { INITIALIZE, JSON_HEADERS, statelessCall } from '../support/raw-http.js';
import { HANGS_MS, MAX_BUSY_MS, MAX_STALL_MS, say, TIMES, times } from './support/malformed-input.js';

// What goes through pipes and files is in g9.test.ts, what remote servers answer in g9-answers.test.ts.

const REQUESTS = 20_000 * TIMES;
const SOCKETS = 4_000 * TIMES;
const SEED = 20_261_116;
/** Of what is not whole, the rest is waited for. */
const HALF_SAID_MS = 50;
const RATE = { limits: { ratePerMinute: 100_000_000 } };

/** Says all at once, hangs up after a while, and gives what came back until the other end hung up too. */
function exchange(
  to: { readonly port: number } | { readonly path: string },
  bytes: Buffer,
  patienceMs = 0,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', ...to, allowHalfOpen: true });
    socket.write(bytes);
    const hangUp = setTimeout(() => socket.end(), patienceMs);
    let answer = '';
    socket.setTimeout(HANGS_MS, () => socket.destroy(new Error(`it hangs on ${JSON.stringify(bytes.toString())}`)));
    // Who is refused in the middle of its words is cut off: what was answered is read all the same.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(hangUp);
      resolve(answer);
    });
  });
}

/** Whether nothing was answered that was said by another, and nothing more often than it was said. */
function isOwn(answer: string, said: Buffer): boolean {
  const count = (text: string) => {
    const counts = new Map<string, number>();
    for (const [, written = ''] of text.matchAll(/"id"\s*:\s*([^,}\]\s]+)/g)) {
      const id = String(Number(written));
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    counts.delete('NaN'); // a text, or nothing that can be told
    counts.delete('0'); // null
    return counts;
  };
  const asked = count(said.toString('latin1'));
  return [...count(answer)].every(([id, times]) => times <= (asked.get(id) ?? 0));
}

async function listening(gateway: WatchedGateway, line: RegExp): Promise<string> {
  await until(gateway.stderr, (said) => line.test(said) || gateway.process.exitCode !== null);
  const [, where] = line.exec(gateway.stderr()) ?? [];
  if (where === undefined) throw new Error(`it does not listen: ${gateway.stderr()}`);
  return where;
}

/** It stood every word, and was never away for long. */
async function unharmed(gateway: WatchedGateway, what: string): Promise<void> {
  const { stallMs, busyMs, polluted } = await gateway.figures('read');
  say(`${what}, stall at most ${stallMs.toFixed(0)} ms, busy at most ${busyMs.toFixed(0)} ms`);
  expect(gateway.stderr()).not.toContain('internal error');
  expect({ code: gateway.process.exitCode, polluted }).toEqual({ code: null, polluted: [] });
  expect(busyMs).toBeLessThan(MAX_BUSY_MS);
  expect(stallMs).toBeLessThan(MAX_STALL_MS);
}

describe('malformed headers and frames', { tags: 'G9' }, () => {
  it(
    `${REQUESTS} requests over HTTP: no crash, no stall, each whole one answered exactly once`,
    async () => {
      const dice = new Dice(SEED);
      await using gateway = watchedGateway({ odd: odd() }, RATE, ['--http', '127.0.0.1:0']);
      const port = Number(await listening(gateway, /listens on \S+:(\d+)\/mcp/));
      const request = (n: number): HttpText => {
        // A session that was begun is kept, and there is room for so many.
        const { headers, body } = dice.below(50)
          ? statelessCall('odd', 'echo', { n }, n)
          : { headers: JSON_HEADERS, body: INITIALIZE.replace('"id":1', `"id":${n}`) };
        const length = `Content-Length: ${Buffer.byteLength(body)}`;
        return { first: 'POST /mcp HTTP/1.1', headers: [`Host: 127.0.0.1:${port}`, ...headers, length], body };
      };
      const plain = (n: number): HttpText => ({
        first: `${dice.pick(['GET', 'DELETE', 'OPTIONS', 'PUT'])} ${dice.pick(['/mcp', '/health', '/servers', '/metrics', '/%00', '//', '*'])} HTTP/1.1`,
        headers: [`Host: 127.0.0.1:${port}`, `X-N: ${n}`],
        body: '',
      });
      const { headers, body } = statelessCall('odd', 'echo', {}, 'first');
      const whole = { first: 'POST /mcp HTTP/1.1', headers: [`Host: 127.0.0.1:${port}`, ...headers], body };
      const posted = (n: string): Buffer => {
        const own = whole.body.replace('"first"', JSON.stringify(n));
        return written({
          ...whole,
          headers: [...whole.headers, `Content-Length: ${Buffer.byteLength(own)}`, 'Connection: close'],
          body: own,
        });
      };
      await exchange({ port }, posted('first'), HANGS_MS);
      await gateway.figures('reset');
      const statuses = new Map<string, number>();
      const faults: string[] = [];
      const first = 1_000_000;
      await times(REQUESTS, async (n) => {
        const id = first + n;
        const bytes = malformedHttp(dice.below(5) === 0 ? plain(id) : request(id), dice);
        const answer = await exchange({ port }, bytes, HALF_SAID_MS);
        for (const [, status = ''] of answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status.startsWith('5') && status !== '505')
            faults.push(`${answer} to ${JSON.stringify(bytes.toString('latin1'))}`);
        }
        if (!isOwn(answer, bytes)) faults.push(`${answer} to ${bytes}`);
        if (n % 10 !== 0) return;
        const good = await exchange({ port }, posted(`good ${n}`), HANGS_MS);
        const heard = good.split(`"id":"good ${n}"`).length - 1;
        if (heard !== 1 || !good.startsWith('HTTP/1.1 200')) faults.push(`${heard} answers to good ${n}: ${good}`);
      });
      const told = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
      await unharmed(gateway, `${REQUESTS} requests (${told})`);
      expect(faults.slice(0, 5)).toEqual([]);
      expect(statuses.get('400')).toBeGreaterThan(REQUESTS / 20);
    },
    REQUESTS * 30,
  );

  it(
    `${SOCKETS} clients of the socket: no crash, no stall, each valid id answered exactly once`,
    async () => {
      const dice = new Dice(SEED + 1);
      using place = makeMachine();
      chmodSync(place.home, 0o700);
      const path = join(place.home, 's.sock');
      await using gateway = watchedGateway({ odd: odd() }, RATE, ['--socket', path]);
      await listening(gateway, /listens on (\S+)/);
      const { home, project: cwd } = gateway.machine;
      const open = { method: 'bridge/open', params: { home, cwd, env: { HOME: home }, options: {}, id: 'x', pid: 1 } };
      const initialize = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } };
      const line = (message: object) => Buffer.from(`${JSON.stringify(message)}\n`);
      const end = Buffer.from('\n');
      const stream = connect({ path, allowHalfOpen: true });
      await once(stream, 'connect');
      const good = new LineClient(stream, stream);
      await good.initialize();
      await good.execute('odd', 'echo');
      await gateway.figures('reset');
      const faults: string[] = [];
      await times(SOCKETS, async (n) => {
        const ids = [1, 2, 3].map((place) => n * 10 + 10_000_000 + place);
        const [greeting, hello, ping] = [open, initialize, { method: 'ping' }].map((message, at) => ({
          ...{ jsonrpc: '2.0', id: ids[at] },
          ...message,
        }));
        const messages = [greeting, hello, ping].map((message) => message ?? {});
        const broken = dice.below(3);
        const parts = messages.map((message, at) =>
          at === broken ? Buffer.concat([malformed(message, dice), end]) : line(message),
        );
        const said = Buffer.concat(dice.below(3) === 0 ? parts.slice(broken) : parts);
        const answer = await exchange({ path }, said);
        if (!isOwn(answer, said)) faults.push(`${answer} to ${said}`);
        // The last is whole and is answered, unless it is what was broken; who opens wrongly is told so and hears no more.
        if (broken === 1 && !answer.includes(`"id":${ids[2]},"result"`)) faults.push(`${answer} to ${said}`);
        if (n % 10 === 0 && textOf(await good.execute('odd', 'echo', { n })) !== `{"n":${n}}`) faults.push(`good ${n}`);
      });
      await unharmed(gateway, `${SOCKETS} clients of the socket`);
      expect(faults.slice(0, 5)).toEqual([]);
      expect([...good.answered.values()]).toEqual(new Array(SOCKETS / 10 + 2).fill(1));
      stream.end();
    },
    SOCKETS * 100,
  );
});
