import { describe, expect, it } from 'vitest';
import { failureOf, MAX_BYTES, OPTIONS } from '../../../tests/fixtures/remote/connect-remote.js';
import { connectOverHttp, events, minimalHandler } from '../../../tests/fixtures/remote/minimal-http.js';
import { sdkHandler, serveHttp } from '../../../tests/fixtures/servers/http-server.js';
import { ErrorCode } from '../../base/index.js';

describe('an answer over HTTP', () => {
  it('of 202 without a body to server/discover means an older server', async () => {
    await using server = await serveHttp(minimalHandler(() => new Response(null, { status: 202 })));
    const { connection } = await connectOverHttp(server, {}, {}, {});
    expect(connection.handshake.protocolVersion).toBe('2025-11-25');
    await connection.close();
  });

  it('rejects an answer over the limit and continues', { tags: 'G6' }, async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection, closings } = await connectOverHttp(server);
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
      title: 'one event of many chunks',
      answer: () => events(['data: {"jsonrpc":"2.0"', ...Array.from({ length: 20 }, () => 'x'.repeat(10_000))]),
    },
  ])('rejects an oversized answer in $title', { tags: 'G6' }, async ({ answer }) => {
    await using server = await serveHttp(minimalHandler(answer));
    const { connection } = await connectOverHttp(server);
    expect(await failureOf(connection.callTool('t', {}, OPTIONS))).toMatchObject({ code: ErrorCode.ResultTooLarge });
    await connection.close();
  });

  it('continues to the answer after an oversized notification', { tags: 'G6' }, async () => {
    const told = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(2 * MAX_BYTES) } };
    const pieces = (id: unknown) =>
      [told, { jsonrpc: '2.0', id, result: { ok: true } }].map((one) => `data: ${JSON.stringify(one)}\n\n`);
    await using server = await serveHttp(minimalHandler((id) => events(pieces(id))));
    const { connection, closings } = await connectOverHttp(server);
    expect((await connection.callTool('t', {}, OPTIONS)).value).toEqual({ ok: true });
    expect(closings).toEqual([]);
    await connection.close();
  });

  it.each(['\n', '\r\n'])('limits each event separately, also if its end %j is split into chunks', async (newline) => {
    const filler = `data: {"jsonrpc":"2.0","method":"n","params":{"x":"${'x'.repeat(MAX_BYTES / 2)}"}}`;
    const pieces = (id: unknown) => [
      ...Array.from({ length: 4 }, () => [`${filler}${newline}`, newline]).flat(),
      `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { ok: true } })}${newline}`,
      newline,
    ];
    await using server = await serveHttp(minimalHandler((id) => events(pieces(id))));
    const { connection } = await connectOverHttp(server);
    expect((await connection.callTool('t', {}, OPTIONS)).value).toEqual({ ok: true });
    await connection.close();
  });

  it.each([
    { title: 'an HTTP error', answer: () => new Response('oh no', { status: 500 }), says: /500|oh no/ },
    {
      title: 'an HTML page',
      answer: () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      says: /html/,
    },
    {
      title: 'a partial body',
      answer: () => new Response('{"jsonrpc":', { headers: { 'content-type': 'application/json' } }),
      says: /JSON/,
    },
    {
      title: '202 without an answer',
      answer: () => new Response(null, { status: 202 }),
      says: /sent no answer/,
    },
    {
      title: 'an empty body',
      answer: () => new Response(null, { status: 204, headers: { 'content-type': 'application/json' } }),
      says: /JSON|sent no answer/,
    },
    {
      title: 'a response with another id',
      answer: (id: unknown) => Response.json({ jsonrpc: '2.0', id: Number(id) + 1, result: {} }),
      says: /sent no answer/,
    },
    {
      title: 'an answer that is nested too deeply',
      answer: (id: unknown) => Response.json({ jsonrpc: '2.0', id, result: nested(100) }),
      says: /too deep/,
    },
  ])('rejects the request if the server answers with $title', async ({ answer, says }) => {
    await using server = await serveHttp(minimalHandler(answer));
    const { connection, closings } = await connectOverHttp(server);
    const failure = await failureOf(connection.callTool('t', {}, OPTIONS));
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: expect.stringMatching(says) });
    expect(closings).toEqual([]);
    await connection.close();
  });

  it('times out a call that the server never answers', async () => {
    await using server = await serveHttp(minimalHandler(() => new Promise<Response>(() => undefined)));
    const { connection } = await connectOverHttp(server);
    const failure = await failureOf(connection.callTool('t', {}, { timeoutMs: 100, totalMs: 100 }));
    expect(failure).toMatchObject({ code: ErrorCode.ToolExecutionTimeout });
    await expect.poll(() => server.seen).toContain('POST notifications/cancelled');
    await connection.close();
  });

  it('rejects the request if the stream ends before the answer', async () => {
    await using server = await serveHttp(minimalHandler(() => events([': nothing\n\n'])));
    const { connection, closings } = await connectOverHttp(server);
    const failure = await failureOf(connection.callTool('t', {}, OPTIONS));
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: 'its answer ended unexpectedly' });
    expect(closings).toEqual([]);
    await connection.close();
  });

  it.each([
    {
      title: 'a JSON-RPC error',
      status: 404,
      same: true,
      expected: { code: ErrorCode.ToolExecutionError, message: 'no such method' },
    },
    {
      title: 'a JSON-RPC error for another request',
      status: 404,
      same: false,
      expected: { code: ErrorCode.ConnectionError },
    },
    {
      title: 'an access error',
      status: 403,
      same: true,
      expected: { code: ErrorCode.ConnectionError, message: 'it denied access (HTTP 403)' },
    },
  ])('handles $title', async ({ status, same, expected }) => {
    const answer = (id: unknown) =>
      Response.json(
        { jsonrpc: '2.0', id: same ? id : null, error: { code: -32601, message: 'no such method' } },
        { status },
      );
    await using server = await serveHttp(minimalHandler(answer));
    const { connection } = await connectOverHttp(server);
    expect(await failureOf(connection.callTool('t', {}, OPTIONS))).toMatchObject(expected);
    await connection.close();
  });
});

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let n = 0; n < levels; n += 1) value = { value };
  return value;
}
