import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ErrorCode, type PortolanError, StreamChannel } from '../base/index.js';
import { type CallOptions, Connection } from './connection.js';
import { greet } from './greet.js';

type Json = Record<string, unknown>;
interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: Json;
}

const GREETING = { protocolVersion: '2025-11-25', serverInfo: { name: 's', version: '1' }, capabilities: {} };
const SHORT: CallOptions = { timeoutMs: 50, totalMs: 50 };
const LONG: CallOptions = { timeoutMs: 10_000, totalMs: 10_000 };
const MAX_LINE_BYTES = 10_000;

/** A connection whose other end is a function: what it gives back is the result. */
function connected(serve: (request: Request, say: (message: Json | string) => void) => unknown) {
  const [toServer, fromServer] = [new PassThrough(), new PassThrough()];
  const got: Request[] = [];
  const events = { noise: 0, notified: [] as string[], closings: [] as (string | undefined)[] };
  const say = (message: Json | string) => {
    fromServer.write(`${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  toServer.on('data', async (chunk: Buffer) => {
    // No pipe answers while one still speaks.
    await new Promise((resolve) => setImmediate(resolve));
    for (const line of String(chunk).split('\n').filter(Boolean)) {
      const request: Request = JSON.parse(line);
      got.push(request);
      const result = serve(request, say);
      if (result !== undefined && request.id !== undefined) say({ id: request.id, result });
    }
  });
  const limits = { maxLineBytes: MAX_LINE_BYTES, maxDepth: 64 };
  const connection = new Connection(new StreamChannel(fromServer, toServer, () => limits), {
    notified: (method) => events.notified.push(method),
    closed: (reason) => events.closings.push(reason),
    noise: () => {
      events.noise += 1;
    },
    lastWords: () => 'ouch',
    redact: (text) => text.replaceAll('hunter22', '[secret]'),
  });
  return { connection, got, events, say, end: () => fromServer.end() };
}

const failureOf = async (promise: Promise<unknown>): Promise<PortolanError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  );
const tick = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

describe('Connection', () => {
  it('greets the server and keeps what it says of itself', async () => {
    const { connection, got } = connected(({ method }) =>
      method === 'initialize' ? { ...GREETING, instructions: 'be kind' } : undefined,
    );
    await greet(connection, { client: { name: 'portolan', version: '9' }, options: LONG, era: 'legacy' });
    await expect.poll(() => got.length).toBe(2);
    expect(connection.greeting).toEqual({
      name: 's',
      version: '1',
      protocolVersion: '2025-11-25',
      instructions: 'be kind',
      capabilities: {},
    });
    expect(got).toMatchObject([
      {
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', clientInfo: { name: 'portolan', version: '9' } },
      },
      { method: 'notifications/initialized' },
    ]);
  });

  it.each([
    {
      title: 'names no revision',
      answer: {},
      message: 'its answer to initialize names no revision; its last words: ouch',
    },
    {
      title: 'speaks a revision that is not known',
      answer: { protocolVersion: '1999-01-01' },
      message: 'it speaks revision "1999-01-01", which is not known here; its last words: ouch',
    },
  ])('refuses a server that $title', async ({ answer, message }) => {
    const { connection } = connected(() => answer);
    const failure = await failureOf(
      greet(connection, { client: { name: 'p', version: '1' }, options: LONG, era: 'legacy' }),
    );
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message });
  });

  it('lists every page', async () => {
    const { connection } = connected(({ params: { cursor } }) =>
      cursor === undefined ? { tools: [1, 2], nextCursor: 'b' } : { tools: [3] },
    );
    expect(await connection.listTools(LONG)).toEqual([1, 2, 3]);
  });

  it.each([
    { title: 'goes in a circle', next: () => 'same', pages: 2 },
    { title: 'never ends', next: (page: number) => String(page), pages: 1_000 },
  ])('ends a list that $title', async ({ next, pages }) => {
    let page = 0;
    const { connection } = connected(() => {
      page += 1;
      return { tools: [page], nextCursor: next(page) };
    });
    expect(await connection.listTools(LONG)).toHaveLength(pages);
  });

  it('has one time for all pages of a list', async () => {
    let page = 0;
    const { connection } = connected(({ id, method }, say) => {
      page += 1;
      if (method === 'tools/list') setTimeout(() => say({ id, result: { tools: [], nextCursor: String(page) } }), 30);
      return undefined;
    });
    const failure = await failureOf(connection.listTools({ timeoutMs: 100, totalMs: 150 }));
    expect(failure).toMatchObject({ code: ErrorCode.ToolExecutionTimeout });
    expect(page).toBeLessThan(10);
  });

  it('refuses a list that is none', async () => {
    const { connection } = connected(() => ({ tools: 'many' }));
    expect(await failureOf(connection.listTools(LONG))).toMatchObject({ code: ErrorCode.ConnectionError });
  });

  it('gives the result with its bytes where it can be passed on as it is', async () => {
    const { connection } = connected(({ id, params }, say) => {
      if (params.name === 'sdk') say(`{"result":{"a":1},"jsonrpc":"2.0","id":${id}}`);
      return params.name === 'python' ? { a: 1 } : undefined;
    });
    expect([await connection.callTool('sdk', {}, LONG), await connection.callTool('python', {}, LONG)]).toEqual([
      { value: { a: 1 }, json: '{"a":1}' },
      { value: { a: 1 }, json: '{"a":1}' },
    ]);
  });

  it.each([
    {
      title: 'an error',
      say: (id: unknown) => ({ id, error: { code: -1, message: 'hunter22 is wrong' } }),
      failure: { code: ErrorCode.ToolExecutionError, message: '[secret] is wrong' },
    },
    {
      title: 'a result that is no object',
      say: (id: unknown) => ({ id, result: 'x' }),
      failure: { code: ErrorCode.ToolExecutionError, message: 'the server answered with something that is no result' },
    },
    {
      title: 'a result over the limit',
      say: (id: unknown) => ({ id, result: { text: 'x'.repeat(MAX_LINE_BYTES) } }),
      failure: { code: ErrorCode.ResultTooLarge, hint: 'ask for less at once, or raise limits.maxResultBytes' },
    },
  ])('turns $title into an error with a code', async ({ say: answer, failure }) => {
    const { connection } = connected(({ id }, say) => {
      say(answer(id));
      return undefined;
    });
    expect(await failureOf(connection.callTool('t', {}, LONG))).toMatchObject(failure);
  });

  it('G2 gives up a call without an answer and tells the server so', async () => {
    const { connection, got } = connected(() => undefined);
    const failure = await failureOf(connection.callTool('t', {}, { timeoutMs: 50, totalMs: 1_000 }));
    await tick();
    expect(failure).toMatchObject({
      code: ErrorCode.ToolExecutionTimeout,
      message: 'no answer to tools/call within 0.1 s',
      hint: 'try again, ask for less at once, or raise timeouts.callMs',
    });
    const requestId = got[0]?.id;
    expect(got).toMatchObject([
      { id: expect.any(Number), method: 'tools/call' },
      { method: 'notifications/cancelled', params: { requestId, reason: 'no answer to tools/call within 0.1 s' } },
    ]);
  });

  it('begins each connection with an id that cannot be guessed, and leaves 32 bits room to count', async () => {
    const first = async () => {
      const { connection, got } = connected(() => ({}));
      for (let n = 0; n < 2; n += 1) await connection.callTool('t', {}, LONG);
      const [id, next] = got.map((message) => Number(message.id));
      expect(next).toBe(Number(id) + 1);
      return Number(id);
    };
    const ids = await Promise.all(Array.from({ length: 50 }, first));
    expect(new Set(ids).size).toBeGreaterThan(45);
    expect(Math.max(...ids)).toBeLessThan(2 ** 30);
    expect(Math.max(...ids)).toBeGreaterThan(2 ** 25);
  });

  it('never cancels the greeting', async () => {
    const { connection, got } = connected(() => undefined);
    await failureOf(greet(connection, { client: { name: 'p', version: '1' }, options: SHORT, era: 'legacy' }));
    await tick();
    expect(got.map(({ method }) => method)).toEqual(['initialize']);
  });

  it.each([
    { title: 'before it is sent', abortFirst: true, methods: [] },
    { title: 'while it runs', abortFirst: false, methods: ['tools/call', 'notifications/cancelled'] },
  ])('cancels a call $title', async ({ abortFirst, methods }) => {
    const { connection, got } = connected(() => undefined);
    const controller = new AbortController();
    if (abortFirst) controller.abort();
    const call = connection.callTool('t', {}, { ...LONG, conversation: { signal: controller.signal } });
    setTimeout(() => controller.abort(), 10);
    expect(await failureOf(call)).toMatchObject({ code: ErrorCode.Cancelled });
    await tick();
    expect(got.map(({ method }) => method)).toEqual(methods);
  });

  it('gives progress to the call that it belongs to, and to no other', async () => {
    const { connection } = connected(({ id, method, params }, say) => {
      if (method !== 'tools/call') return undefined;
      const token = (params._meta as Json).progressToken;
      const step = (more: Json) => say({ method: 'notifications/progress', params: { progressToken: token, ...more } });
      step({ progress: 1, total: 2, message: String(params.name) });
      step({ progress: 'no number' });
      say({ method: 'notifications/progress', params: { progressToken: 999, progress: 5 } });
      say({ method: 'notifications/progress', params: { progressToken: '__proto__', progress: 5 } });
      setTimeout(() => say({ id, result: {} }), 10);
      return undefined;
    });
    const steps: Record<string, unknown[]> = { a: [], b: [] };
    await Promise.all(
      ['a', 'b'].map((name) =>
        connection.callTool(name, {}, { ...LONG, conversation: { progress: (step) => steps[name]?.push(step) } }),
      ),
    );
    expect(steps).toEqual({
      a: [{ progress: 1, total: 2, message: 'a' }],
      b: [{ progress: 1, total: 2, message: 'b' }],
    });
  });

  it('lets progress keep a call alive, but not for ever', async () => {
    const { connection } = connected(({ params, method }, say) => {
      if (method !== 'tools/call') return undefined;
      const progressToken = (params._meta as Json).progressToken;
      const timer = setInterval(
        () => say({ method: 'notifications/progress', params: { progressToken, progress: 1 } }),
        20,
      );
      setTimeout(() => clearInterval(timer), 2_000);
      return undefined;
    });
    const start = performance.now();
    const failure = await failureOf(
      connection.callTool('t', {}, { timeoutMs: 200, totalMs: 600, conversation: { progress: () => undefined } }),
    );
    const ms = performance.now() - start;
    expect(failure).toMatchObject({ code: ErrorCode.ToolExecutionTimeout });
    expect(ms).toBeGreaterThan(550);
    expect(ms).toBeLessThan(1_900);
  });

  it('closes a server that lets three calls in a row run out of time', async () => {
    const { connection, events } = connected(() => undefined);
    for (let n = 0; n < 3; n += 1) await failureOf(connection.callTool('t', {}, SHORT));
    await tick(20);
    expect(events.closings).toEqual(['it stopped answering']);
    expect(await failureOf(connection.callTool('t', {}, LONG))).toMatchObject({ code: ErrorCode.ConnectionError });
  });

  it.each([
    { title: 'a result', answer: { result: {} } },
    { title: 'an error', answer: { error: { code: -1, message: 'no' } } },
    { title: 'too much', answer: { result: { text: 'x'.repeat(MAX_LINE_BYTES) } } },
  ])('does not take a server for stuck that answers other calls with $title', async ({ answer }) => {
    const { connection, events } = connected(({ id, params }, say) => {
      if (params.name === 'ok') say({ id, ...answer });
      return undefined;
    });
    for (let n = 0; n < 6; n += 1) {
      await failureOf(connection.callTool('mute', {}, { timeoutMs: 20, totalMs: 20 }));
      await connection.callTool('ok', {}, LONG).catch(() => undefined);
    }
    expect(events.closings).toEqual([]);
  });

  it('tells every waiting call why the server is gone, with its last words', async () => {
    const { connection, end } = connected(() => undefined);
    const calls = [1, 2, 3].map(() => failureOf(connection.callTool('t', {}, LONG)));
    setTimeout(end, 10);
    expect((await Promise.all(calls)).map(({ code, message }) => ({ code, message }))).toEqual(
      Array.from({ length: 3 }, () => ({
        code: ErrorCode.ConnectionError,
        message: 'the connection was lost; its last words: ouch',
      })),
    );
  });

  it('G2 gives up in time where another client has a server that asks questions', async () => {
    const { connection, say } = connected(({ id, params, method }, tell) => {
      if (method === 'tools/call' && params.name === 'ok') tell({ id, result: {} });
      return undefined;
    });
    const ask = async () => ({});
    const hanging = failureOf(
      connection.callTool('mute', {}, { ...LONG, timeoutMs: 1_500, conversation: { client: 'one', ask } }),
    );
    await tick(20);
    say({ id: 1, method: 'elicitation/create', params: {} });
    await tick(20);
    const [other, again] = [new AbortController(), new AbortController()];
    const given = (signal?: AbortSignal) => ({ ...LONG, conversation: { client: 'two', ...(signal && { signal }) } });
    setTimeout(() => other.abort(), 20);
    expect(await failureOf(connection.callTool('ok', {}, given(other.signal)))).toMatchObject({
      code: ErrorCode.Cancelled,
    });
    expect(await failureOf(connection.callTool('ok', {}, { ...given(), timeoutMs: 50 }))).toMatchObject({
      code: ErrorCode.ToolExecutionTimeout,
      message: 'another client used the server for 0.1 s',
    });
    await hanging;
    expect(await connection.callTool('ok', {}, given(again.signal))).toMatchObject({ value: {} });
  });

  it('G2 is not held up by its own subscription after a server has asked something', async () => {
    const { connection, say } = connected(({ method }) => (method === 'tools/call' ? {} : undefined));
    void connection.request('subscriptions/listen', {}, LONG).catch(() => undefined);
    await tick(20);
    say({ id: 1, method: 'sampling/createMessage', params: {} });
    await tick(20);
    expect(await connection.callTool('t', {}, { ...LONG, conversation: { client: 'one' } })).toMatchObject({
      value: {},
    });
    await connection.close();
  });

  it('answers a ping, and nothing that no call can have caused', async () => {
    const { got, say, events } = connected(() => undefined);
    say({ id: 1, method: 'ping' });
    say({ id: 2, method: 'sampling/createMessage', params: {} });
    say({ id: 3, method: 'files/delete', params: {} });
    say({ method: 'notifications/tools/list_changed' });
    say({ method: 'notifications/unheard-of' });
    await tick(20);
    expect(got.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32601, message: 'sampling/createMessage: no call is under way that could have caused it' },
      },
      { jsonrpc: '2.0', id: 3, error: { code: -32601, message: 'files/delete is not supported here' } },
    ]);
    expect(events.notified).toEqual(['notifications/tools/list_changed', 'notifications/unheard-of']);
  });

  it('G3 counts what is no message, answers none of it and goes on', async () => {
    const { connection, events, got } = connected(({ id }, say) => {
      for (const line of ['Listening on stdio', `{"id":${id}}`, '[1,2]', '\0', `{"jsonrpc":"2.0","id":${id},"resu`])
        say(line);
      return { ok: true };
    });
    expect(await connection.callTool('t', {}, LONG)).toMatchObject({ value: { ok: true } });
    expect({ noise: events.noise, got: got.length, closings: events.closings }).toEqual({
      noise: 6,
      got: 1,
      closings: [],
    });
  });

  it('hands on what a client brought, though its arguments were written before', async () => {
    const { connection, got } = connected(() => ({}));
    const conversation = { client: 'one', brought: { responses: { q: 1 }, state: 's' } };
    const options = { ...LONG, conversation, argumentsText: '{"x":1}', asksForProgress: true };
    await connection.callTool('t', { x: 1 }, options);
    expect(got[0]?.params).toMatchObject({ arguments: { x: 1 }, inputResponses: { q: 1 }, requestState: 's' });
  });

  it('gives each call a token for its progress that cannot be guessed', async () => {
    const { connection, got } = connected(() => ({}));
    for (let n = 0; n < 2; n += 1)
      await connection.callTool('t', {}, { ...LONG, asksForProgress: true, conversation: { client: 'one' } });
    const [first, second] = got.map(({ params }) => Object(Object(params)._meta).progressToken);
    expect(second).toBe(first + 1);
    expect(first).toBeGreaterThan(1_000);
  });

  it('hands on what travels with a call, beside its own token', async () => {
    const { connection, got } = connected(() => ({}));
    await connection.callTool('t', { x: 1 }, { ...LONG, meta: { traceparent: '00-1' } });
    await connection.callTool(
      't',
      {},
      { ...LONG, meta: { traceparent: '00-2' }, asksForProgress: true, conversation: { client: 'one' } },
    );
    expect(got.map(({ params }) => params)).toEqual([
      { name: 't', arguments: { x: 1 }, _meta: { traceparent: '00-1' } },
      { name: 't', arguments: {}, _meta: { traceparent: '00-2', progressToken: expect.any(Number) } },
    ]);
  });
});
