import { describe, expect, it } from 'vitest';
import {
  connectionOver,
  failureOf,
  LIMITS,
  MAX_BYTES,
  OPTIONS,
  targetAt,
} from '../../tests/fixtures/remote/reached.js';
import { type Handler, type HttpServer, sdkHandler, serveHttp } from '../../tests/fixtures/servers/http-server.js';
import { ErrorCode, PortolanError } from '../base/index.js';
import { greet } from './greet.js';
import { openHttpChannel } from './http-channel.js';
import type { RemoteTarget } from './remote-target.js';

const GREETING = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };

async function greeted(server: HttpServer, headers: Record<string, string> = {}, more: Partial<RemoteTarget> = {}) {
  const target = { ...(await targetAt(server.url, headers)), ...more };
  const one = connectionOver(await openHttpChannel(target, () => LIMITS));
  await greet(one.connection, { client: { name: 'portolan', version: '1' }, options: OPTIONS, era: 'legacy' });
  return one;
}

/** A server by hand: greets, and answers calls with the body that is given for them. */
function byHand(answer: (id: unknown) => Response | Promise<Response>): Handler {
  return async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method } = (await request.json()) as { id?: unknown; method: string };
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === 'initialize') return Response.json({ jsonrpc: '2.0', id, result: GREETING });
    return answer(id);
  };
}

/** A stream of events in the very pieces that are given. */
function events(pieces: readonly string[]): Response {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A moment between them, lest they are sent as one.
      await new Promise((resolve) => setTimeout(resolve, 2));
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(Buffer.from(next));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

describe('openHttpChannel', () => {
  it('speaks to a server of the official SDK: greets, lists, calls', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection } = await greeted(server);
    expect(connection.greeting).toMatchObject({ name: 'official', version: '2', protocolVersion: '2025-11-25' });
    const tools = await connection.listTools(OPTIONS);
    expect(tools.map((tool) => (tool as { name: string }).name)).toEqual(['echo', 'big', 'steps']);
    expect(await connection.callTool('echo', { a: 'ä' }, OPTIONS)).toEqual({
      value: { content: [{ type: 'text', text: '{"a":"ä"}' }] },
    });
    await connection.close();
  });

  it('hands on the headers of its entry with every request', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection } = await greeted(server, { Authorization: 'Bearer t-1' });
    await connection.callTool('echo', {}, OPTIONS);
    expect(server.headers.map((headers) => headers.get('authorization')).filter((one) => one !== 'Bearer t-1')).toEqual(
      [],
    );
    await connection.close();
  });

  it('hears of progress', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection } = await greeted(server);
    const steps: unknown[] = [];
    const result = await connection.callTool(
      'steps',
      {},
      { ...OPTIONS, conversation: { progress: (step) => steps.push(step) } },
    );
    expect(result.value).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(steps).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    await connection.close();
  });

  it('keeps many calls at once apart', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection } = await greeted(server);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) => connection.callTool('echo', { n }, OPTIONS)),
    );
    expect(results.map(({ value }) => value.content)).toEqual(
      results.map((_, n) => [{ type: 'text', text: `{"n":${n}}` }]),
    );
    await connection.close();
  });

  it('G6 refuses an answer over the limit and goes on', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection, closings } = await greeted(server);
    const failure = await failureOf(connection.callTool('big', { bytes: 50 * MAX_BYTES }, OPTIONS));
    expect(failure).toMatchObject({ code: ErrorCode.ResultTooLarge });
    expect((await connection.callTool('echo', {}, OPTIONS)).value).toEqual({ content: [{ type: 'text', text: '{}' }] });
    expect(closings).toEqual([]);
    await connection.close();
  });

  it.each([
    {
      title: 'one body',
      answer: (id: unknown) => Response.json({ jsonrpc: '2.0', id, result: { x: 'x'.repeat(MAX_BYTES) } }),
    },
    {
      title: 'one event of many pieces',
      answer: () => events(['data: {"jsonrpc":"2.0"', ...Array.from({ length: 20 }, () => 'x'.repeat(10_000))]),
    },
  ])('G6 refuses what is too large in $title', async ({ answer }) => {
    await using server = await serveHttp(byHand(answer));
    const { connection } = await greeted(server);
    expect(await failureOf(connection.callTool('t', {}, OPTIONS))).toMatchObject({ code: ErrorCode.ResultTooLarge });
    await connection.close();
  });

  it.each(['\n', '\r\n'])('counts each event by itself, also where its end %j comes in pieces', async (newline) => {
    const filler = `data: {"jsonrpc":"2.0","method":"n","params":{"x":"${'x'.repeat(MAX_BYTES / 2)}"}}`;
    const pieces = (id: unknown) => [
      ...Array.from({ length: 4 }, () => [`${filler}${newline}`, newline]).flat(),
      `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { ok: true } })}${newline}`,
      newline,
    ];
    await using server = await serveHttp(byHand((id) => events(pieces(id))));
    const { connection } = await greeted(server);
    expect((await connection.callTool('t', {}, OPTIONS)).value).toEqual({ ok: true });
    await connection.close();
  });

  it.each([
    { title: 'an error of its own', answer: () => new Response('oh no', { status: 500 }), says: /500|oh no/ },
    {
      title: 'a page',
      answer: () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      says: /html/,
    },
    {
      title: 'half a body',
      answer: () => new Response('{"jsonrpc":', { headers: { 'content-type': 'application/json' } }),
      says: /JSON/,
    },
    {
      title: 'what nests too deep',
      answer: (id: unknown) => Response.json({ jsonrpc: '2.0', id, result: nested(100) }),
      says: /too deep/,
    },
  ])('tells the one who asked that the server answered with $title', async ({ answer, says }) => {
    await using server = await serveHttp(byHand(answer));
    const { connection, closings } = await greeted(server);
    const failure = await failureOf(connection.callTool('t', {}, OPTIONS));
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: expect.stringMatching(says) });
    expect(closings).toEqual([]);
    await connection.close();
  });

  it('says that a server is gone', async () => {
    const server = await serveHttp(sdkHandler());
    const { connection } = await greeted(server);
    await server.stop();
    const failure = await failureOf(connection.callTool('echo', {}, OPTIONS));
    expect(failure).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: expect.stringMatching(/could not be reached \((ECONNREFUSED|ECONNRESET)\)/),
    });
    await connection.close();
  });

  it('gives up on a server that takes a call and never answers', async () => {
    await using server = await serveHttp(byHand(() => new Promise<Response>(() => undefined)));
    const { connection } = await greeted(server);
    const failure = await failureOf(connection.callTool('t', {}, { timeoutMs: 100, totalMs: 100 }));
    expect(failure).toMatchObject({ code: ErrorCode.ToolExecutionTimeout });
    await expect.poll(() => server.seen).toContain('POST notifications/cancelled');
    await connection.close();
  });

  it('tells the one who asked that a stream ended before his answer', async () => {
    await using server = await serveHttp(byHand(() => events([': nothing\n\n'])));
    const { connection, closings } = await greeted(server);
    const failure = await failureOf(connection.callTool('t', {}, OPTIONS));
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: 'its answer broke off' });
    expect(closings).toEqual([]);
    await connection.close();
  });

  it('frees the connection of a call that is given up', async () => {
    let isGone = false;
    const endless = () =>
      new Response(
        new ReadableStream({
          cancel: () => {
            isGone = true;
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    await using server = await serveHttp(byHand(endless));
    const { connection } = await greeted(server);
    await failureOf(connection.callTool('t', {}, { timeoutMs: 100, totalMs: 100 }));
    await expect.poll(() => isGone).toBe(true);
    await connection.close();
  });

  it.each([
    {
      title: 'a refusal in words of the protocol',
      status: 404,
      same: true,
      expected: { code: ErrorCode.ToolExecutionError, message: 'no such method' },
    },
    {
      title: 'a refusal that is about another request',
      status: 404,
      same: false,
      expected: { code: ErrorCode.ConnectionError },
    },
    {
      title: 'a refusal of us',
      status: 403,
      same: true,
      expected: { code: ErrorCode.ConnectionError, message: 'it forbids us to use it (HTTP 403)' },
    },
  ])('hears $title', async ({ status, same, expected }) => {
    const answer = (id: unknown) =>
      Response.json(
        { jsonrpc: '2.0', id: same ? id : null, error: { code: -32601, message: 'no such method' } },
        { status },
      );
    await using server = await serveHttp(byHand(answer));
    const { connection } = await greeted(server);
    expect(await failureOf(connection.callTool('t', {}, OPTIONS))).toMatchObject(expected);
    await connection.close();
  });

  it('hangs up on a server without sessions and says nothing more, when a call to it is given up', async () => {
    const gone: unknown[] = [];
    const endless = (id: unknown) =>
      new Response(new ReadableStream({ cancel: () => void gone.push(id) }), {
        headers: { 'content-type': 'text/event-stream' },
      });
    await using server = await serveHttp(async (request) => {
      const { id, method } = (await request.json()) as { id: number; method: string };
      if (method !== 'server/discover') return endless(method === 'tools/call' ? 'the call' : 'the listening');
      return Response.json({ jsonrpc: '2.0', id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } });
    });
    const { connection } = connectionOver(await openHttpChannel(await targetAt(server.url), () => LIMITS));
    await greet(connection, { client: { name: 'portolan', version: '1' }, options: OPTIONS, era: undefined });
    await failureOf(connection.callTool('t', {}, { timeoutMs: 100, totalMs: 100 }));
    await expect.poll(() => gone).toEqual(['the call']);
    expect(new Set(server.seen)).toEqual(
      new Set(['POST server/discover', 'POST subscriptions/listen', 'POST tools/call']),
    );
    await connection.close();
  });

  it('sends the token of who signed in, and another when that is refused', async () => {
    const handler = sdkHandler();
    await using server = await serveHttp((request) =>
      request.headers.get('authorization') === 'Bearer new' ? handler(request) : new Response('', { status: 401 }),
    );
    let token = 'old';
    const authProvider = {
      token: async () => token,
      onUnauthorized: async () => {
        token = 'new';
      },
    };
    const { connection } = await greeted(server, {}, { authProvider });
    expect(server.headers.slice(0, 2).map((headers) => headers.get('authorization'))).toEqual([
      'Bearer old',
      'Bearer new',
    ]);
    await connection.close();
  });

  it.each([
    {
      title: 'the provider',
      authProvider: { token: async () => undefined, onUnauthorized: () => Promise.reject(signIn()) },
    },
    {
      title: 'whoever knows of signing in',
      authProvider: { token: async () => undefined },
      explain: async () => signIn(),
    },
  ])('says what $title says when nobody is signed in', async ({ title: _, ...access }) => {
    await using server = await serveHttp(() => new Response('', { status: 401 }));
    const failure = await failureOf(greeted(server, {}, access));
    expect(failure.message).toBe('s needs a sign-in');
  });

  it('ends a connection whose session the server has forgotten, so that another is begun', async () => {
    const forgetful: Handler = async (request) => {
      const response = await byHand(() => new Response('Session not found', { status: 404 }))(request);
      response.headers.set('mcp-session-id', 's-1');
      return response;
    };
    await using server = await serveHttp(forgetful);
    const { connection, closings } = await greeted(server);
    expect(await failureOf(connection.callTool('t', {}, OPTIONS))).toMatchObject({
      message: 'it answered 404: Session not found',
    });
    await expect.poll(() => closings).toEqual(['the server has forgotten the session']);
  });
});

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let n = 0; n < levels; n += 1) value = { value };
  return value;
}

function signIn(): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, 's needs a sign-in', { hint: 'portolan login s' });
}
