import * as sdk from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeFace } from '../../../tests/fakes/face.js';
import { RpcError, silentLog } from '../../base/index.js';
import type { FaceRequest } from '../face.js';
import { Questions } from '../questions.js';
import { type HttpHandler, openHttpHandler } from './http-handler.js';
import { LegacySessions } from './legacy-sessions.js';

type Json = Record<string, unknown>;
const open: (Disposable | HttpHandler)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one[Symbol.dispose]();
});

/** What the calls to `wait` are told, and how they are let go. */
interface Waits {
  readonly signals: AbortSignal[];
  go(): void;
}

const LOCATED = {
  name: 'echo',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
};

function parts() {
  const waits: Waits & { waiting: (() => void)[] } = {
    signals: [],
    waiting: [],
    go: () => {
      for (const release of waits.waiting.splice(0)) release();
    },
  };
  const questions = new Questions();
  open.push(questions);
  const call = async ({ params, conversation }: FaceRequest) => {
    switch (params.name) {
      case 'echo':
        return { json: JSON.stringify({ content: [{ type: 'text', text: String(params.arguments) }] }) };
      case 'steps':
        for (const progress of [1, 2, 3]) conversation.progress?.({ progress });
        return { value: { content: [] } };
      case 'ask':
        return { value: { asked: await conversation.ask?.('elicitation/create', { message: 'who?' }) } };
      case 'who':
        return { value: { caller: conversation.caller } };
      case 'wait':
        waits.signals.push(conversation.signal);
        await new Promise<void>((resolve) => {
          waits.waiting.push(resolve);
          conversation.signal.addEventListener('abort', () => resolve());
        });
        return { value: { content: [] } };
      default:
        throw new RpcError(Number(params.name), 'as you wish');
    }
  };
  const face = {
    ...fakeFace({ 'tools/call': call, 'tools/list': async () => ({ value: { tools: [LOCATED] } }) }),
    inputSchemaOf: (name: string) => (name === LOCATED.name ? LOCATED.inputSchema : undefined),
  };
  return { session: { face, questions, version: '9', log: silentLog }, waits };
}

async function handler(token?: string) {
  const { session, waits } = parts();
  const made = await openHttpHandler({
    session,
    limits: () => ({ maxLineBytes: 10_000, maxDepth: 20 }),
    hosts: () => ({ bound: new Set(['localhost']), port: 7420, allowed: [] }),
    ...(token !== undefined && { token }),
  });
  open.push(made);
  return { handle: made.handle, made, waits };
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function request(method: string, path: string, headers: Json = {}, body?: unknown, signal?: AbortSignal): Request {
  return new Request(`http://localhost${path}`, {
    method,
    headers: { host: 'localhost:7420', ...headers } as Record<string, string>,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function modern(method: string, params: Json = {}, more: { headers?: Json; meta?: Json; signal?: AbortSignal } = {}) {
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  const headers = { ...JSON_HEADERS, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...ENVELOPE, ...more.meta } } };
  return request('POST', '/mcp', { ...headers, ...more.headers }, body, more.signal);
}

function legacy(id: number | undefined, method: string, params: Json = {}, headers: Json = {}): Request {
  const body = { jsonrpc: '2.0', ...(id !== undefined && { id }), method, params };
  return request('POST', '/mcp', { ...JSON_HEADERS, ...headers }, body);
}

const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'c', version: '1' },
};

async function greet(handle: HttpHandler['handle']): Promise<Json> {
  const response = await handle(legacy(0, 'initialize', HELLO));
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id') };
}

/** Every message of an event stream, to its end. */
const events = async (response: Response): Promise<Json[]> =>
  (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));

/** The next message of an event stream that stays open. */
async function nextEvent(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Json> {
  const { value } = await reader.read();
  const [, data = ''] = /^data: (.*)$/m.exec(Buffer.from(value ?? []).toString()) ?? [];
  return JSON.parse(data);
}

const readerOf = (response: Response): ReadableStreamDefaultReader<Uint8Array> => {
  if (!response.body) throw new Error('it has no body');
  return response.body.getReader();
};

describe('the routes', () => {
  it.each([
    { title: 'how it is', request: request('GET', '/health'), status: 200, body: { status: 'ok', version: '9' } },
    { title: 'how it is, by the wrong method', request: request('POST', '/health', {}, 'x'), status: 405 },
    { title: 'what is not there', request: request('GET', '/'), status: 404 },
    { title: 'what is almost there', request: request('POST', '/mcp/', JSON_HEADERS, '{}'), status: 404 },
    { title: 'the door by the wrong method', request: request('PUT', '/mcp', {}, 'x'), status: 405 },
    {
      title: 'whether pages may come',
      request: request('OPTIONS', '/mcp', { origin: 'http://localhost:7420' }),
      status: 405,
    },
    { title: 'a message that is no JSON', request: request('POST', '/mcp', JSON_HEADERS, '{'), status: 400 },
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
    { title: 'the end of no session', request: request('DELETE', '/mcp'), status: 400 },
    {
      title: 'the end of a session that is not',
      request: request('DELETE', '/mcp', { 'mcp-session-id': 'x' }),
      status: 404,
    },
  ])('answer who asks for $title', async ({ request: asked, status, body }) => {
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
      title: 'an ability that is missing',
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
      title: 'a fault of ours',
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
      title: 'a revision nobody knows',
      params: { name: 'echo' },
      headers: { 'mcp-protocol-version': 'v9' },
      meta: { 'io.modelcontextprotocol/protocolVersion': 'v9' },
      status: 400,
      body: {
        error: { code: -32022, message: expect.any(String), data: { supported: ['2026-07-28'], requested: 'v9' } },
      },
    },
    {
      title: 'an envelope that lacks something',
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

  it('becomes a stream when there is something to tell before the end', async () => {
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

  it('is taken for no other, even of the same name and number', async () => {
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

  it('listens until the gateway drains, which ends it in order and at once', async () => {
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

describe('a session', () => {
  it('begins with a greeting, goes on by its id, and is gone once it was ended', async () => {
    const { handle } = await handler();
    const session = await greet(handle);
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

  it('tells progress and puts questions on the stream of the call that caused them', async () => {
    const { handle } = await handler();
    const session = await greet(handle);
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
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isQuiet).toBe(true);
    await quiet.cancel();
  });

  it('tells what nobody asked for on the stream that is open for it', async () => {
    const { handle, made } = await handler();
    const session = await greet(handle);
    const stream = readerOf(await handle(request('GET', '/mcp', { accept: 'text/event-stream', ...session })));
    made.notice({ method: 'notifications/tools/list_changed', params: {} });
    expect(await nextEvent(stream)).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} });
    await stream.cancel();
  });

  it('cancels a call that it is told to, and all of them when it ends', async () => {
    const { handle, waits } = await handler();
    const session = await greet(handle);
    for (const id of [1, 2]) await handle(legacy(id, 'tools/call', { name: 'wait' }, session));
    await expect.poll(() => waits.signals.length).toBe(2);
    await handle(legacy(undefined, 'notifications/cancelled', { requestId: 1 }, session));
    expect(waits.signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    await handle(request('DELETE', '/mcp', session));
    expect(waits.signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('answers a second request of the same id at once, and the first when it is done', async () => {
    const { handle, waits } = await handler();
    const session = await greet(handle);
    const first = await handle(legacy(1, 'tools/call', { name: 'wait' }, session));
    const second = await handle(legacy(1, 'ping', {}, session));
    expect([second.status, await second.json()]).toEqual([
      400,
      { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'this id is still in use' } },
    ]);
    await expect.poll(() => waits.signals.length).toBe(1);
    waits.go();
    expect(await events(first)).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [] } }]);
    expect((await handle(legacy(1, 'ping', {}, session))).status).toBe(200);
  });

  it('outlives a stream that breaks: a call is not cancelled by that', async () => {
    const { handle, waits } = await handler();
    const session = await greet(handle);
    const response = await handle(legacy(1, 'tools/call', { name: 'wait' }, session));
    await response.body?.cancel();
    await expect.poll(() => waits.signals.length).toBe(1);
    expect(waits.signals[0]?.aborted).toBe(false);
    waits.go();
    expect((await handle(legacy(2, 'ping', {}, session))).status).toBe(200);
  });

  it('lets running calls end when the gateway drains', async () => {
    const { handle, made, waits } = await handler();
    const session = await greet(handle);
    const response = await handle(legacy(1, 'tools/call', { name: 'wait' }, session));
    await expect.poll(() => waits.signals.length).toBe(1);
    const drained = made.drain(60_000);
    waits.go();
    await drained;
    expect(await events(response)).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [] } }]);
  });

  it.each([
    { title: 'a greeting that says no revision', request: legacy(1, 'initialize', {}) },
    { title: 'a request before any greeting', request: legacy(1, 'tools/list', {}) },
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
      session: parts().session,
      maxSessions,
      now: () => clock.now,
    });
    open.push(kept);
    const begin = async (bearer = 'a') => {
      const response = await kept.answer(
        legacy(0, 'initialize', HELLO),
        { jsonrpc: '2.0', id: 0, method: 'initialize', params: HELLO },
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

  it('end when nobody used them for half an hour, but not while a stream is open', async () => {
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

  it('are not more than there may be: who was quiet longest makes room, and if nobody was, there is none', async () => {
    const { clock, begin, ping, kept } = sessions(2);
    const first = await begin();
    clock.now = 1_000;
    const second = await begin();
    expect((await begin()).status).toBe(503);
    clock.now = 61_000;
    expect((await begin()).status).toBe(200);
    expect([await ping(first.id), await ping(second.id), kept.size]).toEqual([404, 200, 2]);
  });

  it('are not kept where the greeting was not taken', async () => {
    const { kept } = sessions(2);
    const body = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} };
    expect((await kept.answer(legacy(0, 'initialize', {}), body, 'a')).status).toBe(400);
    await new Promise(setImmediate);
    expect(kept.size).toBe(0);
  });

  it('belong to whoever opened them', async () => {
    const { begin, ping } = sessions(10);
    const { id } = await begin('a');
    expect([await ping(id, 'b'), await ping(id, 'a')]).toEqual([404, 200]);
  });
});
