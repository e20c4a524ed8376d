import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../src/app/start-gateway.js';
import { silentLog } from '../../src/base/index.js';
import { chooseSurface, ServerQuestions, serveStdio } from '../../src/serve/index.js';
import { call, codeOf, type Json, ODD_SERVER, odd, textOf } from '../support/gateway-harness.js';
import { type Machine, makeMachine } from '../support/machine.js';

/** A client with scripted responses to elicitation requests. */
interface ScriptedClient extends AsyncDisposable {
  readonly asked: Json[];
  execute(): Promise<Json>;
  /** Sends two calls in one request. */
  executeTwice(): Promise<Json>;
  /** Kills the server process, so that the next call has to start it again. */
  stop(): Promise<void>;
}

/** Kills all server processes and waits until the gateway has detected it. */
async function stopServers({ shared }: RunningGateway): Promise<void> {
  for (const { pid } of shared.pool.running()) if (pid !== undefined) process.kill(pid, 'SIGKILL');
  while (shared.pool.running().length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Writes a project with a server, and connects a client to a gateway for the project. */
async function clientIn(
  machine: Machine,
  capabilities: Json,
  reply: (params: Json) => Json,
  settings: Json = {},
  words: readonly string[] = [],
  entry: Json = odd(words),
): Promise<ScriptedClient> {
  machine.write({ '<project>/.mcp.json': JSON.stringify({ mcpServers: { brought: entry } }) });
  const running = await startGateway({ ...machine.options({ settings }) });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const questions = new ServerQuestions();
  const limits = () => ({ maxLineBytes: 1e6, maxDepth: 64 });
  const surface = chooseSurface(running.gateway, undefined);
  const session = serveStdio({ surface, questions, version: '0', log: silentLog, input, output, limits });
  const asked: Json[] = [];
  const waiting = new Map<unknown, (result: Json) => void>();
  let text = '';
  let nextId = 0;
  const request = (method: string, params: Json) =>
    new Promise<Json>((resolve) => {
      const id = `c${nextId++}`;
      waiting.set(id, resolve);
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const message = JSON.parse(text.slice(0, end)) as Json;
      text = text.slice(end + 1);
      if (message.method === 'elicitation/create') {
        asked.push(message.params as Json);
        const result = reply(message.params as Json);
        input.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n`);
      } else waiting.get(message.id)?.(message.result as Json);
    }
  });
  const clientInfo = { name: 'asked', version: '1' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  return {
    asked,
    stop: () => stopServers(running),
    execute: () => request('tools/call', call('brought', 'echo', { text: 'hello' })),
    executeTwice: () => {
      const calls = ['one', 'two'].map((text) => ({ server: 'brought', tool: 'echo', arguments: { text } }));
      return request('tools/call', { name: 'execute_tool', arguments: { calls } });
    },
    [Symbol.asyncDispose]: async () => {
      await session.drain(0);
      questions[Symbol.dispose]();
      await running[Symbol.asyncDispose]();
    },
  };
}

const CAPABLE = { elicitation: {} };
const approves = (remember: string) => () => ({ action: 'accept', content: { approve: true, remember } });

describe('a call to a server without approval', () => {
  it.each([
    {
      title: 'calls the tools after an approval',
      reply: approves('once'),
      expected: ['{"text":"one"}', '{"text":"two"}'],
    },
    { title: 'calls no tool if the user declines', reply: () => ({ action: 'decline' }), expected: [] },
  ])('asks once for several calls in one request, and $title', async ({ reply, expected }) => {
    using machine = makeMachine();
    await using client = await clientIn(machine, CAPABLE, reply);
    const { content } = (await client.executeTwice()) as { content: readonly { text: string }[] };
    expect(client.asked).toHaveLength(1);
    const texts = content.map(({ text }) => text);
    expect(texts.filter((text) => text.startsWith('{"text"'))).toEqual(expected);
    expect(texts.filter((text) => text.includes('SERVER_NOT_APPROVED'))).toHaveLength(2 - expected.length);
  });

  it('asks the user, shows the command and its source, and continues after an approval', async () => {
    using machine = makeMachine();
    await using client = await clientIn(machine, CAPABLE, approves('once'));
    expect(textOf(await client.execute())).toContain('hello');
    expect(client.asked).toEqual([
      {
        message: expect.stringMatching(/This would run: .*odd-server\.mjs[\s\S]*\.mcp\.json:\d+[\s\S]*brought/),
        requestedSchema: {
          type: 'object',
          properties: { approve: expect.objectContaining({ type: 'boolean' }), remember: expect.anything() },
          required: ['approve'],
        },
      },
    ]);
  });

  it('asks once for each gateway process after "once"', async () => {
    using machine = makeMachine();
    for (const _ of [1, 2]) {
      await using client = await clientIn(machine, CAPABLE, approves('once'));
      await client.execute();
      expect(textOf(await client.execute())).toContain('hello');
      expect(client.asked).toHaveLength(1);
    }
  });

  it('does not ask again after "always", also in the next gateway, until the entry changes', async () => {
    using machine = makeMachine();
    {
      await using client = await clientIn(machine, CAPABLE, approves('always'));
      expect(textOf(await client.execute())).toContain('hello');
    }
    {
      await using client = await clientIn(machine, CAPABLE, approves('always'));
      expect(textOf(await client.execute())).toContain('hello');
      expect(client.asked).toEqual([]);
    }
    await using client = await clientIn(machine, CAPABLE, approves('always'), {}, ['--changed']);
    await client.execute();
    expect(client.asked).toEqual([expect.objectContaining({ message: expect.stringContaining('changed') })]);
  });

  it.each([
    {
      title: 'a refusal',
      capabilities: CAPABLE,
      reply: () => ({ action: 'accept', content: { approve: false } }),
      asked: 1,
    },
    { title: 'a decline', capabilities: CAPABLE, reply: () => ({ action: 'decline' }), asked: 1 },
    {
      title: 'an accept without a value',
      capabilities: CAPABLE,
      reply: () => ({ action: 'accept', content: {} }),
      asked: 1,
    },
    {
      title: 'a string instead of a boolean',
      capabilities: CAPABLE,
      reply: () => ({ action: 'accept', content: { approve: 'true' } }),
      asked: 1,
    },
    { title: 'no elicitation capability', capabilities: {}, reply: approves('always'), asked: 0 },
  ])('fails with $title', async ({ capabilities, reply, asked }) => {
    using machine = makeMachine();
    await using client = await clientIn(machine, capabilities, reply);
    const result = await client.execute();
    expect({ code: codeOf(result), asked: client.asked.length }).toEqual({ code: 'SERVER_NOT_APPROVED', asked });
    expect(textOf(result)).toContain('portolan approve brought');
  });

  it('does not ask with "elicitation": false', async () => {
    using machine = makeMachine();
    await using client = await clientIn(machine, CAPABLE, approves('always'), { elicitation: false });
    expect(codeOf(await client.execute())).toBe('SERVER_NOT_APPROVED');
    expect(client.asked).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('a call to a server whose files changed after the approval', () => {
  const SCRIPT = `import ${JSON.stringify(ODD_SERVER)};\n`;
  const brought = (machine: Machine, text: string) => machine.write({ '<project>/server.mjs': text });
  const entry = { command: process.execPath, args: ['./server.mjs'] };

  it.each(['once', 'always'])('asks again after "%s", and shows the changed lines', async (remember) => {
    using machine = makeMachine();
    brought(machine, SCRIPT);
    await using client = await clientIn(machine, CAPABLE, approves(remember), {}, [], entry);
    expect(textOf(await client.execute())).toContain('hello');
    await client.stop();
    brought(machine, `const added = 'sk-1234567890abcdef';\n${SCRIPT}`);
    expect(textOf(await client.execute())).toContain('hello');
    expect(client.asked).toHaveLength(2);
    const { message } = client.asked[1] ?? {};
    if (remember === 'always') expect(message).toMatch(/server\.mjs changed:\n *1: const added = '\[secret\]'/);
    expect(message).toContain('An approval covers the content of: server.mjs');
    expect(message).toContain('not covered: files that these files import or read');
  });

  it('does not start the server after a refusal', async () => {
    using machine = makeMachine();
    brought(machine, SCRIPT);
    let answer = true;
    const reply = () => ({ action: 'accept', content: { approve: answer, remember: 'always' } });
    await using client = await clientIn(machine, CAPABLE, reply, {}, [], entry);
    expect(textOf(await client.execute())).toContain('hello');
    await client.stop();
    answer = false;
    brought(machine, `throw new Error('it ran');\n`);
    expect(codeOf(await client.execute())).toBe('SERVER_NOT_APPROVED');
  });
});
