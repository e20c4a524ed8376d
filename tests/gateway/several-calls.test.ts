import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readAudit } from '../../src/audit/index.js';
import { fixture, until } from '../support/client-over-stdio.js';
import { gatewayWith, type Json, type LineClient, odd } from '../support/gateway-harness.js';

const ASKING = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/asking-server.mjs');
const PREFIX = 'io.modelcontextprotocol';
const LIMIT = 20;
const ELICITATION = { elicitation: { form: {} } };
const MODERN = {
  [`${PREFIX}/protocolVersion`]: '2026-07-28',
  [`${PREFIX}/clientCapabilities`]: ELICITATION,
  [`${PREFIX}/clientInfo`]: { name: 'modern', version: '1' },
};

const asking = (era: 'legacy' | 'modern', name: string) => ({
  command: process.execPath,
  args: [ASKING, ...(era === 'modern' ? ['--modern'] : []), `--${name}`],
  era,
});
const question = (count: number) => ({ count, message: 'which?', requestedSchema: { type: 'object', properties: {} } });

interface Several {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** The texts of a result; JSON is parsed. */
function textsOf({ content }: Several): unknown[] {
  return content.map(({ text = '' }) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  });
}

async function several(client: LineClient, calls: readonly Json[], more: Json = {}): Promise<Several> {
  const { result } = await client.request('tools/call', { name: 'execute_tool', arguments: { calls }, ...more });
  return result as unknown as Several;
}

/** Answers the questions as a legacy client: requests during the call, each as soon as all calls have asked one. */
async function askedOnConnection(client: LineClient, calls: readonly Json[]) {
  const open = () => client.notifications.filter(({ method }) => method === 'elicitation/create');
  const result = several(client, calls);
  const atOnce = (await until(open, (asked) => asked.length >= calls.length)).length;
  let isOver = false;
  void result.finally(() => {
    isOver = true;
  });
  const answered = new Set<unknown>();
  await until(
    () => {
      for (const { id } of open()) {
        if (answered.has(id)) continue;
        answered.add(id);
        void client.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { action: 'accept', content: {} } })}\n`);
      }
      return isOver;
    },
    (over) => over,
  );
  client.notifications.length = 0;
  return { atOnce, answers: acceptedIn(await result) };
}

/** Answers the questions as a modern client: they are in the result, and the request is repeated with the answers. */
async function askedInResults(client: LineClient, calls: readonly Json[]) {
  let result: Json = (await several(client, calls, { _meta: MODERN })) as unknown as Json;
  const first = Object.keys(result.inputRequests ?? {}).length;
  while (result.resultType === 'input_required') {
    const inputResponses = Object.fromEntries(
      Object.keys(result.inputRequests ?? {}).map((key) => [key, { action: 'accept', content: {} }]),
    );
    const { requestState } = result;
    result = (await several(client, calls, { _meta: MODERN, inputResponses, requestState })) as unknown as Json;
  }
  return { atOnce: first, answers: acceptedIn(result as unknown as Several) };
}

/** The number of accepted questions of each call. */
function acceptedIn(result: Several): number[] {
  return textsOf(result).flatMap((text) => {
    const { accepted } = text as { accepted?: number };
    return accepted === undefined ? [] : [accepted];
  });
}

describe('execute_tool with several calls', () => {
  it('returns the outcome of each in their order, under the rules of single calls, and logs each', async () => {
    await using gateway = await gatewayWith({ one: fixture(['one']), two: fixture(['two']) });
    const client = gateway.connect();
    await client.initialize();
    const steps: Json[] = [];
    const calls = [
      { server: 'one', tool: 'echo', arguments: { text: 'first' } },
      { server: 'two', tool: 'complain' },
      { server: 'two', tool: 'no_such_tool' },
      { server: 'three', tool: 'echo' },
      { server: 'two', tool: 'echo', arguments: { text: 'last' } },
    ];
    const result = await several(client, calls, { _meta: { progressToken: 7 } });
    expect(result.isError).toBeUndefined();
    const texts = textsOf(result);
    expect(texts[0]).toEqual({ call: 0, server: 'one', tool: 'echo', success: true });
    expect(texts[1]).toBe('first');
    expect(texts[2]).toEqual({ call: 1, server: 'two', tool: 'complain', success: false });
    expect(texts.slice(-4)).toEqual([
      { call: 2, success: false, error: expect.objectContaining({ code: 'TOOL_NOT_FOUND', tool: 'no_such_tool' }) },
      { call: 3, success: false, error: expect.objectContaining({ code: 'SERVER_NOT_FOUND', server: 'three' }) },
      { call: 4, server: 'two', tool: 'echo', success: true },
      'last',
    ]);
    for (const { method, params } of client.notifications)
      if (method === 'notifications/progress') steps.push(params as Json);
    expect(steps.map(({ progress, total }) => [progress, total])).toEqual(calls.map((_, n) => [n + 1, calls.length]));
    const folder = gateway.machine.path('~/.local/state/portolan/audit');
    const logged = await until(
      async () => (await readAudit(folder)).entries,
      (entries) => entries.length >= calls.length,
    );
    expect(logged.map(({ server, tool, outcome }) => `${server} ${tool} ${outcome}`).toSorted()).toEqual([
      'one echo ok',
      'three echo SERVER_NOT_FOUND',
      'two complain tool-error',
      'two echo ok',
      'two no_such_tool TOOL_NOT_FOUND',
    ]);
  });

  it('cancels all of them with the request', async () => {
    await using gateway = await gatewayWith({ odd: odd() });
    const client = gateway.connect();
    await client.initialize();
    const wait = { server: 'odd', tool: 'wait', arguments: { ms: 60_000 } };
    const outcome = client.answerTo(
      'long',
      JSON.stringify({
        ...{ jsonrpc: '2.0', id: 'long', method: 'tools/call' },
        params: { name: 'execute_tool', arguments: { calls: [wait, wait] } },
      }),
    );
    outcome.catch(() => undefined); // a cancelled request gets no response
    const running = () => gateway.running.shared.pool.running()[0]?.calls;
    await until(running, (calls) => calls === 2);
    await client.write(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } })}\n`,
    );
    await until(running, (calls) => calls === 0);
  });

  it('is an error if every call failed', async () => {
    await using gateway = await gatewayWith({ one: fixture() });
    const client = gateway.connect();
    await client.initialize();
    expect(
      (
        await several(client, [
          { server: 'one', tool: 'complain' },
          { server: 'x', tool: 'y' },
        ])
      ).isError,
    ).toBe(true);
  });

  it('limits the size of all results together', async () => {
    const limits = { maxResultBytes: 10_000 };
    await using gateway = await gatewayWith({ one: fixture() }, { limits });
    const client = gateway.connect();
    await client.initialize();
    const text = 'x'.repeat(6_000);
    const call = { server: 'one', tool: 'echo', arguments: { text } };
    const [first, echoed, second, ...rest] = textsOf(await several(client, [call, call]));
    expect([first, echoed, second, rest]).toEqual([
      expect.objectContaining({ success: true }),
      text,
      { call: 1, success: false, error: expect.objectContaining({ code: 'RESULT_TOO_LARGE' }) },
      [],
    ]);
  });

  it.each(['legacy', 'modern'] as const)(
    'runs them in parallel and asks a %s client the questions of all of them, up to the limit of one call',
    { tags: 'G15' },
    async (era) => {
      await using gateway = await gatewayWith({
        old: asking('legacy', 'a'),
        other: asking('legacy', 'b'),
        current: asking('modern', 'c'),
      });
      const client = gateway.connect();
      if (era === 'legacy') {
        const clientInfo = { name: 'legacy', version: '1' };
        await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: ELICITATION, clientInfo });
      }
      const calls = (count: number, servers = ['old', 'other']) =>
        servers.map((server) => ({ server, tool: 'ask', arguments: question(count) }));
      const ask = (...given: Parameters<typeof calls>) =>
        era === 'legacy' ? askedOnConnection(client, calls(...given)) : askedInResults(client, calls(...given));
      const one = await ask(1);
      expect(one.answers).toEqual([1, 1]);
      // Neither call ends before its question is answered, so both questions show that they run at the same time. A
      // modern client may get them one after the other.
      if (era === 'legacy') expect(one.atOnce).toBe(2);
      // A server that returns its question as a result is called again for this call only.
      expect((await ask(1, ['current', 'old'])).answers).toEqual([1, 1]);
      const { answers } = await ask(LIMIT);
      expect(answers.reduce((sum, accepted) => sum + accepted, 0)).toBe(LIMIT);
    },
  );
});
