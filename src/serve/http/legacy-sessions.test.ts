import * as sdk from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  disposables,
  events,
  handler,
  INITIALIZE_PARAMS,
  JSON_HEADERS,
  legacy,
  makeDependencies,
  nextEvent,
  openSession,
  readerOf,
  request,
} from '../../../tests/fakes/http-handler.js';
import { LegacySessions } from './legacy-sessions.js';

describe('a session', () => {
  it('starts with initialize, continues by its id, and is gone once it was ended', async () => {
    const { handle } = await handler();
    const session = await openSession(handle);
    expect(session['mcp-session-id']).toMatch(/^[0-9a-f]{64}$/);
    expect((await handle(legacy(undefined, 'notifications/initialized', {}, session))).status).toBe(202);
    expect(await events(await handle(legacy(1, 'ping', {}, session)))).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect((await handle(request('DELETE', '/mcp', session))).status).toBe(200);
    const after = await handle(legacy(7, 'ping', {}, session));
    expect([after.status, await after.json()]).toEqual([
      404,
      { jsonrpc: '2.0', id: 7, error: { code: -32001, message: expect.stringContaining('initialize') } },
    ]);
  });

  it('sends progress and questions on the stream of their call', async () => {
    const { handle } = await handler();
    const session = await openSession(handle);
    const quiet = readerOf(await handle(request('GET', '/mcp', { accept: 'text/event-stream', ...session })));
    const steps = legacy(1, 'tools/call', { name: 'steps', _meta: { progressToken: 5 } }, session);
    expect((await events(await handle(steps))).map(({ method, id }) => method ?? id)).toEqual([
      ...Array.from({ length: 3 }, () => 'notifications/progress'),
      1,
    ]);
    const asking = readerOf(await handle(legacy(2, 'tools/call', { name: 'ask' }, session)));
    const question = await nextEvent(asking);
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'who?' } });
    const given = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { name: 'me' } } };
    expect((await handle(request('POST', '/mcp', { ...JSON_HEADERS, ...session }, given))).status).toBe(202);
    expect(await nextEvent(asking)).toMatchObject({
      id: 2,
      result: { asked: { action: 'accept', content: { name: 'me' } } },
    });
    let isQuiet = true;
    void quiet.read().then(() => {
      isQuiet = false;
    });
    await new Promise((resolve) => setTimeout(resolve, 20)); // this stream must stay silent
    expect(isQuiet).toBe(true);
    await quiet.cancel();
  });

  it('sends notifications without a request on the standalone stream', async () => {
    const { handle, made } = await handler();
    const session = await openSession(handle);
    const stream = readerOf(await handle(request('GET', '/mcp', { accept: 'text/event-stream', ...session })));
    made.notice({ method: 'notifications/tools/list_changed', params: {} });
    expect(await nextEvent(stream)).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} });
    await stream.cancel();
  });

  it('cancels a call on request, and all calls when the session ends', async () => {
    const { handle, waits } = await handler();
    const session = await openSession(handle);
    for (const id of [1, 2]) await handle(legacy(id, 'tools/call', { name: 'wait' }, session));
    await expect.poll(() => waits.signals.length).toBe(2);
    await handle(legacy(undefined, 'notifications/cancelled', { requestId: 1 }, session));
    expect(waits.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await handle(request('DELETE', '/mcp', session));
    expect(waits.signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('refuses a second request with the same id, and still responds to the first', async () => {
    const { handle, waits } = await handler();
    const session = await openSession(handle);
    const first = await handle(legacy(1, 'tools/call', { name: 'wait' }, session));
    const second = await handle(legacy(1, 'ping', {}, session));
    expect([second.status, await second.json()]).toEqual([
      400,
      { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'a request with this id is still running' } },
    ]);
    await expect.poll(() => waits.signals.length).toBe(1);
    waits.go();
    expect(await events(first)).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [] } }]);
    expect((await handle(legacy(1, 'ping', {}, session))).status).toBe(200);
  });

  it('survives a broken stream without cancelling the call', async () => {
    const { handle, waits } = await handler();
    const session = await openSession(handle);
    const response = await handle(legacy(1, 'tools/call', { name: 'wait' }, session));
    await response.body?.cancel();
    await expect.poll(() => waits.signals.length).toBe(1);
    expect(waits.signals[0]?.aborted).toBe(false);
    waits.go();
    expect((await handle(legacy(2, 'ping', {}, session))).status).toBe(200);
  });

  it('finishes running calls when the gateway drains', async () => {
    const { handle, made, waits } = await handler();
    const session = await openSession(handle);
    const response = await handle(legacy(1, 'tools/call', { name: 'wait' }, session));
    await expect.poll(() => waits.signals.length).toBe(1);
    const drained = made.drain(60_000);
    waits.go();
    await drained;
    expect(await events(response)).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [] } }]);
  });

  it.each([
    { title: 'an initialize without a revision', request: legacy(1, 'initialize', {}) },
    { title: 'a request before initialize', request: legacy(1, 'tools/list', {}) },
  ])('is not opened by $title', async ({ request: asked }) => {
    const response = await (await handler()).handle(asked);
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([400, null]);
  });
});

describe('many sessions', () => {
  function sessions(maxSessions: number) {
    const clock = { now: 0 };
    const kept = new LegacySessions({
      Transport: sdk.WebStandardStreamableHTTPServerTransport,
      session: makeDependencies().session,
      maxSessions,
      now: () => clock.now,
    });
    disposables.push(kept);
    const begin = async (bearer = 'a') => {
      const response = await kept.answer(
        legacy(0, 'initialize', INITIALIZE_PARAMS),
        { jsonrpc: '2.0', id: 0, method: 'initialize', params: INITIALIZE_PARAMS },
        bearer,
      );
      await response.text();
      return { status: response.status, id: String(response.headers.get('mcp-session-id')) };
    };
    const ping = async (id: string, bearer = 'a') => {
      const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const response = await kept.answer(legacy(1, 'ping', {}, { 'mcp-session-id': id }), body, bearer);
      await response.text();
      return response.status;
    };
    return { clock, kept, begin, ping };
  }

  it('expire after half an hour without use, but not while a stream is open', async () => {
    const { clock, kept, begin, ping } = sessions(10);
    const [idle, streaming] = [await begin(), await begin()];
    const headers = { accept: 'text/event-stream', 'mcp-session-id': streaming.id };
    const stream = await kept.answer(request('GET', '/mcp', headers), undefined, 'a');
    clock.now = 29 * 60_000;
    kept.expire();
    expect(await ping(idle.id)).toBe(200);
    clock.now += 30 * 60_000;
    kept.expire();
    await new Promise(setImmediate);
    expect([await ping(idle.id), await ping(streaming.id), kept.size]).toEqual([404, 200, 1]);
    await stream.body?.cancel();
    clock.now += 30 * 60_000;
    kept.expire();
    await new Promise(setImmediate);
    expect(kept.size).toBe(0);
  });

  it('are limited: the one idle longest is closed, and if none is idle a new one is refused', async () => {
    const { clock, begin, ping, kept } = sessions(2);
    const first = await begin();
    clock.now = 1_000;
    const second = await begin();
    expect((await begin()).status).toBe(503);
    clock.now = 61_000;
    expect((await begin()).status).toBe(200);
    expect([await ping(first.id), await ping(second.id), kept.size]).toEqual([404, 200, 2]);
  });

  it('are not kept if initialize was rejected', async () => {
    const { kept } = sessions(2);
    const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
    expect((await kept.answer(legacy(0, 'initialize', {}), body, 'a')).status).toBe(400);
    await new Promise(setImmediate);
    expect(kept.size).toBe(0);
  });

  it('can be used only with the token that opened them', async () => {
    const { begin, ping } = sessions(10);
    const { id } = await begin('a');
    expect([await ping(id, 'b'), await ping(id, 'a')]).toEqual([404, 200]);
  });
});
