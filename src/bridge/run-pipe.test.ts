import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { silentLog } from '../base/index.js';
import { runPipe } from './run-pipe.js';

type Json = Record<string, unknown>;

/** A daemon that accepts each client and answers each request. */
async function daemonAt(path: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { of: method } })}\n`);
    });
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  chmodSync(path, 0o600);
  return server;
}

it.each([
  { title: 'answers the first request of a client', sent: '{"jsonrpc":"2.0","id":7,"method":"initialize"}\n' },
  { title: 'ends when the input of the client ends', sent: undefined },
])('fails immediately if a daemon is required and none listens: $title', async ({ sent }) => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-require-'));
  const socket = join(folder, 's');
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: unknown[] = [];
  createInterface({ input: output }).on('line', (line) => void received.push(JSON.parse(line)));
  const logged: unknown[] = [];
  let failures = 0;
  const began = performance.now();
  if (sent === undefined) input.end();
  else input.write(sent);
  const isOver = await runPipe({
    ...{ program: 'no-program', socket, env: {}, home: folder, mode: 'require' },
    context: { home: folder, cwd: folder, env: {}, pid: 1, version: '1.0.0', options: {} },
    log: (level, message, facts) => void logged.push([level, message, facts]),
    openStreams: () => ({ input, output }),
    failed: () => {
      failures += 1;
    },
    reconnect: { enabled: true, maxAttempts: 1, initialDelayMs: 1 },
    shutdownMs: 10_000,
    ending: new AbortController().signal,
  });
  const [error, hint] = [
    `no daemon listens on ${socket}`,
    `start one with \`portolan daemon start --mcp-bridge-socket ${socket}\``,
  ];
  expect({ isOver, failures, logged }).toEqual({
    ...{ isOver: true, failures: 1 },
    logged: [['error', 'no daemon serves this client', { error, hint }]],
  });
  expect(performance.now() - began).toBeLessThan(10_000); // less than the wait for a daemon that is being started
  const message = `no gateway serves this client: ${error}`;
  const fault = { code: -32603, message, data: { code: 'CONNECTION_ERROR', hint } };
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toEqual(sent === undefined ? [] : [{ jsonrpc: '2.0', id: 7, error: fault }]);
  rmSync(folder, { recursive: true, force: true });
});

/** The delays before each attempt to reach a daemon that never starts, without real waiting. */
async function waitsWith(initialDelayMs: number, maxAttempts: number, random: () => number): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-waits-'));
  const socket = join(folder, 's');
  const server = await daemonAt(socket);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines = createInterface({ input: output });
  const next = () => new Promise<Json>((resolve) => void lines.once('line', (line) => resolve(JSON.parse(line))));
  const waits: number[] = [];
  const sockets: Socket[] = [];
  server.on('connection', (one) => sockets.push(one));
  const over = runPipe({
    ...{ program: 'no-program', socket, env: {}, home: folder, mode: 'require', log: silentLog },
    context: { home: folder, cwd: folder, env: {}, pid: 1, version: '1.0.0', options: {} },
    openStreams: () => ({ input, output }),
    reconnect: { enabled: true, maxAttempts, initialDelayMs },
    shutdownMs: 1_000,
    waiting: {
      random,
      wait: async (ms) => {
        waits.push(ms);
      },
    },
    ending: new AbortController().signal,
  });
  const ask = async (id: number) => {
    const answer = next();
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
    return answer;
  };
  await ask(0);
  server.close();
  rmSync(socket, { force: true });
  for (const one of sockets) one.destroy();
  expect(await ask(1)).toMatchObject({ id: 1, error: { data: { code: 'CONNECTION_ERROR' } } });
  input.end();
  await over;
  rmSync(folder, { recursive: true, force: true });
  return waits;
}

it.each([
  { share: 1, waits: [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] },
  { share: 0.5, waits: [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000] },
  { share: 0, waits: [0, 0, 0, 0, 0, 0, 0] },
])(
  'searches a lost daemon after delays that double up to 30 s, times a random share of $share',
  async ({ share, waits }) => {
    expect(await waitsWith(1_000, waits.length, () => share)).toEqual(waits);
  },
);

it('draws each delay at random between 0 and its limit', async () => {
  const draws = [0.9, 0.1, 0.4, 0.99];
  const left = [...draws];
  const waits = await waitsWith(100, draws.length, () => left.shift() ?? 0);
  expect(waits).toEqual(draws.map((draw, at) => draw * 100 * 2 ** at));
});

it('reads no input of the client if the shutdown signal arrives before a daemon is found', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-shutdown-'));
  const socket = join(folder, 's');
  const server = await daemonAt(socket);
  const over = runPipe({
    ...{ program: 'no-program', socket, env: {}, home: folder, mode: 'require', waitMs: 2_000, log: silentLog },
    context: { home: folder, cwd: folder, env: {}, pid: 1, version: '1.0.0', options: {} },
    openStreams: () => expect.unreachable('no input may be read'),
    reconnect: { enabled: true, maxAttempts: 1, initialDelayMs: 1 },
    shutdownMs: 10_000,
    ending: AbortSignal.abort(),
  });
  expect(await over).toBe(true);
  await new Promise((resolve) => server.close(resolve)); // resolves after the connection has ended
  rmSync(folder, { recursive: true, force: true });
});

/** A daemon that accepts connections and never responds. */
async function silentDaemonAt(path: string): Promise<Server> {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  chmodSync(path, 0o600);
  return server;
}

it.each([
  { why: 'no daemon comes', mode: 'auto', isSilent: false, afterMs: 100 },
  { why: 'a daemon does not open a session', mode: 'require', isSilent: true, afterMs: 100 },
  { why: 'a daemon is being reached', mode: 'require', isSilent: true, afterMs: 0 },
] as const)('ends immediately on a shutdown signal while $why', async ({ mode, isSilent, afterMs }) => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-shutdown-'));
  const socket = join(folder, 's');
  const silent = isSilent ? await silentDaemonAt(socket) : undefined;
  const shutdown = new AbortController();
  const over = runPipe({
    ...{ program: 'no-program', socket, env: {}, home: folder, mode, waitMs: 600_000, log: silentLog },
    context: { home: folder, cwd: folder, env: {}, pid: 1, version: '1.0.0', options: {} },
    openStreams: () => expect.unreachable('no input may be read'),
    reconnect: { enabled: true, maxAttempts: 1, initialDelayMs: 1 },
    shutdownMs: 10_000,
    ending: shutdown.signal,
  });
  if (afterMs === 0) shutdown.abort();
  else setTimeout(() => shutdown.abort(), afterMs);
  expect(await over).toBe(true);
  silent?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('delivers the response to a request sent before the shutdown signal, also from another daemon', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-shutdown-'));
  const socket = join(folder, 's');
  const shutdown = new AbortController();
  const asked: string[] = [];
  const sockets: Socket[] = [];
  /** The first connection is lost with the request; the second opens its session slowly. */
  const server = createServer((one) => {
    sockets.push(one);
    const isFirst = sockets.length === 1;
    one.on('error', () => undefined);
    createInterface({ input: one }).on('line', async (line) => {
      const { id, method } = JSON.parse(line);
      asked.push(method);
      if (isFirst && method === 'tools/list') return one.destroy();
      if (!isFirst && method === 'bridge/open') {
        shutdown.abort();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return one.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { of: method } })}\n`);
    });
  });
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  chmodSync(socket, 0o600);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answer = new Promise((resolve) => createInterface({ input: output }).once('line', resolve));
  const over = runPipe({
    ...{ program: 'no-program', socket, env: {}, home: folder, mode: 'require', waitMs: 10_000, log: silentLog },
    context: { home: folder, cwd: folder, env: {}, pid: 1, version: '1.0.0', options: {} },
    openStreams: () => ({ input, output }),
    reconnect: { enabled: true, maxAttempts: 3, initialDelayMs: 1 },
    shutdownMs: 10_000,
    ending: shutdown.signal,
  });
  input.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  expect(JSON.parse(String(await answer))).toEqual({ jsonrpc: '2.0', id: 1, result: { of: 'tools/list' } });
  expect(await over).toBe(true);
  for (const one of sockets) one.destroy();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
