import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { discoverAll } from '../src/app/index.js';
import { ErrorCode } from '../src/base/index.js';
import type { Definition } from '../src/model/index.js';
import type { Surroundings } from '../src/upstream/index.js';
import { admitted } from './fixtures/remote/admitted.js';
import { failureOf, greeted, MAX_BYTES, makeSurroundings, OPTIONS } from './fixtures/remote/reached.js';
import { serveSse } from './fixtures/remote/sse-server.js';
import { serveWs } from './fixtures/remote/ws-server.js';
import { type Handler, sdkHandler, serveHttp } from './fixtures/servers/http-server.js';
import { makeMachine } from './machine.js';

const echoed = (given: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] });

/** A helper that says another key each time it is run. */
function countingHelper(folder: string): string {
  const file = join(folder, 'key.cjs');
  const count = JSON.stringify(join(folder, 'count'));
  writeFileSync(
    file,
    `const fs = require('node:fs'); let n = 0; try { n = Number(fs.readFileSync(${count})) } catch {}
     fs.writeFileSync(${count}, String(n + 1)); console.log(JSON.stringify({ Authorization: 'Bearer helper-key-' + n }))`,
  );
  return `"${process.execPath}" "${file}"`;
}

/** Lets in only who has the key. */
function guarded(key: () => string, handler: Handler): Handler {
  return (request) =>
    request.headers.get('authorization') === `Bearer ${key()}`
      ? handler(request)
      : new Response('who?', { status: 401 });
}

describe('a server over SSE', () => {
  it('is greeted, listed and called, with the headers of its entry on every request', async () => {
    await using machine = makeSurroundings();
    await using server = await serveSse();
    const definition = { transport: 'sse', url: server.url, headers: { 'X-Key': 'k-1' } } as const;
    await using one = await greeted(admitted(definition), machine);
    expect((await one.connection.listTools(OPTIONS)).map((tool) => (tool as { name: string }).name)).toEqual([
      'echo',
      'big',
    ]);
    const calls = Array.from({ length: 20 }, (_, n) => one.connection.callTool('echo', { n }, OPTIONS));
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(calls.map((_, n) => echoed({ n })));
    expect(server.headers.filter((headers) => headers['x-key'] !== 'k-1')).toEqual([]);
  });

  it('G6 refuses an answer over the limit and goes on', async () => {
    await using machine = makeSurroundings();
    await using server = await serveSse();
    await using one = await greeted(admitted({ transport: 'sse', url: server.url }), machine);
    const failure = await failureOf(one.connection.callTool('big', { bytes: 5 * MAX_BYTES }, OPTIONS));
    expect(failure).toMatchObject({ code: ErrorCode.ResultTooLarge });
    expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
    expect(one.closings).toEqual([]);
  });

  it('is closed when its stream breaks off, and not opened again behind our back', async () => {
    await using machine = makeSurroundings();
    await using server = await serveSse();
    await using one = await greeted(admitted({ transport: 'sse', url: server.url }), machine);
    server.cut();
    await expect.poll(() => one.closings).toEqual(['the stream of its answers broke off']);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.seen.filter((line) => line === 'GET /sse')).toHaveLength(1);
  });

  it.each(['http://169.254.169.254/latest', 'http://127.0.0.1:1/messages', '//10.0.0.1/x', 'http://localhost/x'])(
    'S14 is left when it names %s as the place for messages',
    async (endpoint) => {
      await using machine = makeSurroundings();
      await using server = await serveSse({
        instead: (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          return response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
        },
      });
      const failure = await failureOf(greeted(admitted({ transport: 'sse', url: server.url }), machine));
      expect(failure).toMatchObject({
        code: ErrorCode.ConnectionError,
        message: expect.stringMatching(/origin does not match/),
      });
      expect(server.seen).toEqual(['GET /sse']);
    },
  );

  it.each([
    { status: 401, message: 'it wants a sign-in (HTTP 401)' },
    { status: 404, message: 'it answered 404: nothing here' },
  ])('says why when it answers $status', async ({ status, message }) => {
    await using machine = makeSurroundings();
    await using server = await serveSse({
      instead: (_, response) => Boolean(response.writeHead(status).end('nothing here')),
    });
    expect(await failureOf(greeted(admitted({ transport: 'sse', url: server.url }), machine))).toMatchObject({
      message,
    });
  });
});

describe('a server whose entry does not say how', () => {
  it('is spoken to over Streamable HTTP if it speaks that', async () => {
    await using machine = makeSurroundings();
    await using server = await serveHttp(sdkHandler());
    await using one = await greeted(admitted({ transport: 'auto', url: server.url }), machine);
    expect((await one.connection.callTool('echo', { a: 1 }, OPTIONS)).value).toEqual(echoed({ a: 1 }));
  });

  it('is spoken to over SSE if it refuses the greeting, and at once the next time', async () => {
    await using machine = makeSurroundings();
    await using server = await serveSse();
    const entry = admitted({ transport: 'auto', url: server.url });
    for (let n = 0; n < 3; n += 1) {
      await using one = await greeted(entry, machine);
      expect((await one.connection.callTool('echo', { n }, OPTIONS)).value).toEqual(echoed({ n }));
    }
    expect(server.seen.filter((line) => line.endsWith(' /sse'))).toEqual(['POST /sse', ...Array(3).fill('GET /sse')]);
  });

  it.each([401, 403, 500])('is not asked in another way when it answers %i', async (status) => {
    await using machine = makeSurroundings();
    await using server = await serveHttp(() => new Response('no', { status }));
    const failure = await failureOf(greeted(admitted({ transport: 'auto', url: server.url }), machine));
    expect(failure.message).toContain(String(status));
    expect(server.seen).toEqual(['POST initialize']);
  });

  it('says of both ways why neither went', async () => {
    await using machine = makeSurroundings();
    await using server = await serveHttp(() => new Response('nope', { status: 404 }));
    const failure = await failureOf(greeted(admitted({ transport: 'auto', url: server.url }), machine));
    expect(failure.message).toBe('neither Streamable HTTP nor SSE: it answered 404: nope; it answered 404: nope');
  });
});

describe('a server over a web socket', () => {
  const ws = (url: string, more: Partial<Definition> = {}) => admitted({ transport: 'ws', url, ...more });
  const echo = (params: Record<string, unknown>) => echoed(params.arguments);

  it('is greeted and called, as the subprotocol mcp and with the headers of its entry', async () => {
    await using machine = makeSurroundings();
    await using server = await serveWs({ call: echo });
    await using one = await greeted(ws(server.url, { headers: { 'X-Key': 'k-1' } }), machine);
    expect((await one.connection.callTool('t', { ä: 1 }, OPTIONS)).value).toEqual(echoed({ ä: 1 }));
    expect(server.handshakes).toMatchObject([{ 'x-key': 'k-1', 'sec-websocket-protocol': 'mcp' }]);
  });

  it('is taken also if it knows of no subprotocols', async () => {
    await using machine = makeSurroundings();
    await using server = await serveWs({ call: echo, subprotocol: false });
    await using one = await greeted(ws(server.url), machine);
    expect((await one.connection.callTool('t', {}, OPTIONS)).value).toEqual(echoed({}));
  });

  it('G6 refuses an answer over the limit and goes on', async () => {
    await using machine = makeSurroundings();
    await using server = await serveWs({
      call: ({ name }) => (name === 'big' ? { x: 'x'.repeat(2 * MAX_BYTES) } : {}),
    });
    await using one = await greeted(ws(server.url), machine);
    expect(await failureOf(one.connection.callTool('big', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ResultTooLarge,
    });
    expect((await one.connection.callTool('t', {}, OPTIONS)).value).toEqual({});
    expect(one.closings).toEqual([]);
  });

  it('G6 does not read a message that is far over it', async () => {
    await using machine = makeSurroundings();
    await using server = await serveWs({ call: () => ({ x: 'x'.repeat(50 * MAX_BYTES) }) });
    await using one = await greeted(ws(server.url), machine);
    expect(await failureOf(one.connection.callTool('t', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ResultTooLarge,
    });
    await expect.poll(() => one.closings).toEqual([`it sent a message of more than ${4 * MAX_BYTES} bytes`]);
  });

  it.each([
    { code: 1008, words: 'bad\u001b[31m token', says: 'it does not let us in: bad token' },
    { code: 1012, words: '', says: 'it is being restarted' },
    { code: 4321, words: '', says: 'it closed the connection with code 4321' },
  ])('says why it was closed with $code', async ({ code, words, says }) => {
    await using machine = makeSurroundings();
    await using server = await serveWs({ call: (_, socket) => socket.close(code, words) });
    await using one = await greeted(ws(server.url), machine);
    expect(await failureOf(one.connection.callTool('t', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: says,
    });
    expect(one.closings).toEqual([says]);
  });

  it.each([
    { status: 401, message: 'it wants a sign-in (HTTP 401)' },
    { status: 503, message: 'it answered 503' },
    { status: 302, message: 'it answered 302' },
  ])('says why when its handshake is answered with $status', async ({ status, message }) => {
    await using machine = makeSurroundings();
    await using server = await serveWs({ refuse: () => status });
    expect(await failureOf(greeted(ws(server.url), machine))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message,
    });
    expect(server.handshakes).toHaveLength(1);
  });

  it('says that nobody is there', async () => {
    await using machine = makeSurroundings();
    const failure = await failureOf(greeted(ws('ws://127.0.0.1:1/'), machine));
    expect(failure.message).toBe('the server could not be reached (ECONNREFUSED)');
  });

  it('is asked for new headers once when it refuses those of the helper', async () => {
    await using machine = makeSurroundings();
    await using server = await serveWs({
      call: echo,
      refuse: ({ authorization }) => (authorization === 'Bearer helper-key-1' ? undefined : 401),
    });
    await using one = await greeted(ws(server.url, { headersHelper: countingHelper(machine.home) }), machine);
    expect((await one.connection.callTool('t', {}, OPTIONS)).value).toEqual(echoed({}));
    expect(server.handshakes.map(({ authorization }) => authorization)).toEqual([
      'Bearer helper-key-0',
      'Bearer helper-key-1',
    ]);
  });
});

describe('a server of an editor', () => {
  const ide = { name: 'Editor', runningInWindows: true };

  it.each(['ws', 'sse'] as const)('over %s gets the token in its own header', async (transport) => {
    await using machine = makeSurroundings();
    await using server = transport === 'ws' ? await serveWs() : await serveSse();
    await using _one = await greeted(admitted({ transport, url: server.url, authToken: 'secret-1', ide }), machine);
    const seen = 'handshakes' in server ? server.handshakes : server.headers;
    expect(seen.filter((headers) => headers['x-claude-code-ide-authorization'] !== 'secret-1')).toEqual([]);
    expect(seen.length).toBeGreaterThan(0);
  });

  it.each([
    { title: 'in Windows, from the Linux in it', runningInWindows: true, distribution: 'Ubuntu', path: 'C:\\a.ts' },
    { title: 'in Windows, from Windows', runningInWindows: true, distribution: undefined, path: '/mnt/c/a.ts' },
    { title: 'in the same Linux', runningInWindows: false, distribution: 'Ubuntu', path: '/mnt/c/a.ts' },
  ])('$title is told a path as it knows it', async ({ runningInWindows, distribution, path }) => {
    await using machine = makeSurroundings({ platform: 'linux', env: { WSL_DISTRO_NAME: distribution } });
    await using server = await serveWs({ call: () => ({}) });
    const entry = admitted({ transport: 'ws', url: server.url, ide: { name: 'Editor', runningInWindows } });
    await using one = await greeted(entry, machine);
    await one.connection.callTool('openFile', { filePath: '/mnt/c/a.ts' }, OPTIONS);
    expect(server.got.at(-1)).toEqual({
      method: 'tools/call',
      params: { name: 'openFile', arguments: { filePath: path } },
    });
  });
});

describe('a hosted connector', () => {
  const hosted = { transport: 'claudeai-proxy', scope: 'claudeai', id: 'srv 1' } as const;

  it('is reached over Streamable HTTP at its address with its id and the token', async () => {
    await using machine = makeSurroundings({ connectorToken: 'connector-token' });
    const paths: string[] = [];
    const handler = sdkHandler();
    await using server = await serveHttp((request) => {
      paths.push(new URL(request.url).pathname);
      return handler(request);
    });
    const url = server.url.replace('/mcp', '/v1/{server_id}');
    await using one = await greeted(admitted({ ...hosted, url }), machine);
    expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
    expect(new Set(paths)).toEqual(new Set(['/v1/srv%201']));
    const keys = server.headers.map((headers) => [headers.get('authorization'), headers.get('x-mcp-server-id')]);
    expect(keys).toEqual(keys.map(() => ['Bearer connector-token', 'srv 1']));
  });

  it.each([
    { title: 'an entry of a project that calls itself one', scope: 'project' },
    { title: 'an entry of the user that calls itself one', scope: 'user' },
  ] as const)('S14 gives the token to none but those of the account: not to $title', async ({ scope }) => {
    await using machine = makeSurroundings({ connectorToken: 'connector-token' });
    await using server = await serveHttp(sdkHandler());
    await using _one = await greeted(admitted({ ...hosted, url: server.url, scope }), machine);
    expect(server.headers.filter((headers) => headers.has('authorization'))).toEqual([]);
  });

  it('says where the token belongs when it is refused', async () => {
    await using machine = makeSurroundings();
    await using server = await serveHttp(() => new Response('no', { status: 401 }));
    const failure = await failureOf(greeted(admitted({ ...hosted, url: server.url }), machine));
    expect(failure.message).toBe('it wants a token (HTTP 401)');
  });
});

describe('a server in the same program', () => {
  const named = admitted({ transport: 'sdk', name: 'inside' });
  const inside = (sdkServers: NonNullable<Surroundings['sdkServers']>) => makeSurroundings({ sdkServers });

  it.each([
    { title: 'the current SDK', factory: () => currentServer() },
    { title: 'the SDK before it', factory: () => formerServer() },
    { title: 'a factory that takes its time', factory: async () => currentServer() },
  ])('by $title is greeted and called', async ({ factory }) => {
    await using machine = inside({ inside: factory });
    await using one = await greeted(named, machine);
    const calls = Array.from({ length: 20 }, (_, n) => one.connection.callTool('echo', { n }, OPTIONS));
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(calls.map((_, n) => echoed({ n })));
  });

  it('G6 is held to the limit of an answer like any other', async () => {
    await using machine = inside({ inside: () => currentServer() });
    await using one = await greeted(named, machine);
    const big = { x: 'x'.repeat(2 * MAX_BYTES) };
    expect(await failureOf(one.connection.callTool('echo', big, OPTIONS))).toMatchObject({
      code: ErrorCode.ResultTooLarge,
    });
    expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
  });

  it('learns that it is closed, and closes the connection when it closes itself', async () => {
    const servers: { close(): Promise<void> }[] = [];
    const factory = () => {
      const server = currentServer();
      servers.push(server);
      return server;
    };
    await using machine = inside({ inside: factory });
    await using one = await greeted(named, machine);
    await servers[0]?.close();
    expect(one.closings).toEqual([undefined]);
    expect(await failureOf(one.connection.callTool('echo', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ConnectionError,
    });
  });

  it.each([
    { title: 'nobody gave', sdkServers: {}, says: 'inside cannot be started: it lives in another program' },
    {
      title: 'its factory does not make',
      sdkServers: { inside: () => Promise.reject(new Error('oh no')) },
      says: 'inside cannot be started: its program could not make it',
    },
  ])('that $title is said not to be there', async ({ sdkServers, says }) => {
    await using machine = inside(sdkServers);
    expect(await failureOf(greeted(named, machine))).toMatchObject({ code: ErrorCode.ConnectionError, message: says });
  });
});

describe('a headersHelper', () => {
  it('that only a shell would understand is a problem before anybody reaches its server', async () => {
    using machine = makeMachine();
    const entry = (headersHelper: string) => ({ type: 'http', url: 'https://a.example/', headersHelper });
    const mcpServers = { piped: entry('cat key | sed s/x/y/'), plain: entry("print-headers 'a | b'") };
    machine.write({ '~/.claude.json': JSON.stringify({ mcpServers }) });
    const { problems } = await discoverAll(machine.options({ clients: ['claude-code'] }));
    expect(problems).toEqual([
      {
        code: 'helper-needs-shell',
        severity: 'warning',
        message: 'its headersHelper has "|" in it, which only a shell understands',
        hint: 'it is run without a shell: put more than a program and its words into a script',
        source: expect.stringMatching(/\.claude\.json$/),
        line: expect.any(Number),
        server: 'piped',
      },
    ]);
  });

  it('is run once, and once again when its headers are refused', async () => {
    await using machine = makeSurroundings();
    let key = 'helper-key-0';
    await using server = await serveHttp(guarded(() => key, sdkHandler()));
    const definition = { transport: 'http', url: server.url, headers: { authorization: 'Bearer written' } } as const;
    const entry = admitted({ ...definition, headersHelper: countingHelper(machine.home) });
    await using one = await greeted(entry, machine);
    await one.connection.callTool('echo', {}, OPTIONS);
    key = 'helper-key-1';
    const calls = Array.from({ length: 5 }, (_, n) => one.connection.callTool('echo', { n }, OPTIONS));
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(calls.map((_, n) => echoed({ n })));
    const keys = new Set(server.headers.map((headers) => headers.get('authorization')));
    expect(keys).toEqual(new Set(['Bearer helper-key-0', 'Bearer helper-key-1']));
  });

  it('shows none of its values in an error, also not those of a later run', async () => {
    await using machine = makeSurroundings();
    await using server = await serveHttp(
      (request) => new Response(`I got ${request.headers.get('authorization')}`, { status: 418 }),
    );
    const entry = admitted({ transport: 'http', url: server.url, headersHelper: countingHelper(machine.home) });
    const failure = await failureOf(greeted(entry, machine));
    expect(failure.message).toBe('it answered 418: I got [secret]');
  });

  it('is not run for a request to another server, nor with a shell', async () => {
    await using machine = makeSurroundings();
    const entry = admitted({ transport: 'http', url: 'http://127.0.0.1:1/', headersHelper: 'touch x; echo' });
    expect(await failureOf(greeted(entry, machine))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message:
        'remote cannot be started: its headersHelper has ";" in it, which only a shell understands, and it is run without one',
    });
  });
});

describe('S14 SSRF', () => {
  /** Names that lead to this machine and elsewhere, as a hostile name server would say. */
  const lookup: NonNullable<Surroundings['lookup']> = async (hostname) => {
    const address = {
      'public.example': '127.0.0.1',
      'metadata.example': '169.254.169.254',
      'mapped.example': '::ffff:169.254.169.254',
    }[hostname];
    if (address === undefined) throw new Error('ENOTFOUND');
    return [{ address, family: address.includes(':') ? 6 : 4 }];
  };

  /** A server that sends everyone on, and one that must not be reached. */
  async function redirecting(location: (port: number) => string, status: number) {
    const reached: string[] = [];
    const other = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const server = await serveHttp(() => new Response(null, { status, headers: { location: location(port) } }));
    const url = server.url.replace('127.0.0.1', 'public.example');
    return {
      ...{ url, reached, seen: server.seen },
      [Symbol.asyncDispose]: async () => {
        await server.stop();
        other.close();
      },
    };
  }

  it.each(
    [
      { to: () => 'http://169.254.169.254/latest/meta-data/', says: /a metadata service/ },
      { to: () => 'http://[::ffff:169.254.169.254]/', says: /a metadata service/ },
      { to: () => 'http://2852039166/', says: /a metadata service/ },
      { to: () => 'http://0xa9.0376.169.254/', says: /a metadata service/ },
      { to: () => 'http://169.254.169.254./', says: /a metadata service/ },
      { to: () => 'http://metadata.google.internal./', says: /a metadata service/ },
      { to: () => 'http://10.1.2.3/', says: /a private address/ },
      { to: () => 'http://[fd00::1]/', says: /a private address/ },
      { to: (port: number) => `http://localhost:${port}/`, says: /a private address/ },
      { to: (port: number) => `http://127.0.0.1:${port}/`, says: /a private address/ },
      { to: (port: number) => `http://127.1:${port}/`, says: /a private address/ },
      { to: (port: number) => `http://public.example:${port}/`, says: /another server/ },
      { to: () => 'https://other.example/', says: /another server/ },
      { to: () => 'file:///etc/passwd', says: /file:/ },
    ].flatMap((one) =>
      (['http', 'sse', 'auto'] as const).map((transport) => ({ ...one, transport, where: one.to(80) })),
    ),
  )('follows no redirect to $where over $transport', async ({ to, says, transport }) => {
    await using machine = makeSurroundings({ lookup });
    await using server = await redirecting(to, 307);
    const failure = await failureOf(
      greeted(admitted({ transport, url: server.url, headers: { 'X-Key': 'k' } }), machine),
    );
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: expect.stringMatching(/sends us on/) });
    expect(failure.message).toMatch(says);
    expect({ reached: server.reached, asked: server.seen.length }).toEqual({ reached: [], asked: 1 });
  });

  it('follows a redirect on the same server', async () => {
    await using machine = makeSurroundings({ lookup });
    const handler = sdkHandler();
    await using server = await serveHttp((request) => {
      const { pathname } = new URL(request.url);
      return pathname === '/mcp'
        ? new Response(null, { status: 307, headers: { location: '/moved' } })
        : handler(request);
    });
    await using one = await greeted(
      admitted({ transport: 'http', url: server.url, headers: { 'X-Key': 'k' } }),
      machine,
    );
    expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
    expect(server.headers.filter((headers) => headers.get('x-key') !== 'k')).toEqual([]);
  });

  it.each([
    ...['http://169.254.169.254/', 'http://[::ffff:a9fe:a9fe]/', 'http://2852039166/', 'http://0251.0376.0251.0376/'],
    ...['http://169.254.169.254./', 'http://metadata.google.internal/', 'http://METADATA.google.internal./mcp'],
    ...['http://metadata.example/', 'http://mapped.example/', 'http://100.100.100.200/', 'http://[fd00:ec2::254]/'],
  ])('connects to no metadata service, even if somebody wrote %s', async (url) => {
    for (const transport of ['http', 'sse', 'ws'] as const) {
      await using machine = makeSurroundings({ lookup });
      const written = transport === 'ws' ? url.replace('http', 'ws') : url;
      const failure = await failureOf(greeted(admitted({ transport, url: written }), machine));
      expect(failure).toMatchObject({
        code: ErrorCode.ConnectionError,
        message: expect.stringMatching(/is a metadata service/),
      });
    }
  });

  it('connects to a private address that somebody wrote, and to a name that leads to one', async () => {
    await using machine = makeSurroundings({ lookup });
    await using server = await serveHttp(sdkHandler());
    for (const host of ['127.0.0.1', 'public.example']) {
      await using one = await greeted(
        admitted({ transport: 'http', url: server.url.replace('127.0.0.1', host) }),
        machine,
      );
      expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
    }
  });

  it('asks for the address with every connection and connects to the one that was checked', async () => {
    let asked = 0;
    const changing: NonNullable<Surroundings['lookup']> = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
    };
    await using machine = makeSurroundings({ lookup: changing });
    // Every answer ends its connection, so that the next request needs another.
    const handler = sdkHandler();
    await using server = await serveHttp(async (request) => {
      const response = await handler(request);
      response.headers.set('connection', 'close');
      return response;
    });
    const url = server.url.replace('127.0.0.1', 'rebinding.example');
    await using one = await greeted(admitted({ transport: 'http', url }), machine);
    const failure = await failureOf(one.connection.callTool('echo', {}, OPTIONS));
    expect(failure.message).toMatch(/rebinding\.example.* is a metadata service/);
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
