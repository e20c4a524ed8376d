import { describe, expect, it } from 'vitest';
import {
  events,
  handler,
  JSON_HEADERS,
  type Json,
  modern,
  nextEvent,
  readerOf,
  request,
} from '../../../tests/fakes/http-handler.js';

describe('the routes', () => {
  it.each([
    { title: 'the health', request: request('GET', '/health'), status: 200, body: { status: 'ok', version: '9' } },
    { title: 'the health with the wrong method', request: request('POST', '/health', {}, 'x'), status: 405 },
    { title: 'an unknown path', request: request('GET', '/'), status: 404 },
    { title: 'a path with a trailing slash', request: request('POST', '/mcp/', JSON_HEADERS, '{}'), status: 404 },
    { title: 'the MCP path with the wrong method', request: request('PUT', '/mcp', {}, 'x'), status: 405 },
    {
      title: 'a CORS preflight',
      request: request('OPTIONS', '/mcp', { origin: 'http://localhost:7420' }),
      status: 405,
    },
    { title: 'invalid JSON', request: request('POST', '/mcp', JSON_HEADERS, '{'), status: 400 },
    {
      title: 'a message of another type',
      request: request('POST', '/mcp', { 'content-type': 'text/plain' }, '{}'),
      status: 415,
    },
    {
      title: 'a form',
      request: request('POST', '/mcp', { 'content-type': 'application/x-www-form-urlencoded' }, '{}'),
      status: 415,
    },
    {
      title: 'a message that is too long',
      request: request('POST', '/mcp', JSON_HEADERS, `"${'x'.repeat(10_000)}"`),
      status: 413,
    },
    {
      title: 'a stream without a session',
      request: request('GET', '/mcp', { accept: 'text/event-stream' }),
      status: 400,
    },
    { title: 'DELETE without a session', request: request('DELETE', '/mcp'), status: 400 },
    {
      title: 'DELETE of an unknown session',
      request: request('DELETE', '/mcp', { 'mcp-session-id': 'x' }),
      status: 404,
    },
  ])('answer $title', async ({ request: asked, status, body }) => {
    const response = await (await handler()).handle(asked);
    expect(response.status).toBe(status);
    if (body) expect(await response.json()).toEqual(body);
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a request of the stateless revision', () => {
  it.each([
    {
      title: 'a result',
      params: { name: 'echo', arguments: 'hi' },
      status: 200,
      body: { result: { resultType: 'complete', content: [{ type: 'text', text: 'hi' }] } },
    },
    {
      title: 'an unknown method',
      method: 'nope',
      status: 404,
      body: { error: { code: -32601, message: 'unknown method nope' } },
    },
    {
      title: 'a method of the older revisions',
      method: 'resources/subscribe',
      status: 404,
      body: { error: { code: -32601, message: 'unknown method resources/subscribe' } },
    },
    {
      title: 'a missing capability',
      params: { name: '-32021' },
      status: 400,
      body: { error: { code: -32021, message: 'as you wish' } },
    },
    {
      title: 'wrong arguments',
      params: { name: '-32602' },
      status: 200,
      body: { error: { code: -32602, message: 'as you wish' } },
    },
    {
      title: 'an internal error',
      params: { name: '-32603' },
      status: 200,
      body: { error: { code: -32603, message: 'as you wish' } },
    },
    {
      title: 'a name that the header contradicts',
      params: { name: 'echo' },
      headers: { 'mcp-name': 'other' },
      status: 400,
      body: { error: { code: -32020, message: expect.any(String) } },
    },
    {
      title: 'an argument that a header has to repeat',
      params: { name: 'echo', arguments: { region: 'eu' } },
      status: 400,
      body: { error: { code: -32020, message: 'the header Mcp-Param-Region is missing' } },
    },
    {
      title: 'a revision that the header contradicts',
      params: { name: 'echo' },
      headers: { 'mcp-protocol-version': '2025-11-25' },
      status: 400,
      body: { error: { code: -32020, message: expect.any(String), data: expect.anything() } },
    },
    {
      title: 'an unknown revision',
      params: { name: 'echo' },
      headers: { 'mcp-protocol-version': 'v9' },
      meta: { 'io.modelcontextprotocol/protocolVersion': 'v9' },
      status: 400,
      body: {
        error: { code: -32022, message: expect.any(String), data: { supported: ['2026-07-28'], requested: 'v9' } },
      },
    },
    {
      title: 'an incomplete envelope',
      params: { name: 'echo' },
      meta: { 'io.modelcontextprotocol/clientCapabilities': undefined },
      status: 400,
      body: { error: { code: -32602, message: expect.any(String), data: expect.anything() } },
    },
  ])(
    'is answered with $title and its status',
    async ({ method = 'tools/call', params = {}, headers = {}, meta = {}, status, body }) => {
      const response = await (await handler()).handle(modern(method, params, { headers, meta }));
      expect([response.status, await response.json()]).toEqual([status, { jsonrpc: '2.0', id: 1, ...body }]);
    },
  );

  it('becomes a stream if there is a notification before the result', async () => {
    const { handle } = await handler();
    const response = await handle(modern('tools/call', { name: 'steps' }, { meta: { progressToken: 'mine' } }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await events(response)).toEqual([
      ...[1, 2, 3].map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progress, progressToken: 'mine' },
      })),
      { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', content: [] } },
    ]);
  });

  it('is cancelled when its client leaves', async () => {
    const { handle, waits } = await handler();
    const leaving = new AbortController();
    const answer = handle(modern('tools/call', { name: 'wait' }, { signal: leaving.signal }));
    await expect.poll(() => waits.signals.length).toBe(1);
    expect(waits.signals[0]?.aborted).toBe(false);
    leaving.abort();
    expect((await answer).status).toBe(499);
    expect(waits.signals[0]?.aborted).toBe(true);
  });

  it('is kept apart from another with the same name and id', async () => {
    const { handle } = await handler();
    const who = async () => {
      const meta = { 'io.modelcontextprotocol/clientInfo': { name: 'twin', version: '1' } };
      const { result } = (await (await handle(modern('tools/call', { name: 'who' }, { meta }))).json()) as {
        result: Json;
      };
      return result.caller;
    };
    expect(await who()).not.toEqual(await who());
  });

  it('listens until the gateway drains, which ends it at once with a result', async () => {
    const { handle, made } = await handler();
    const response = await handle(modern('subscriptions/listen', { notifications: { toolsListChanged: true } }));
    const reader = readerOf(response);
    expect(await nextEvent(reader)).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    made.notice({ method: 'notifications/prompts/list_changed', params: {} });
    made.notice({ method: 'notifications/tools/list_changed', params: {} });
    expect(await nextEvent(reader)).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    });
    await made.drain(60_000);
    expect(await nextEvent(reader)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    expect((await reader.read()).done).toBe(true);
    expect((await handle(modern('tools/list'))).status).toBe(503);
  });
});
