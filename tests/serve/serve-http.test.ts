import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import {
  callsReceived,
  configure,
  fixture,
  installed,
  isAlive,
  portolan,
  startsIn,
  until,
} from '../support/client-over-stdio.js';
import { type HttpGateway, serveOverHttp } from '../support/gateway-over-http.js';
import { makeMachine } from '../support/machine.js';

type Json = Record<string, unknown>;

const META_TOOLS = ['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool', 'run_python'];
const CLIENT_INFO = { name: 'sdk', version: '1' };
const CAPABILITIES = { sampling: {}, elicitation: { form: {} } };
const ODD = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/servers/odd-server.mjs');
const EVERYTHING = { everything: installed('@modelcontextprotocol/server-everything') };
const odd = (...words: string[]) => ({ command: process.execPath, args: [ODD, ...words] });

const ACCEPTED = { action: 'accept' as const, content: { name: 'Ada' } };
const SAMPLE = { role: 'assistant' as const, content: { type: 'text' as const, text: 'sampled' }, model: 'm' };

interface Step {
  readonly progress: number;
}
interface Options {
  readonly onprogress?: (step: Step) => void;
  readonly signal?: AbortSignal;
}

/** The operations of a client that the tests use, for every SDK version. */
interface AnyClient extends AsyncDisposable {
  readonly revision: string | undefined;
  listTools(): Promise<readonly string[]>;
  execute(server: string, tool: string, given?: Json, options?: Options): Promise<string>;
}

const textOf = (result: unknown): string =>
  (result as { content: readonly { text: string }[] }).content.map(({ text }) => text).join('\n');
const called = (server: string, tool: string, given: Json) => ({
  name: 'execute_tool',
  arguments: { server, tool, arguments: given },
});

async function oldClient({ url }: HttpGateway): Promise<AnyClient> {
  const client = new OldClient(CLIENT_INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, async () => ACCEPTED);
  client.setRequestHandler(CreateMessageRequestSchema, async () => SAMPLE);
  const transport = new OldTransport(new URL(url));
  // Its type does not satisfy `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    revision: transport.protocolVersion,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    execute: async (server, tool, given = {}, options = {}) =>
      textOf(await client.callTool(called(server, tool, given), undefined, options)),
    [Symbol.asyncDispose]: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

async function newClient(
  { url }: HttpGateway,
  mode: 'legacy' | 'auto',
): Promise<AnyClient & { readonly sdk: NewClient }> {
  const client = new NewClient(CLIENT_INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', async () => ACCEPTED);
  client.setRequestHandler('sampling/createMessage', async () => SAMPLE);
  const transport = new NewTransport(new URL(url));
  await client.connect(transport);
  return {
    sdk: client,
    revision: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    execute: async (server, tool, given = {}, options = {}) =>
      textOf(await client.callTool(called(server, tool, given), options)),
    [Symbol.asyncDispose]: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

const LIBRARIES = [
  { title: 'version 1 of the SDK', revision: '2025-11-25', open: oldClient },
  { title: 'version 2 in its legacy mode', revision: '2025-11-25', open: (to: HttpGateway) => newClient(to, 'legacy') },
  { title: 'version 2 that negotiates', revision: '2026-07-28', open: (to: HttpGateway) => newClient(to, 'auto') },
];

describe('clients over HTTP', () => {
  it('of every SDK version list and call tools at the same time, through one gateway and one server process', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { ...EVERYTHING, own: fixture(['--starts', starts]) });
    await using gateway = await serveOverHttp(machine);
    const clients = await Promise.all(LIBRARIES.map(({ open }) => open(gateway)));
    expect(clients.map(({ revision }) => revision)).toEqual(LIBRARIES.map(({ revision }) => revision));
    const seen = await Promise.all(
      clients.map(async (client, n) => ({
        tools: await client.listTools(),
        echo: await client.execute('everything', 'echo', { message: `from ${n}` }),
        own: await client.execute('own', 'echo', { text: `own ${n}` }),
      })),
    );
    expect(seen).toEqual([0, 1, 2].map((n) => ({ tools: META_TOOLS, echo: `Echo: from ${n}`, own: `own ${n}` })));
    expect(startsIn(starts)).toHaveLength(1);
    for (const client of clients) await client[Symbol.asyncDispose]();
  });

  it.each(LIBRARIES)(
    'of $title receive progress, sampling and elicitation requests during a call',
    async ({ open }) => {
      using machine = makeMachine();
      configure(machine, EVERYTHING);
      await using gateway = await serveOverHttp(machine);
      await using client = await open(gateway);
      const steps: number[] = [];
      const onprogress = ({ progress }: Step) => void steps.push(progress);
      const long = { duration: 0.5, steps: 5 };
      expect(await client.execute('everything', 'trigger-long-running-operation', long, { onprogress })).toContain(
        'completed',
      );
      // The last step may arrive with the response, and the SDKs then drop it.
      expect(steps.slice(0, 4)).toEqual([1, 2, 3, 4]);
      expect(await client.execute('everything', 'trigger-elicitation-request')).toContain('- Name: Ada');
      expect(await client.execute('everything', 'trigger-sampling-request', { prompt: 'hi' })).toContain('sampled');
    },
  );

  it.each(LIBRARIES)('of $title can cancel a call, and the server is notified', async ({ open }) => {
    using machine = makeMachine();
    const seen = machine.path('~/seen');
    configure(machine, { odd: odd('--seen', seen) });
    await using gateway = await serveOverHttp(machine);
    await using client = await open(gateway);
    const cancelling = new AbortController();
    const call = client.execute('odd', 'wait', { ms: 60_000 }, { signal: cancelling.signal });
    const read = () => (existsSync(seen) ? readFileSync(seen, 'utf8') : '');
    await until(read, (text) => text.includes('"wait"'));
    cancelling.abort();
    await expect(call).rejects.toThrow();
    await until(read, (text) => text.includes('notifications/cancelled'));
  });

  it('can run three calls on three streams, each with its own progress', async () => {
    using machine = makeMachine();
    configure(machine, EVERYTHING);
    await using gateway = await serveOverHttp(machine);
    await using client = await newClient(gateway, 'legacy');
    const runs = await Promise.all(
      [2, 3, 4].map(async (count) => {
        const steps: number[] = [];
        const onprogress = ({ progress }: Step) => void steps.push(progress);
        const text = await client.execute(
          'everything',
          'trigger-long-running-operation',
          { duration: 1, steps: count },
          { onprogress },
        );
        return { count, first: steps[0], isSteps: steps.every((step) => step <= count), text };
      }),
    );
    expect(runs).toEqual(
      [2, 3, 4].map((count) => ({
        count,
        first: 1,
        isSteps: true,
        text: `Long running operation completed. Duration: 1 seconds, Steps: ${count}.`,
      })),
    );
  });

  it('are notified when the servers change, in both protocol eras', async () => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    await using gateway = await serveOverHttp(machine);
    const [modern, legacy] = [await newClient(gateway, 'auto'), await newClient(gateway, 'legacy')];
    await using _both = {
      [Symbol.asyncDispose]: async () =>
        void (await Promise.all([modern, legacy].map((one) => one[Symbol.asyncDispose]()))),
    };
    const notified: string[] = [];
    for (const [name, { sdk }] of Object.entries({ modern, legacy }))
      sdk.setNotificationHandler('notifications/tools/list_changed', async () => void notified.push(name));
    await modern.sdk.listen({ toolsListChanged: true });
    configure(machine, { own: fixture(), another: fixture(['another']) });
    await until(
      () => new Set(notified),
      (names) => names.size === 2,
    );
  });
});

const META = 'io.modelcontextprotocol/';

/** Sends one stateless request without an SDK. */
async function modernCall({ url }: HttpGateway, params: Json, client = 'raw'): Promise<Json> {
  const _meta = {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientCapabilities`]: CAPABILITIES,
    [`${META}clientInfo`]: { name: client, version: '1' },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'execute_tool',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } }),
  });
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

describe('a stateless client whose server sends an elicitation during a call', () => {
  it('receives the elicitation with a sealed state, and gets the result once after it sends its input', async () => {
    using machine = makeMachine();
    configure(machine, EVERYTHING);
    await using gateway = await serveOverHttp(machine);
    const params = called('everything', 'trigger-elicitation-request', {});
    const { result } = (await modernCall(gateway, params)) as { result: Json };
    const { resultType, inputRequests, requestState } = result;
    expect(resultType).toBe('input_required');
    const [[key = '', elicitation] = []] = Object.entries(inputRequests as Json);
    expect(elicitation).toMatchObject({
      method: 'elicitation/create',
      params: { requestedSchema: { required: ['name'] } },
    });

    const retry = { ...params, inputResponses: { [key]: ACCEPTED } };
    const forged = { error: { code: -32602, message: expect.stringContaining('requestState') } };
    expect(await modernCall(gateway, { ...retry, requestState: `${String(requestState)}x` })).toMatchObject(forged);
    expect(await modernCall(gateway, { ...retry, requestState }, 'another client')).toMatchObject(forged);
    expect(textOf((await modernCall(gateway, { ...retry, requestState })).result)).toContain('- Name: Ada');
    expect(await modernCall(gateway, { ...retry, requestState })).toMatchObject(forged);
  });
});

describe('serve --http', () => {
  it('prints its URL on stderr, and finishes running calls after SIGTERM', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    const [received, finish] = [machine.path('~/received'), machine.path('~/finish')];
    configure(machine, { own: fixture(['--starts', starts, '--record', received, '--until', finish]) });
    await using gateway = await serveOverHttp(machine);
    expect(gateway.stderr()).toBe(`portolan listens on http://127.0.0.1:${gateway.port}/mcp\n`);
    await using client = await newClient(gateway, 'auto');
    const listening = await client.sdk.listen({ toolsListChanged: true });
    const call = client.execute('own', 'sleep', { ms: 1 });
    await callsReceived(received);
    const [pid = 0] = startsIn(starts);
    gateway.signal('SIGTERM');
    await listening.closed;
    writeFileSync(finish, '');
    expect(await call).toBe('slept 1');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    expect(isAlive(pid)).toBe(false);
    await listening.close();
  });

  it('exits immediately after SIGTERM if no call runs, also with a connected client', async () => {
    using machine = makeMachine();
    configure(machine, {});
    await using gateway = await serveOverHttp(machine);
    await newClient(gateway, 'legacy');
    const started = performance.now();
    gateway.signal('SIGTERM');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  it('exits with 1 if another program listens on the port', async () => {
    using machine = makeMachine();
    configure(machine, {});
    const other = createServer().listen(0, '127.0.0.1');
    await until(() => other.listening, Boolean);
    const { port } = other.address() as AddressInfo;
    const { status, stdout, stderr } = await portolan(machine, ['serve', '--http', `127.0.0.1:${port}`]);
    other.close();
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('another program is already listening there');
  });

  it.each([
    { title: 'a token without a port', args: ['serve', '--token', 'x'], output: 'it protects the HTTP port' },
    { title: 'an invalid address', args: ['serve', '--http=not an address'], output: 'is not a valid address' },
  ])('rejects $title with exit code 2', async ({ args, output }) => {
    using machine = makeMachine();
    configure(machine, {});
    const { status, stderr } = await portolan(machine, args);
    expect(status).toBe(2);
    expect(stderr).toContain(output);
  });
});

describe('the HTTP port of a gateway', () => {
  // `node-server.test.ts` tests with a short limit that the server closes such connections.
  it('serves requests while many other clients send their headers slowly', async () => {
    using machine = makeMachine();
    configure(machine, {});
    await using gateway = await serveOverHttp(machine);
    const slow = await Promise.all(Array.from({ length: 50 }, () => unfinishedRequest(gateway.port)));
    expect(await (await fetch(gateway.url.replace('/mcp', '/health'))).json()).toMatchObject({ status: 'ok' });
    expect(slow.filter((socket) => socket.closed)).toEqual([]);
    for (const socket of slow) socket.destroy();
  });

  it('responds with 413 to a body over the limit, and continues', async () => {
    using machine = makeMachine();
    configure(machine, {}, { limits: { maxArgumentBytes: 1_000 } });
    await using gateway = await serveOverHttp(machine);
    const post = (length: number) =>
      fetch(gateway.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `"${'x'.repeat(length)}"`,
      });
    expect((await post(2_000_000)).status).toBe(413);
    expect((await post(10)).status).toBe(400);
  });
});

/** A connection with an incomplete request. */
async function unfinishedRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  socket.write('POST /mcp HTTP/1.1\r\nHost: ');
  return socket;
}
