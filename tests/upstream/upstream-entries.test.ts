import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../src/base/index.js';
import { scanMachine } from '../../src/discovery/index.js';
import type { LaunchEnvironment } from '../../src/upstream/index.js';
import { admitted } from '../fixtures/remote/admitted.js';
import {
  connectRemote,
  failureOf,
  MAX_BYTES,
  makeLaunchEnvironment,
  OPTIONS,
} from '../fixtures/remote/connect-remote.js';
import { countingHelper } from '../fixtures/remote/counting-helper.js';
import { serveSse } from '../fixtures/remote/sse-server.js';
import { serveWs } from '../fixtures/remote/ws-server.js';
import { type Handler, sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { makeMachine } from '../support/machine.js';

const echoed = (given: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] });

/** Requires the key as bearer token. */
function withKey(key: () => string, handler: Handler): Handler {
  return (request) =>
    request.headers.get('authorization') === `Bearer ${key()}`
      ? handler(request)
      : new Response('unauthorized', { status: 401 });
}

describe('an IDE server', () => {
  const ide = { name: 'Editor', runningInWindows: true };

  it.each(['ws', 'sse'] as const)('receives the token in its own header over %s', async (transport) => {
    await using machine = makeLaunchEnvironment();
    await using server = transport === 'ws' ? await serveWs() : await serveSse();
    await using _one = await connectRemote(
      admitted({ transport, url: server.url, authToken: 'secret-1', ide }),
      machine,
    );
    const seen = 'handshakes' in server ? server.handshakes : server.headers;
    expect(seen.filter((headers) => headers['x-claude-code-ide-authorization'] !== 'secret-1')).toEqual([]);
    expect(seen.length).toBeGreaterThan(0);
  });

  it.each([
    { title: 'in Windows, from WSL', runningInWindows: true, distribution: 'Ubuntu', path: 'C:\\a.ts' },
    { title: 'in Windows, from Windows', runningInWindows: true, distribution: undefined, path: '/mnt/c/a.ts' },
    { title: 'in the same Linux', runningInWindows: false, distribution: 'Ubuntu', path: '/mnt/c/a.ts' },
  ])('receives a path in the format of its system: $title', async ({ runningInWindows, distribution, path }) => {
    await using machine = makeLaunchEnvironment({ platform: 'linux', env: { WSL_DISTRO_NAME: distribution } });
    await using server = await serveWs({ call: () => ({}) });
    const entry = admitted({ transport: 'ws', url: server.url, ide: { name: 'Editor', runningInWindows } });
    await using one = await connectRemote(entry, machine);
    await one.connection.callTool('openFile', { filePath: '/mnt/c/a.ts' }, OPTIONS);
    expect(server.got.at(-1)).toEqual({
      method: 'tools/call',
      params: { name: 'openFile', arguments: { filePath: path } },
    });
  });
});

describe('a hosted connector', () => {
  const hosted = { transport: 'claudeai-proxy', scope: 'claudeai', id: 'srv 1' } as const;

  it('is called over Streamable HTTP at the URL with its id and the token', async () => {
    await using machine = makeLaunchEnvironment({ connectorToken: 'connector-token' });
    const paths: string[] = [];
    const handler = sdkHandler();
    await using server = await serveHttp((request) => {
      paths.push(new URL(request.url).pathname);
      return handler(request);
    });
    const url = server.url.replace('/mcp', '/v1/{server_id}');
    await using one = await connectRemote(admitted({ ...hosted, url }), machine);
    expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
    expect(new Set(paths)).toEqual(new Set(['/v1/srv%201']));
    const keys = server.headers.map((headers) => [headers.get('authorization'), headers.get('x-mcp-server-id')]);
    expect(keys).toEqual(keys.map(() => ['Bearer connector-token', 'srv 1']));
  });

  it.each([
    { title: 'an entry of a project with its type', scope: 'project' },
    { title: 'an entry of the user with its type', scope: 'user' },
  ] as const)('does not share its token with $title', { tags: 'S14' }, async ({ scope }) => {
    await using machine = makeLaunchEnvironment({ connectorToken: 'connector-token' });
    await using server = await serveHttp(sdkHandler());
    await using _one = await connectRemote(admitted({ ...hosted, url: server.url, scope }), machine);
    expect(server.headers.filter((headers) => headers.has('authorization'))).toEqual([]);
  });

  it('fails with an error about the token if it is refused', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveHttp(() => new Response('no', { status: 401 }));
    const failure = await failureOf(connectRemote(admitted({ ...hosted, url: server.url }), machine));
    expect(failure.message).toBe('it requires a token (HTTP 401)');
  });
});

describe('a server in the same process', () => {
  const named = admitted({ transport: 'sdk', name: 'inside' });
  const inside = (sdkServers: NonNullable<LaunchEnvironment['sdkServers']>) => makeLaunchEnvironment({ sdkServers });

  it.each([
    { title: 'the current SDK', factory: () => currentServer() },
    { title: 'the previous SDK', factory: () => formerServer() },
    { title: 'an asynchronous factory', factory: async () => currentServer() },
  ])('of $title can be called', async ({ factory }) => {
    await using machine = inside({ inside: factory });
    await using one = await connectRemote(named, machine);
    const calls = Array.from({ length: 20 }, (_, n) => one.connection.callTool('echo', { n }, OPTIONS));
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(calls.map((_, n) => echoed({ n })));
  });

  it('is subject to the size limit of a response', { tags: 'G6' }, async () => {
    await using machine = inside({ inside: () => currentServer() });
    await using one = await connectRemote(named, machine);
    const big = { x: 'x'.repeat(2 * MAX_BYTES) };
    expect(await failureOf(one.connection.callTool('echo', big, OPTIONS))).toMatchObject({
      code: ErrorCode.ResultTooLarge,
    });
    expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
  });

  it('closes the connection when it closes itself', async () => {
    const servers: { close(): Promise<void> }[] = [];
    const factory = () => {
      const server = currentServer();
      servers.push(server);
      return server;
    };
    await using machine = inside({ inside: factory });
    await using one = await connectRemote(named, machine);
    await servers[0]?.close();
    expect(one.closings).toEqual([undefined]);
    expect(await failureOf(one.connection.callTool('echo', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ConnectionError,
    });
  });

  it.each([
    { title: 'without a factory', sdkServers: {}, message: 'inside cannot be started: it runs inside another program' },
    {
      title: 'whose factory fails',
      sdkServers: { inside: () => Promise.reject(new Error('oh no')) },
      message: 'inside cannot be started: its program failed to create it',
    },
  ])('$title is a connection error', async ({ sdkServers, message }) => {
    await using machine = inside(sdkServers);
    expect(await failureOf(connectRemote(named, machine))).toMatchObject({ code: ErrorCode.ConnectionError, message });
  });
});

describe('a headersHelper', () => {
  it('that needs a shell is a problem of the scan', async () => {
    using machine = makeMachine();
    const entry = (headersHelper: string) => ({ type: 'http', url: 'https://a.example/', headersHelper });
    const mcpServers = { piped: entry('cat key | sed s/x/y/'), plain: entry("print-headers 'a | b'") };
    machine.write({ '~/.claude.json': JSON.stringify({ mcpServers }) });
    const { problems } = await scanMachine(machine.options({ clients: ['claude-code'] }));
    expect(problems).toEqual([
      {
        code: 'helper-needs-shell',
        severity: 'warning',
        message: 'its headersHelper contains "|", which needs a shell',
        hint: 'it runs without a shell: use a program with arguments, or put the commands into a script',
        source: expect.stringMatching(/\.claude\.json$/),
        line: expect.any(Number),
        server: 'piped',
      },
    ]);
  });

  it('is run once, and once more when its headers are refused', async () => {
    await using machine = makeLaunchEnvironment();
    let key = 'helper-key-0';
    await using server = await serveHttp(withKey(() => key, sdkHandler()));
    const definition = { transport: 'http', url: server.url, headers: { authorization: 'Bearer written' } } as const;
    const entry = admitted({ ...definition, headersHelper: countingHelper(machine.home) });
    await using one = await connectRemote(entry, machine);
    await one.connection.callTool('echo', {}, OPTIONS);
    key = 'helper-key-1';
    const calls = Array.from({ length: 5 }, (_, n) => one.connection.callTool('echo', { n }, OPTIONS));
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(calls.map((_, n) => echoed({ n })));
    const keys = new Set(server.headers.map((headers) => headers.get('authorization')));
    expect(keys).toEqual(new Set(['Bearer helper-key-0', 'Bearer helper-key-1']));
  });

  it('does not reveal its values in an error', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveHttp(
      (request) => new Response(`I got ${request.headers.get('authorization')}`, { status: 418 }),
    );
    const entry = admitted({ transport: 'http', url: server.url, headersHelper: countingHelper(machine.home) });
    const failure = await failureOf(connectRemote(entry, machine));
    expect(failure.message).toBe('it answered 418: I got [secret]');
  });

  it('is not run with a shell', async () => {
    await using machine = makeLaunchEnvironment();
    const entry = admitted({ transport: 'http', url: 'http://127.0.0.1:1/', headersHelper: 'touch x; echo' });
    expect(await failureOf(connectRemote(entry, machine))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message:
        'remote cannot be started: its headersHelper contains ";", which only a shell understands, and it is run without one',
    });
  });
});

function currentServer(): McpServer {
  const server = new McpServer({ name: 'inside', version: '1' }, { capabilities: { tools: {} } });
  const inputSchema = fromJsonSchema<Record<string, unknown>>({ type: 'object' });
  server.registerTool('echo', { inputSchema }, async (given) => ({
    content: [{ type: 'text', text: JSON.stringify(given) }],
  }));
  return server;
}

function formerServer(): Server {
  const server = new Server({ name: 'inside', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
    content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
  }));
  return server;
}
