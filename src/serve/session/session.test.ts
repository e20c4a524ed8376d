import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../base/index.js';
import { StreamChannel } from '../../rpc/index.js';
import type { Surface } from '../surfaces/surface.js';
import { ServerQuestions } from './server-questions.js';
import { Session } from './session.js';
import { MAX_OPEN_REQUESTS } from './session-options.js';

type Json = Record<string, unknown>;

/** Enough turns of the event loop to handle every message: nothing here waits for a timer or another process. */
async function handled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A client of a surface that asks a question during one call and hangs in another. */
function opened() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const said: Json[] = [];
  const callers: string[] = [];
  const levels: unknown[] = [];
  output.on('data', (chunk: Buffer) => {
    for (const line of String(chunk).split('\n').filter(Boolean)) said.push(JSON.parse(line));
  });
  const surface: Surface = {
    introduction: async () => ({ capabilities: {} }),
    translate: () => undefined,
    answer: async ({ params, conversation }) => {
      callers.push(conversation.client);
      levels.push(conversation.logLevel);
      if (params.name === 'asks')
        void conversation.ask?.('elicitation/create', { message: 'q' }).catch(() => undefined);
      if (params.name === 'hangs')
        await new Promise((resolve) => conversation.signal.addEventListener('abort', resolve));
      return { value: { content: [] } };
    },
  };
  const channel = new StreamChannel(input, output, () => ({ maxLineBytes: 1_000_000, maxDepth: 128 }));
  new Session(channel, { surface, log: silentLog, version: '1', questions: new ServerQuestions(), label: 'c1' });
  const say = async (message: Json) => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    await handled();
  };
  const hello = (name: string) =>
    say({
      ...{ id: 0, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: { elicitation: {} }, clientInfo: { name, version: '1' } },
    });
  const sayAll = async (messages: readonly Json[]) => {
    input.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
    await handled();
  };
  return { say, sayAll, said, hello, callers, levels };
}

const call = (id: number, name: string) => ({ id, method: 'tools/call', params: { name } });

describe('Session', () => {
  it('withdraws a question once when its call has ended, and not because another call is cancelled', async () => {
    const { say, said, hello } = opened();
    await hello('client');
    await say(call(1, 'asks'));
    const takenBack = () => said.filter(({ method }) => method === 'notifications/cancelled').length;
    expect(takenBack()).toBe(1);
    await say(call(2, 'hangs'));
    await say({ method: 'notifications/cancelled', params: { requestId: 2 } });
    expect(takenBack()).toBe(1);
  });

  it('limits the number of open requests', async () => {
    const { sayAll, said, hello } = opened();
    await hello('client');
    await sayAll(Array.from({ length: MAX_OPEN_REQUESTS + 1 }, (_, n) => call(n + 1, 'hangs')));
    const refused = { id: MAX_OPEN_REQUESTS + 1, error: { code: -32603, message: 'too many requests are open' } };
    await expect.poll(() => said.slice(1)).toMatchObject([refused]);
  });

  it('uses the latest data that the client sent about itself', async () => {
    const { say, hello, callers, levels } = opened();
    await hello('one');
    await say(call(1, 'plain'));
    await say({ id: 2, method: 'logging/setLevel', params: { level: 'error' } });
    await hello('two');
    await say(call(3, 'plain'));
    expect([callers[0], callers.at(-1)]).toEqual(['one#c1', 'two#c1']);
    expect([levels[0], levels.at(-1)]).toEqual([undefined, 'error']);
  });

  it('applies a new log level at once', async () => {
    const { say, hello, levels } = opened();
    await hello('one');
    await say(call(1, 'plain'));
    await say({ id: 2, method: 'logging/setLevel', params: { level: 'error' } });
    await say(call(3, 'plain'));
    expect([levels[0], levels.at(-1)]).toEqual([undefined, 'error']);
  });

  it('identifies a client by its connection, whatever name it sends', async () => {
    const { say, hello, callers } = opened();
    await hello('claude#c2');
    await say(call(1, 'plain'));
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'other#c3', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    await say({ ...call(2, 'plain'), params: { name: 'plain', _meta: meta } });
    expect(callers).toEqual(['claudec2#c1', 'otherc3#c1']);
  });
});
