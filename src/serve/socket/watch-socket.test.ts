import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeSurface } from '../../../tests/fakes/surface.js';
import { silentLog } from '../../base/index.js';
import { StreamChannel } from '../../rpc/index.js';
import { ServerQuestions } from '../session/server-questions.js';
import { Session } from '../session/session.js';
import { watchSocket } from './watch-socket.js';

const PING_MS = 50;
/** Far more than the buffers of a socket can hold. */
const LARGE = 'x'.repeat(8 * 1024 * 1024);
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A watched connection: the client's socket, and its end as the server sees it. */
async function watched(): Promise<{ client: Socket; hungUp: Promise<boolean> }> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-watch-'));
  const path = join(folder, 's');
  let hungUp: Promise<boolean> = Promise.resolve(false);
  const server = createServer((socket) => {
    const limits = () => ({ maxLineBytes: 100_000, maxDepth: 10 });
    const surface = fakeSurface({ 'tools/list': async () => ({ value: { text: LARGE } }) });
    const questions = new ServerQuestions();
    const channel = new StreamChannel(socket, socket, limits);
    const session = new Session(channel, { surface, questions, version: '0', log: silentLog });
    const watch = watchSocket(socket, session, PING_MS);
    closing.push(
      () => watch[Symbol.dispose](),
      () => questions[Symbol.dispose](),
    );
    hungUp = new Promise((resolve) => {
      socket.once('close', () => resolve(true));
      setTimeout(() => resolve(false), 20 * PING_MS);
    });
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  const client = connect(path);
  client.on('error', () => undefined);
  await new Promise((resolve) => client.once('connect', resolve));
  closing.push(
    () => client.destroy(),
    () => server.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  return { client, hungUp };
}

const say = (client: Socket, message: object) => client.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const GREETING = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

describe('a watched socket', () => {
  it('is closed if its client does not read its responses', { tags: 'G7' }, async () => {
    const { client, hungUp } = await watched();
    client.pause();
    say(client, { id: 0, method: 'tools/list' });
    expect(await hungUp).toBe(true);
  });

  it('is closed if an initialized client answers no ping', { tags: 'G7' }, async () => {
    const { client, hungUp } = await watched();
    client.resume();
    say(client, { id: 0, method: 'initialize', params: GREETING });
    expect(await hungUp).toBe(true);
  });

  it.each([
    { title: 'answers', answer: { result: {} } },
    { title: 'refuses to answer', answer: { error: { code: -32601, message: 'no' } } },
  ])('stays open if the client $title', async ({ answer }) => {
    const { client, hungUp } = await watched();
    createInterface({ input: client }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'ping') say(client, { id, ...answer });
    });
    say(client, { id: 0, method: 'initialize', params: GREETING });
    expect(await hungUp).toBe(false);
  });

  it('stays open for a modern client, which has no ping', async () => {
    const { client, hungUp } = await watched();
    client.resume();
    expect(await hungUp).toBe(false);
  });
});
