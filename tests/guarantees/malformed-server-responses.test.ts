import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../src/rpc/index.js';
import { openHttpChannel } from '../../src/upstream/remote/http-channel.js';
import type { RemoteTarget } from '../../src/upstream/remote/remote-target.js';
import { openWsChannel } from '../../src/upstream/remote/ws-channel.js';
import { connectionOver, LIMITS, targetAt } from '../fixtures/remote/connect-remote.js';
import { Dice } from '../fixtures/servers/malformed.js';
import {
  malformedEvents,
  malformedFrames,
  malformedHttp,
  upgraded,
  written,
} from '../fixtures/servers/malformed-http.js';
import { MAX_OPEN_MS, MAX_STALL_MS, printFigures, TIMES, times } from './support/malformed-input.js';

const ANSWERS = 8_000 * TIMES;
const SEED = 20_261_118;
const CALL = { timeoutMs: MAX_OPEN_MS, totalMs: MAX_OPEN_MS };

describe('malformed responses of remote servers', { tags: 'G9' }, () => {
  it.each([
    {
      title: 'responses over HTTP',
      open: (target: RemoteTarget) => openHttpChannel(target, () => LIMITS),
      answer: overHttp,
    },
    {
      title: 'responses over WebSocket',
      open: (target: RemoteTarget) => openWsChannel(target, () => LIMITS),
      answer: overWs,
    },
  ])(
    `(${ANSWERS} $title) end every call exactly once, with a result or a typed error`,
    async ({ title, open, answer }) => {
      const dice = new Dice(SEED);
      await using server = await listen((socket) => answer(socket, dice));
      const target = await targetAt(server.url);
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const ends = new Map<string, number>();
      const faults: unknown[] = [];
      await times(ANSWERS, async (n) => {
        const channel: Channel = await open(target);
        await using one = connectionOver(channel);
        const end = await one.connection.callTool('t', { n }, CALL).then(
          () => 'result',
          (error: { readonly code?: unknown }) => {
            if (typeof error.code !== 'string') faults.push(error);
            return String(error.code);
          },
        );
        ends.set(end, (ends.get(end) ?? 0) + 1);
      });
      delay.disable();
      const summary = [...ends].map(([end, count]) => `${count} x ${end}`).join(', ');
      printFigures(`${ANSWERS} ${title} (${summary}), stall at most ${(delay.max / 1e6).toFixed(0)} ms`);
      expect(faults.slice(0, 5)).toEqual([]);
      expect([ends.has('result'), ends.has('CONNECTION_ERROR')]).toEqual([true, true]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      expect(delay.max / 1e6).toBeLessThan(MAX_STALL_MS);
    },
    ANSWERS * 30,
  );
});

async function listen(accept: (socket: Socket) => void): Promise<{ readonly url: string } & AsyncDisposable> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    accept(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

const result = (id: number) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `answer ${id}` }] } });

/** Answers every request with a malformed response, and closes the connection. */
function overHttp(socket: Socket, dice: Dice): void {
  let asked = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    asked += chunk;
    // No stream and no session.
    if (!asked.startsWith('P')) return void socket.end('HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n');
    const [, id] = /\r\n\r\n.*"id":(\d+)/s.exec(asked) ?? [];
    if (id === undefined) return;
    const message = result(Number(id));
    const isStream = dice.below(2) === 0;
    const type = `Content-Type: ${isStream ? 'text/event-stream' : 'application/json'}`;
    const body = isStream ? malformedEvents(message, dice) : JSON.stringify(message);
    const first = `HTTP/1.1 ${dice.pick(['200 OK', '200 OK', '302 Found', '401 No', '404 No', '503 No'])}`;
    const whole = { first, headers: [type, `Content-Length: ${Buffer.byteLength(body)}`], body };
    socket.end(isStream && dice.below(2) === 0 ? written(whole) : malformedHttp(whole, dice));
  });
}

function overWs(socket: Socket, dice: Dice): void {
  let isOpen = false;
  let asked = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    asked = Buffer.concat([asked, chunk]);
    if (isOpen) {
      const [, id] = /"id":(\d+)/.exec(unmasked(asked)) ?? [];
      if (id !== undefined) socket.end(malformedFrames(result(Number(id)), dice));
      return;
    }
    const [, key] = /sec-websocket-key: (\S+)\r\n.*\r\n\r\n/is.exec(asked.toString('latin1')) ?? [];
    if (key === undefined) return;
    if (dice.below(5) === 0) return void socket.end(malformedHttp(upgraded(key), dice));
    [isOpen, asked] = [true, Buffer.alloc(0)];
    socket.write(written(upgraded(key)));
  });
}

/** The payload of one client frame of at most 64 KB. */
function unmasked(bytes: Buffer): string {
  const head = (bytes[1] ?? 0) === (0x80 | 126) ? 4 : 2;
  const mask = bytes.subarray(head, head + 4);
  return Buffer.from(bytes.subarray(head + 4).map((byte, at) => byte ^ (mask[at % 4] ?? 0))).toString();
}
