import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeSurface } from '../../../tests/fakes/surface.js';
import { silentLog } from '../../base/index.js';
import type { Answer } from '../../rpc/index.js';
import { ConnectionManager } from '../session/connection-manager.js';
import { ServerQuestions } from '../session/server-questions.js';
import { serveSocket } from './serve-socket.js';

const SHORT_MS = 200;
/** Enough time for a first message on a busy machine. */
const WORD_MS = 1_000;
/** A connection that is ever closed is closed within this time, even on a busy machine. */
const SHED_MS = 20_000;
const LONG_MS = 10 * SHED_MS;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** The behaviour of a tool call, given its cancellation signal. */
type Call = (signal: AbortSignal) => Promise<Answer>;
const never: Call = () => new Promise(() => undefined);
const untilCancelled: Call = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cancelled'))));

interface Connected {
  readonly socket: Socket;
  readonly lines: readonly string[];
  /** How long the server kept the connection; undefined if it still does. */
  readonly hungUp: Promise<number | undefined>;
  /** The number of clients that the server counts. */
  readonly count: () => number;
}

async function connected(call: Call, timeouts: { firstMessageMs: number; halfClosedMs: number }): Promise<Connected> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-socket-'));
  const path = join(folder, 's');
  const questions = new ServerQuestions();
  const clients = new ConnectionManager();
  const surface = fakeSurface({ 'tools/call': ({ conversation }) => call(conversation.signal) });
  const serving = await serveSocket({
    ...{ path, clients, about: {}, changed: () => undefined, timeouts },
    enter: async () => ({
      session: { surface, questions, version: '0', log: silentLog },
      limits: () => ({ maxLineBytes: 100_000, maxDepth: 10 }),
      routingPolicy: () => ({ mayAskOtherClients: false, mayAnswerForOtherClients: false }),
      joined: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
  });
  const socket = connect({ path, allowHalfOpen: true });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const lines: string[] = [];
  createInterface({ input: socket }).on('line', (line) => lines.push(line));
  const start = performance.now();
  const hungUp = new Promise<number | undefined>((resolve) => {
    const limit = setTimeout(resolve, SHED_MS, undefined);
    socket.once('end', () => {
      clearTimeout(limit);
      resolve(performance.now() - start);
    });
  });
  closing.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => questions[Symbol.dispose](),
    () => serving.drain(0),
    () => socket.destroy(),
  );
  return { socket, lines, hungUp, count: () => clients.size };
}

const say = (socket: Socket, id: number, method: string) =>
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { name: 't', arguments: {} } })}\n`);

describe('an idle socket', { tags: 'G7' }, () => {
  it('is closed if its client never sends a message', async () => {
    const { hungUp } = await connected(never, { firstMessageMs: SHORT_MS, halfClosedMs: LONG_MS });
    expect(await hungUp).toBeGreaterThanOrEqual(SHORT_MS / 2);
  });

  it('is kept if its client has sent one', async () => {
    const { socket, lines } = await connected(never, { firstMessageMs: WORD_MS, halfClosedMs: LONG_MS });
    say(socket, 1, 'ping');
    await new Promise((resolve) => setTimeout(resolve, 2 * WORD_MS)); // it is not closed within the limit
    say(socket, 2, 'ping');
    await expect.poll(() => lines.map((line) => JSON.parse(line).id), { timeout: SHED_MS }).toEqual([1, 2]);
  });

  it.each([
    { title: 'ignores its cancellation', call: never },
    { title: 'ends when it is cancelled', call: untilCancelled },
  ])('is closed if it is half closed and its last call $title', async ({ call }) => {
    const { socket, hungUp, count } = await connected(call, { firstMessageMs: LONG_MS, halfClosedMs: SHORT_MS });
    say(socket, 1, 'tools/call');
    socket.end();
    expect(await hungUp).toBeGreaterThanOrEqual(SHORT_MS / 2);
    await expect.poll(count, { timeout: SHED_MS }).toBe(0);
  });
});
