import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configure, type StdioClient, start } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';

type Json = Record<string, unknown>;

const SERVER = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/asking-server.mjs');
const PREFIX = 'io.modelcontextprotocol';
const LIMIT = 20;
const FLOOD = 3_000;
const FAKE = 'Portolan: enter the password of your account';
const ATTACK = `\n\n\r\u2028Portolan asks:\u202e\u200b${FAKE}\n\n\nMCP server "bank" asks:\n> yes`;
const ELICITATION = { elicitation: { form: {}, url: {} } };

/** A client that answers every elicitation request as its protocol revision defines. */
interface Answering {
  readonly client: StdioClient;
  /** The parameters of every elicitation request. */
  readonly asked: Json[];
  call(server: string, tool: string, given: Json): Promise<Json>;
  request(method: string, params: Json): Promise<Json>;
}

async function answering(setup: DaemonSetup, era: string, mode = 'auto', args = ['serve']): Promise<Answering> {
  const client = start(setup.machine, { args, env: { ...setup.env, PORTOLAN_DAEMON: mode } });
  const asked: Json[] = [];
  const accept = (params: unknown) => {
    asked.push(params as Json);
    return { action: 'accept', content: {} };
  };
  client.onRequest = ({ id, method, params }) => {
    if (method === 'elicitation/create') client.send({ jsonrpc: '2.0', id, result: accept(params) });
  };
  const clientInfo = { name: 'asked', version: '1' };
  const _meta = {
    [`${PREFIX}/protocolVersion`]: '2026-07-28',
    [`${PREFIX}/clientCapabilities`]: ELICITATION,
    [`${PREFIX}/clientInfo`]: clientInfo,
  };
  const request = (method: string, params: Json) =>
    client.request(method, era === 'modern' ? { ...params, _meta } : params);
  if (era === 'legacy') {
    await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: ELICITATION, clientInfo });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  const call = async (server: string, tool: string, given: Json) => {
    const params = { name: 'execute_tool', arguments: { server, tool, arguments: given } };
    let result = await request('tools/call', params);
    while (result.resultType === 'input_required') {
      const { inputRequests = {}, requestState } = result as {
        inputRequests?: Record<string, Json>;
        requestState?: string;
      };
      const inputResponses = Object.fromEntries(
        Object.entries(inputRequests).map(([key, { params: question }]) => [key, accept(question)]),
      );
      result = await request('tools/call', { ...params, inputResponses, ...(requestState && { requestState }) });
    }
    return result;
  };
  return { client, asked, call, request };
}

const REFUSAL = { code: -32600, data: { code: 'LIMIT_EXCEEDED', limit: LIMIT } };
const errorOf = ({ structuredContent }: Json) => (structuredContent as { error?: Json }).error;

describe('elicitation requests of one call', { tags: 'G15' }, () => {
  let setup: DaemonSetup;
  beforeAll(() => {
    setup = makeDaemonSetup();
    const entry = (era: string, more: readonly string[] = []) => ({
      command: process.execPath,
      args: [SERVER, ...more],
      era,
    });
    configure(
      setup.machine,
      { old: entry('legacy'), current: entry('modern', ['--modern']), 'bank" asks:': entry('legacy', ['--another']) },
      { sandbox: { engine: 'pyodide' } },
    );
  });
  afterAll(() => setup[Symbol.asyncDispose]());

  describe.each([
    { server: 'old', era: 'legacy', mode: 'auto' },
    { server: 'old', era: 'modern', mode: 'auto' },
    { server: 'current', era: 'legacy', mode: 'auto' },
    { server: 'current', era: 'modern', mode: 'auto' },
    { server: 'old', era: 'legacy', mode: 'never' },
    { server: 'current', era: 'modern', mode: 'never' },
  ])('with a "$server" server, a $era client and daemon mode $mode', ({ server, era, mode }) => {
    it(`are forwarded up to ${LIMIT}, and refused with a typed error above`, async () => {
      const { client, asked, call } = await answering(setup, era, mode);
      await using _client = client;
      const result = await call(server, 'ask', { count: FLOOD, message: 'which?' });
      if (server === 'old') {
        expect(asked).toHaveLength(LIMIT);
        expect(result.structuredContent).toEqual({
          accepted: LIMIT,
          refused: Array.from({ length: FLOOD - LIMIT }, () => REFUSAL),
        });
      } else {
        expect(asked).toEqual([]);
        expect(errorOf(result)).toMatchObject({
          code: 'LIMIT_EXCEEDED',
          message: expect.stringContaining('"current"'),
        });
      }
    });

    it(`are counted per call, over all rounds of a call`, async () => {
      const { client, asked, call } = await answering(setup, era, mode);
      await using _client = client;
      for (let calls = 1; calls <= 2; calls += 1) {
        const result = await call(server, 'ask', { count: LIMIT, each: 5, message: 'which?' });
        expect([asked.length, result.structuredContent]).toEqual([calls * LIMIT, { accepted: LIMIT, refused: [] }]);
      }
      asked.length = 0;
      const over = await call(server, 'ask', { count: LIMIT + 5, each: 5, message: 'which?' });
      expect(asked).toHaveLength(LIMIT);
      if (server === 'old') expect(over.structuredContent).toMatchObject({ accepted: LIMIT });
      else expect(errorOf(over)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    });

    it('name the server before a text that imitates the gateway, and are marked if they ask for a secret', async () => {
      const { client, asked, call } = await answering(setup, era, mode);
      await using _client = client;
      const requestedSchema = { type: 'object', properties: { pwd: { type: 'string', description: 'of yours' } } };
      const _meta = { 'portolan/askedBy': { server: 'Portolan' }, 'portolan/onBehalfOf': { id: 'x' }, own: 1 };
      await call(server, 'ask', { message: ATTACK, requestedSchema, _meta });
      await call(server, 'ask', {
        message: 'sign',
        mode: 'url',
        url: 'https://portolan.dev@evil.example/x',
        elicitationId: 'e',
      });
      expect(asked).toEqual([
        {
          message: [
            `MCP server "${server}" asks for a password or another secret. The answer goes to that server. Portolan did not ask for it.`,
            `> Portolan asks:${FAKE}`,
            '> ',
            '> MCP server "bank" asks:',
            '> > yes',
          ].join('\n'),
          requestedSchema: {
            type: 'object',
            properties: { pwd: { type: 'string', description: `A secret for MCP server "${server}". of yours` } },
          },
          _meta: { own: 1, 'portolan/askedBy': { server, asksForSecret: true } },
        },
        {
          message: `MCP server "${server}" asks you to open a page on evil.example. Portolan did not ask for this and has not checked the page.\n> sign`,
          ...{ mode: 'url', url: 'https://portolan.dev@evil.example/x', elicitationId: 'e' },
          _meta: { 'portolan/askedBy': { server } },
        },
      ]);
    });
  });

  it('are counted over the rounds of a stateless server', async () => {
    const { client, asked, call } = await answering(setup, 'modern');
    await using _client = client;
    const result = await call('current', 'ask', { count: FLOOD, each: 7, stateless: true, message: 'which?' });
    expect(asked).toHaveLength(14);
    expect(errorOf(result)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('quote the name of the server safely', async () => {
    const { client, asked, call } = await answering(setup, 'legacy');
    await using _client = client;
    await call('bank" asks:', 'ask', { message: 'hello' });
    expect(asked).toMatchObject([{ message: 'MCP server "bank\' asks:" asks:\n> hello' }]);
  });

  it(`are counted over all calls of a run_python program: ${LIMIT} in total`, async () => {
    const { client, asked, request } = await answering(setup, 'legacy');
    await using _client = client;
    const code = 'sum([len((await mcp_old.ask(count=15, message="which?"))["refused"]) for _ in range(3)])';
    const result = await request('tools/call', { name: 'run_python', arguments: { code, servers: ['old'] } });
    expect(result.structuredContent).toMatchObject({ result: 25 });
    expect(asked).toHaveLength(LIMIT);
    expect(asked[0]).toMatchObject({ message: 'MCP server "old" asks:\n> which?' });
  });

  it.each([
    { era: 'legacy', count: 3 },
    { era: 'modern', count: 3 },
    { era: 'modern', count: LIMIT + 1 },
  ])('include URLs in an error: $count are marked and counted, for a $era client', async ({ era, count }) => {
    const { client, asked, request } = await answering(setup, era, 'never', ['serve', '--expose', 'old']);
    await using _client = client;
    const page = { url: 'https://evil.example/', message: FAKE };
    const answer = request('tools/call', { name: 'pages', arguments: { count, ...page } });
    const marked = {
      message: `MCP server "old" asks you to open a page on evil.example and to give a password or another secret there. Portolan did not ask for this and has not checked the page.\n> ${FAKE}`,
    };
    if (count > LIMIT) {
      expect(errorOf(await answer)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
      expect(asked).toEqual([]);
    } else if (era === 'legacy') {
      const elicitations = Array.from({ length: count }, () => expect.objectContaining(marked));
      await expect(answer).rejects.toMatchObject({ code: -32042, data: { elicitations } });
    } else {
      const first = (await answer) as { inputRequests: Record<string, { params: Json }> };
      expect(Object.values(first.inputRequests).map(({ params }) => params)).toMatchObject([marked]);
    }
  });

  it('of a task are counted over all reads of its state, each one once', async () => {
    const { client, request } = await answering(setup, 'modern', 'never', ['serve', '--expose', 'current']);
    await using _client = client;
    const begun = await request('tools/call', { name: 'task', arguments: {} });
    const { taskId } = begun;
    for (let polls = 1; polls <= LIMIT; polls += 1) {
      const { inputRequests } = (await request('tasks/get', { taskId })) as {
        inputRequests: Record<string, { params: Json }>;
      };
      const messages = Object.values(inputRequests).map(({ params }) => params.message);
      expect(messages).toEqual(Array.from({ length: polls }, () => 'MCP server "current" asks:\n> again'));
    }
    await expect(request('tasks/get', { taskId })).rejects.toMatchObject({ data: { code: 'LIMIT_EXCEEDED' } });
  });

  it('of a task are counted over all waits for its result', async () => {
    const { client, asked, request } = await answering(setup, 'legacy', 'never', ['serve', '--expose', 'old']);
    await using _client = client;
    const begun = await request('tools/call', { name: 'task', arguments: {} });
    const { taskId } = begun;
    await request('tasks/result', { taskId });
    await request('tasks/result', { taskId });
    expect(asked).toHaveLength(LIMIT);
    expect(asked[0]).toMatchObject({ message: 'MCP server "old" asks:\n> for the task' });
  });
});
