import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../src/base/index.js';
import type { Definition } from '../../src/model/index.js';
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
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';

const echoed = (given: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] });

describe('a server over SSE', () => {
  it('is initialized, listed and called, with the headers of its entry on every request', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveSse();
    const definition = { transport: 'sse', url: server.url, headers: { 'X-Key': 'k-1' } } as const;
    await using one = await connectRemote(admitted(definition), machine);
    expect((await one.connection.listTools(OPTIONS)).map((tool) => (tool as { name: string }).name)).toEqual([
      'echo',
      'big',
    ]);
    const calls = Array.from({ length: 20 }, (_, n) => one.connection.callTool('echo', { n }, OPTIONS));
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(calls.map((_, n) => echoed({ n })));
    expect(server.headers.filter((headers) => headers['x-key'] !== 'k-1')).toEqual([]);
  });

  it('rejects a response over the limit and continues', { tags: 'G6' }, async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveSse();
    await using one = await connectRemote(admitted({ transport: 'sse', url: server.url }), machine);
    const failure = await failureOf(one.connection.callTool('big', { bytes: 5 * MAX_BYTES }, OPTIONS));
    expect(failure).toMatchObject({ code: ErrorCode.ResultTooLarge });
    expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
    expect(one.closings).toEqual([]);
  });

  it('is closed when its stream ends, without an automatic reconnect', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveSse();
    await using one = await connectRemote(admitted({ transport: 'sse', url: server.url }), machine);
    server.cut();
    await expect.poll(() => one.closings).toEqual(['its event stream ended unexpectedly']);
    await new Promise((resolve) => setTimeout(resolve, 100)); // no second request follows
    expect(server.seen.filter((line) => line === 'GET /sse')).toHaveLength(1);
  });

  it.each(['http://169.254.169.254/latest', 'http://127.0.0.1:1/messages', '//10.0.0.1/x', 'http://localhost/x'])(
    'is disconnected if its endpoint for messages is %s',
    { tags: 'S14' },
    async (endpoint) => {
      await using machine = makeLaunchEnvironment();
      await using server = await serveSse({
        instead: (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          return response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
        },
      });
      const failure = await failureOf(connectRemote(admitted({ transport: 'sse', url: server.url }), machine));
      expect(failure).toMatchObject({
        code: ErrorCode.ConnectionError,
        message: expect.stringMatching(/origin does not match/),
      });
      expect(server.seen).toEqual(['GET /sse']);
    },
  );

  it.each([
    { status: 401, message: 'it requires a sign-in (HTTP 401)' },
    { status: 404, message: 'it answered 404: nothing here' },
  ])('reports the reason of a response with $status', async ({ status, message }) => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveSse({
      instead: (_, response) => Boolean(response.writeHead(status).end('nothing here')),
    });
    expect(await failureOf(connectRemote(admitted({ transport: 'sse', url: server.url }), machine))).toMatchObject({
      message,
    });
  });
});

describe('a server without a transport in its entry', () => {
  it('is connected over Streamable HTTP if it supports that', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveHttp(sdkHandler());
    await using one = await connectRemote(admitted({ transport: 'auto', url: server.url }), machine);
    expect((await one.connection.callTool('echo', { a: 1 }, OPTIONS)).value).toEqual(echoed({ a: 1 }));
  });

  it('is connected over SSE if it rejects initialize, and the next time directly', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveSse();
    const entry = admitted({ transport: 'auto', url: server.url });
    for (let n = 0; n < 3; n += 1) {
      await using one = await connectRemote(entry, machine);
      expect((await one.connection.callTool('echo', { n }, OPTIONS)).value).toEqual(echoed({ n }));
    }
    expect(server.seen.filter((line) => line.endsWith(' /sse'))).toEqual(['POST /sse', ...Array(3).fill('GET /sse')]);
  });

  it.each([401, 403, 500])('is not connected over SSE after a response with %i', async (status) => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveHttp(() => new Response('no', { status }));
    const failure = await failureOf(connectRemote(admitted({ transport: 'auto', url: server.url }), machine));
    expect(failure.message).toContain(String(status));
    expect(server.seen).toEqual(['POST initialize']);
  });

  it('reports the errors of both transports', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveHttp(() => new Response('nope', { status: 404 }));
    const failure = await failureOf(connectRemote(admitted({ transport: 'auto', url: server.url }), machine));
    expect(failure.message).toBe('neither Streamable HTTP nor SSE: it answered 404: nope; it answered 404: nope');
  });
});

describe('a server over WebSocket', () => {
  const ws = (url: string, more: Partial<Definition> = {}) => admitted({ transport: 'ws', url, ...more });
  const echo = (params: Record<string, unknown>) => echoed(params.arguments);

  it('is initialized and called with the subprotocol mcp and the headers of its entry', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveWs({ call: echo });
    await using one = await connectRemote(ws(server.url, { headers: { 'X-Key': 'k-1' } }), machine);
    expect((await one.connection.callTool('t', { ä: 1 }, OPTIONS)).value).toEqual(echoed({ ä: 1 }));
    expect(server.handshakes).toMatchObject([{ 'x-key': 'k-1', 'sec-websocket-protocol': 'mcp' }]);
  });

  it('is accepted without a subprotocol', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveWs({ call: echo, subprotocol: false });
    await using one = await connectRemote(ws(server.url), machine);
    expect((await one.connection.callTool('t', {}, OPTIONS)).value).toEqual(echoed({}));
  });

  it('rejects a response over the limit and continues', { tags: 'G6' }, async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveWs({
      call: ({ name }) => (name === 'big' ? { x: 'x'.repeat(2 * MAX_BYTES) } : {}),
    });
    await using one = await connectRemote(ws(server.url), machine);
    expect(await failureOf(one.connection.callTool('big', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ResultTooLarge,
    });
    expect((await one.connection.callTool('t', {}, OPTIONS)).value).toEqual({});
    expect(one.closings).toEqual([]);
  });

  it('is disconnected by a message far over the limit', { tags: 'G6' }, async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveWs({ call: () => ({ x: 'x'.repeat(50 * MAX_BYTES) }) });
    await using one = await connectRemote(ws(server.url), machine);
    expect(await failureOf(one.connection.callTool('t', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ResultTooLarge,
    });
    await expect.poll(() => one.closings).toEqual([`it sent a message of more than ${4 * MAX_BYTES} bytes`]);
  });

  it.each([
    { code: 1008, reason: 'bad\u001b[31m token', message: 'it refused the connection by its policy: bad token' },
    { code: 1012, reason: '', message: 'it is being restarted' },
    { code: 4321, reason: '', message: 'it closed the connection with code 4321' },
  ])('reports the reason of a close with $code', async ({ code, reason, message }) => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveWs({ call: (_, socket) => socket.close(code, reason) });
    await using one = await connectRemote(ws(server.url), machine);
    expect(await failureOf(one.connection.callTool('t', {}, OPTIONS))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: message,
    });
    expect(one.closings).toEqual([message]);
  });

  it.each([
    { status: 401, message: 'it requires a sign-in (HTTP 401)' },
    { status: 503, message: 'it answered 503' },
    { status: 302, message: 'it answered 302' },
  ])('reports the reason of a handshake response with $status', async ({ status, message }) => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveWs({ refuse: () => status });
    expect(await failureOf(connectRemote(ws(server.url), machine))).toMatchObject({
      code: ErrorCode.ConnectionError,
      message,
    });
    expect(server.handshakes).toHaveLength(1);
  });

  it('reports that the server could not be reached', async () => {
    await using machine = makeLaunchEnvironment();
    const failure = await failureOf(connectRemote(ws('ws://127.0.0.1:1/'), machine));
    expect(failure.message).toBe('the server could not be reached (ECONNREFUSED)');
  });

  it('is connected once more with new headers of the helper if it refuses the first ones', async () => {
    await using machine = makeLaunchEnvironment();
    await using server = await serveWs({
      call: echo,
      refuse: ({ authorization }) => (authorization === 'Bearer helper-key-1' ? undefined : 401),
    });
    await using one = await connectRemote(ws(server.url, { headersHelper: countingHelper(machine.home) }), machine);
    expect((await one.connection.callTool('t', {}, OPTIONS)).value).toEqual(echoed({}));
    expect(server.handshakes.map(({ authorization }) => authorization)).toEqual([
      'Bearer helper-key-0',
      'Bearer helper-key-1',
    ]);
  });
});
