import { existsSync } from 'node:fs';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import {
  configure,
  connect,
  environment,
  fixture,
  installed,
  isAlive,
  PROGRAM,
  type StdioClient,
  start,
  startsIn,
  until,
} from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const META_TOOLS = ['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool', 'run_python'];
const CLIENT_INFO = { name: 'sdk', version: '1' };

const launch = (machine: Machine) => ({
  command: process.execPath,
  args: [PROGRAM, 'serve'],
  cwd: machine.project,
  env: environment(machine),
});

describe('a client built with an SDK', () => {
  it.each([
    {
      title: 'version 1',
      revision: '2025-11-25',
      open: async (machine: Machine) => {
        const client = new OldClient(CLIENT_INFO);
        await client.connect(new OldTransport(launch(machine)));
        return { client, negotiated: (): string | undefined => '2025-11-25' }; // the SDK version 1 does not expose it, and supports no newer one
      },
    },
    {
      title: 'version 2 in its legacy mode',
      revision: '2025-11-25',
      open: async (machine: Machine) => {
        const client = new NewClient(CLIENT_INFO, { versionNegotiation: { mode: 'legacy' } });
        await client.connect(new NewTransport(launch(machine)));
        return { client, negotiated: (): string | undefined => client.getNegotiatedProtocolVersion() };
      },
    },
    {
      title: 'version 2 that negotiates',
      revision: '2026-07-28',
      open: async (machine: Machine) => {
        const client = new NewClient(CLIENT_INFO, { versionNegotiation: { mode: 'auto' } });
        await client.connect(new NewTransport(launch(machine)));
        return { client, negotiated: (): string | undefined => client.getNegotiatedProtocolVersion() };
      },
    },
  ])('of $title lists, searches and calls tools', async ({ open, revision }) => {
    using machine = makeMachine();
    const settings = { timeouts: { searchMs: 20_000 } };
    configure(machine, { everything: installed('@modelcontextprotocol/server-everything') }, settings);
    const { client, negotiated } = await open(machine);
    try {
      expect(negotiated()).toBe(revision);
      expect(client.getServerVersion()).toMatchObject({ name: 'portolan' });
      expect(client.getInstructions()).toContain('everything');
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(META_TOOLS);
      const search = await client.callTool({ name: 'search_tools', arguments: { query: 'tiny image' } });
      expect(search.structuredContent).toMatchObject({
        results: expect.arrayContaining([expect.objectContaining({ server: 'everything', tool: 'get-tiny-image' })]),
      });
      const given = { server: 'everything', tool: 'echo', arguments: { message: 'hi' } };
      const echo = await client.callTool({ name: 'execute_tool', arguments: given });
      expect(echo.content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
      const wrong = await client.callTool({ name: 'execute_tool', arguments: { ...given, tool: 'ecco' } });
      expect(wrong).toMatchObject({ isError: true, structuredContent: { error: { code: 'TOOL_NOT_FOUND' } } });
      await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    } finally {
      await client.close();
    }
  });

  it('can disconnect during a call, and its servers are stopped', async () => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { own: fixture(['--starts', starts]) });
    const client = new OldClient(CLIENT_INFO);
    await client.connect(new OldTransport(launch(machine)));
    const given = { server: 'own', tool: 'sleep', arguments: { ms: 500 } };
    const call = client.callTool({ name: 'execute_tool', arguments: given });
    call.catch(() => undefined);
    const [pid = 0] = await until(
      () => startsIn(starts),
      (pids) => pids.length > 0,
    );
    await client.close();
    await until(
      () => isAlive(pid),
      (alive) => !alive,
    );
  });
});

describe('invalid messages', () => {
  const INITIALIZE_PARAMS = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO };

  it.each([
    { title: 'text that is not JSON', line: '{"jsonrpc"', id: null, code: -32700 },
    { title: 'another version of JSON-RPC', line: '{"jsonrpc":"1.0","id":7,"method":"ping"}', id: 7, code: -32600 },
    { title: 'a message that is not an object', line: '7', id: null, code: -32600 },
    { title: 'an empty batch', line: '[]', id: null, code: -32600 },
    { title: 'an id that is an object', line: '{"jsonrpc":"2.0","id":{},"method":"ping"}', id: null, code: -32600 },
    { title: 'a message that is nested too deeply', line: '['.repeat(200) + ']'.repeat(200), id: null, code: -32600 },
    { title: 'an unknown method', line: '{"jsonrpc":"2.0","id":7,"method":"nope/nope"}', id: 7, code: -32601 },
    {
      title: 'params that are an array',
      line: '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
      id: 7,
      code: -32602,
    },
    {
      title: 'tools/call without a name',
      line: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
      id: 7,
      code: -32602,
    },
    {
      title: 'an unknown meta-tool',
      line: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"__proto__"}}',
      id: 7,
      code: -32602,
    },
    {
      title: 'initialize without a revision',
      line: '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}',
      id: 7,
      code: -32602,
    },
  ])('receive $code for $title, and the next message is served', async ({ line, id, code }) => {
    const client = await sharedClient();
    await expect(client.answerTo(id, line)).rejects.toMatchObject({ code });
    expect(await client.request('ping')).toEqual({});
  });

  it('are answered individually in a batch', async () => {
    const client = await sharedClient();
    const answers = ['a', 'b'].map((id) => client.answerTo(id, ''));
    client.send(JSON.stringify(['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))));
    expect(await Promise.all(answers)).toEqual([{}, {}]);
  });

  it('with the id of a running request are rejected, and the running request is answered', async () => {
    const client = await sharedClient();
    const before = client.unmatched.length;
    const call = { jsonrpc: '2.0', id: 'twice', method: 'tools/call', params: { name: 'list_mcp_servers' } };
    const answer = client.answerTo('twice', JSON.stringify([call, call]));
    const first = await answer.catch((error: Error) => error);
    const [second] = await until(
      () => client.unmatched.splice(before),
      (responses) => responses.length === 1,
    );
    expect([first, second]).toEqual(
      expect.arrayContaining([
        expect.toSatisfy((one) => one.code === -32600 || one.error?.code === -32600),
        expect.toSatisfy((one) => 'content' in one || 'result' in one),
      ]),
    );
  });

  it('over the size limit are rejected with their id, and the next message is served', async () => {
    const client = await sharedClient();
    const params = {
      name: 'execute_tool',
      arguments: { server: 's', tool: 't', arguments: { text: 'x'.repeat(5_000_000) } },
    };
    await expect(client.answerTo(99, { jsonrpc: '2.0', id: 99, method: 'tools/call', params })).rejects.toMatchObject({
      code: -32600,
    });
    expect(await client.request('ping')).toEqual({});
  });

  it('with an unknown protocol revision receive a supported one', async () => {
    const client = await sharedClient();
    expect(await client.request('initialize', { ...INITIALIZE_PARAMS, protocolVersion: '1999-01-01' })).toMatchObject({
      protocolVersion: '2025-11-25',
    });
    expect(await client.request('initialize', { ...INITIALIZE_PARAMS, protocolVersion: '2024-11-05' })).toMatchObject({
      protocolVersion: '2024-11-05',
    });
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    await expect(client.request('tools/list', { _meta })).rejects.toMatchObject({ code: -32022 });
  });

  let shared: Promise<StdioClient> | undefined;
  const machine = makeMachine();
  function sharedClient(): Promise<StdioClient> {
    shared ??= connect(machine);
    return shared;
  }

  it('do not prevent a clean shutdown', async () => {
    const client = await sharedClient();
    client.endInput();
    expect(await client.exited).toEqual({ code: 0, signal: null });
    expect({ unmatched: client.unmatched, stderr: client.stderr }).toEqual({ unmatched: [], stderr: '' });
    machine[Symbol.dispose]();
  });
});

describe('a cancelled call', () => {
  it('is also cancelled at its server, and frees its slot', async () => {
    using machine = makeMachine();
    configure(machine, { own: fixture() }, { limits: { inFlightPerServer: 1, queue: 1 } });
    await using client = await connect(machine);
    const params = { name: 'execute_tool', arguments: { server: 'own', tool: 'sleep', arguments: { ms: 20_000 } } };
    client.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params });
    await until(
      () => client.ask('list_mcp_servers'),
      ({ servers }) => servers[0].status === 'connected',
    );
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
    expect(await client.execute('own', 'echo', { text: 'next' })).toMatchObject({ content: [{ text: 'next' }] });
  });
});

describe('invalid settings', () => {
  it.each([
    { title: 'a value of the wrong type', text: '{"cache":{"ttl":"long"}}', parts: ['cache.ttl'] },
    { title: 'an unknown key', text: '{"timeouts":{"callMS":1}}', parts: ['callMS'] },
    { title: 'text that is not JSON', text: '{"cache":', parts: [] },
  ])('end the start with exit code 2 for $title, and are reported on stderr', async ({ text, parts }) => {
    using machine = makeMachine();
    const starts = machine.path('~/starts');
    configure(machine, { own: fixture(['--starts', starts]) });
    machine.write({ '~/.config/portolan/portolan.config.json': text });
    const client = start(machine);
    client.send({ jsonrpc: '2.0', id: 'early', method: 'ping' });
    expect(await client.exited).toEqual({ code: 2, signal: null });
    expect(client.stderr).toContain('SETTINGS_INVALID');
    for (const part of ['portolan.config.json', ...parts]) expect(client.stderr).toContain(part);
    expect({ unmatched: client.unmatched, notifications: client.notifications, started: existsSync(starts) }).toEqual({
      unmatched: [],
      notifications: [],
      started: false,
    });
  });
});

describe('portolan without arguments', () => {
  it('serves MCP if stdin is not a terminal', async () => {
    using machine = makeMachine();
    await using client = await connect(machine, { args: [] });
    expect((await client.request('tools/list')).tools).toHaveLength(META_TOOLS.length);
  });
});

describe('servers that hang during their start', () => {
  it('do not prevent other servers from being read', async () => {
    using machine = makeMachine();
    const hanging = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, fixture([name, '--mute'])]));
    // Longer than the test, so that none of the starts times out.
    configure(machine, { ...hanging, good: fixture(['good']) }, { timeouts: { startMs: 300_000 } });
    await using client = await connect(machine);
    const found = await until(
      () => client.ask('search_tools', { query: 'echo a text' }),
      ({ results }) => results.length > 0,
      60_000,
    );
    expect([found.results[0], found.pending]).toMatchObject([{ server: 'good', tool: 'echo' }, ['a', 'b', 'c', 'd']]);
  });
});
