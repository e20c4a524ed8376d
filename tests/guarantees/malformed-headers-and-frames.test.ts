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
import { MAX_BUSY_MS, MAX_OPEN_MS, MAX_STALL_MS, printFigures, TIMES, times } from './support/malformed-input.js';

// malformed-messages.test.ts tests pipes, malformed-server-responses.test.ts responses of remote servers.

const REQUESTS = 20_000 * TIMES;
const SOCKETS = 4_000 * TIMES;
const SEED = 20_261_116;
/** How long the client waits before it ends an incomplete request. */
const INCOMPLETE_MS = 50;
const RATE = { limits: { ratePerMinute: 100_000_000 } };

/** Sends all bytes, ends its side after a while, and returns what it received until the gateway closed. */
function exchange(
  to: { readonly port: number } | { readonly path: string },
  bytes: Buffer,
  waitMs = 0,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', ...to, allowHalfOpen: true });
    socket.write(bytes);
    const endTimer = setTimeout(() => socket.end(), waitMs);
    let answer = '';
    socket.setTimeout(MAX_OPEN_MS, () =>
      socket.destroy(new Error(`the connection stays open after ${JSON.stringify(bytes.toString())}`)),
    );
    // The gateway may reset the connection during a refused request; the response before it still counts.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(endTimer);
      resolve(answer);
    });
  });
}

/** Whether each id in the response was sent on this connection, at most as often as it was sent. */
function isOwn(answer: string, sent: Buffer): boolean {
  const count = (text: string) => {
    const counts = new Map<string, number>();
    for (const [, written = ''] of text.matchAll(/"id"\s*:\s*([^,}\]\s]+)/g)) {
      const id = String(Number(written));
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    counts.delete('NaN'); // a string, or unreadable
    counts.delete('0'); // null
    return counts;
  };
  const asked = count(sent.toString('latin1'));
  return [...count(answer)].every(([id, times]) => times <= (asked.get(id) ?? 0));
}

async function listening(gateway: WatchedGateway, line: RegExp): Promise<string> {
  await until(gateway.stderr, (sent) => line.test(sent) || gateway.process.exitCode !== null);
  const [, where] = line.exec(gateway.stderr()) ?? [];
  if (where === undefined) throw new Error(`the gateway does not listen: ${gateway.stderr()}`);
  return where;
}

/** The gateway did not crash, and its event loop had no long stall. */
async function expectUnharmed(gateway: WatchedGateway, what: string): Promise<void> {
  const { stallMs, busyMs, polluted } = await gateway.figures('read');
  printFigures(`${what}, stall at most ${stallMs.toFixed(0)} ms, busy at most ${busyMs.toFixed(0)} ms`);
  expect(gateway.stderr()).not.toContain('internal error');
  expect({ code: gateway.process.exitCode, polluted }).toEqual({ code: null, polluted: [] });
  expect(busyMs).toBeLessThan(MAX_BUSY_MS);
  expect(stallMs).toBeLessThan(MAX_STALL_MS);
}

describe('malformed headers and frames', { tags: 'G9' }, () => {
  it(
    `(${REQUESTS} requests over HTTP) cause no crash or stall, and each valid request is answered exactly once`,
    async () => {
      const dice = new Dice(SEED);
      await using gateway = watchedGateway({ odd: odd() }, RATE, ['--http', '127.0.0.1:0']);
      const port = Number(await listening(gateway, /listens on \S+:(\d+)\/mcp/));
      const request = (n: number): HttpText => {
        // A started session stays open, and their number is limited.
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
      await exchange({ port }, posted('first'), MAX_OPEN_MS);
      await gateway.figures('reset');
      const statuses = new Map<string, number>();
      const faults: string[] = [];
      const first = 1_000_000;
      await times(REQUESTS, async (n) => {
        const id = first + n;
        const bytes = malformedHttp(dice.below(5) === 0 ? plain(id) : request(id), dice);
        const answer = await exchange({ port }, bytes, INCOMPLETE_MS);
        for (const [, status = ''] of answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status.startsWith('5') && status !== '505')
            faults.push(`${answer} to ${JSON.stringify(bytes.toString('latin1'))}`);
        }
        if (!isOwn(answer, bytes)) faults.push(`${answer} to ${bytes}`);
        if (n % 10 !== 0) return;
        const good = await exchange({ port }, posted(`good ${n}`), MAX_OPEN_MS);
        const count = good.split(`"id":"good ${n}"`).length - 1;
        if (count !== 1 || !good.startsWith('HTTP/1.1 200')) faults.push(`${count} answers to good ${n}: ${good}`);
      });
      const summary = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
      await expectUnharmed(gateway, `${REQUESTS} requests (${summary})`);
      expect(faults.slice(0, 5)).toEqual([]);
      expect(statuses.get('400')).toBeGreaterThan(REQUESTS / 20);
    },
    REQUESTS * 30,
  );

  it(
    `(${SOCKETS} socket clients) cause no crash or stall, and each valid id is answered exactly once`,
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
        const [opening, hello, ping] = [open, initialize, { method: 'ping' }].map((message, at) => ({
          ...{ jsonrpc: '2.0', id: ids[at] },
          ...message,
        }));
        const messages = [opening, hello, ping].map((message) => message ?? {});
        const broken = dice.below(3);
        const parts = messages.map((message, at) =>
          at === broken ? Buffer.concat([malformed(message, dice), end]) : line(message),
        );
        const sent = Buffer.concat(dice.below(3) === 0 ? parts.slice(broken) : parts);
        const answer = await exchange({ path }, sent);
        if (!isOwn(answer, sent)) faults.push(`${answer} to ${sent}`);
        // The last message is valid and answered if the second was malformed. A malformed first message ends the connection.
        if (broken === 1 && !answer.includes(`"id":${ids[2]},"result"`)) faults.push(`${answer} to ${sent}`);
        if (n % 10 === 0 && textOf(await good.execute('odd', 'echo', { n })) !== `{"n":${n}}`) faults.push(`good ${n}`);
      });
      await expectUnharmed(gateway, `${SOCKETS} clients of the socket`);
      expect(faults.slice(0, 5)).toEqual([]);
      expect([...good.answered.values()]).toEqual(new Array(SOCKETS / 10 + 2).fill(1));
      stream.end();
    },
    SOCKETS * 100,
  );
});
