import { describe, expect, it } from 'vitest';
import {
  connectTo,
  failureOf,
  INITIALIZE_RESULT,
  type Json,
  LONG,
  MAX_LINE_BYTES,
  tick,
} from '../../../tests/fakes/connection.js';
import { ErrorCode } from '../../base/index.js';
import { handshake } from './handshake.js';

describe('Connection', () => {
  it('performs the handshake and keeps the server info', async () => {
    const { connection, got } = connectTo(({ method }) =>
      method === 'initialize' ? { ...INITIALIZE_RESULT, instructions: 'be kind' } : undefined,
    );
    await handshake(connection, { client: { name: 'portolan', version: '9' }, options: LONG, era: 'legacy' });
    await expect.poll(() => got.length).toBe(2);
    expect(connection.handshake).toEqual({
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
      title: 'names no protocol revision',
      answer: {},
      message: 'its answer to initialize names no protocol revision; last output on stderr: ouch',
    },
    {
      title: 'uses an unknown revision',
      answer: { protocolVersion: '1999-01-01' },
      message: 'it uses protocol revision "1999-01-01", which Portolan does not support; last output on stderr: ouch',
    },
  ])('refuses a server that $title', async ({ answer, message }) => {
    const { connection } = connectTo(() => answer);
    const failure = await failureOf(
      handshake(connection, { client: { name: 'p', version: '1' }, options: LONG, era: 'legacy' }),
    );
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message });
  });

  it('lists every page', async () => {
    const { connection } = connectTo(({ params: { cursor } }) =>
      cursor === undefined ? { tools: [1, 2], nextCursor: 'b' } : { tools: [3] },
    );
    expect(await connection.listTools(LONG)).toEqual([1, 2, 3]);
  });

  it.each([
    { title: 'repeats a cursor', next: () => 'same', pages: 2 },
    { title: 'never ends', next: (page: number) => String(page), pages: 1_000 },
  ])('ends a list that $title', async ({ next, pages }) => {
    let page = 0;
    const { connection } = connectTo(() => {
      page += 1;
      return { tools: [page], nextCursor: next(page) };
    });
    expect(await connection.listTools(LONG)).toHaveLength(pages);
  });

  it('rejects a result without a list', async () => {
    const { connection } = connectTo(() => ({ tools: 'many' }));
    expect(await failureOf(connection.listTools(LONG))).toMatchObject({ code: ErrorCode.ConnectionError });
  });

  it('returns the result with its original JSON text', async () => {
    const { connection } = connectTo(({ id, params }, say) => {
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
      title: 'a result that is not an object',
      say: (id: unknown) => ({ id, result: 'x' }),
      failure: {
        code: ErrorCode.ToolExecutionError,
        message: 'the server sent an answer whose result is not an object',
      },
    },
    ...['done', null, { type: 'text', text: 'done' }].map((content) => ({
      title: `a result whose content is ${JSON.stringify(content)}`,
      say: (id: unknown) => ({ id, result: { content } }),
      failure: {
        code: ErrorCode.ToolExecutionError,
        message: 'the server sent a result whose "content" is not an array',
      },
    })),
    {
      title: 'both a result and an error',
      say: (id: unknown) => ({ id, result: { content: [] }, error: { code: -1, message: 'no' } }),
      failure: {
        code: ErrorCode.ToolExecutionError,
        message: 'its answer cannot be read: it has both "result" and "error"',
      },
    },
    {
      title: 'both an error and a result',
      say: (id: unknown) => ({ id, error: 'no', result: { content: [] } }),
      failure: {
        code: ErrorCode.ToolExecutionError,
        message: 'its answer cannot be read: it has both "result" and "error"',
      },
    },
    {
      title: 'an error beside a result that is null',
      say: (id: unknown) => ({ id, error: { code: -1, message: 'no' }, result: null }),
      failure: { code: ErrorCode.ToolExecutionError, message: 'no' },
    },
    {
      title: 'a result over the limit',
      say: (id: unknown) => ({ id, result: { text: 'x'.repeat(MAX_LINE_BYTES) } }),
      failure: { code: ErrorCode.ResultTooLarge, hint: 'ask for less at once, or raise limits.maxResultBytes' },
    },
  ])('turns $title into an error with a code', async ({ say: answer, failure }) => {
    const { connection } = connectTo(({ id }, say) => {
      say(answer(id));
      return undefined;
    });
    expect(await failureOf(connection.callTool('t', {}, LONG))).toMatchObject(failure);
  });

  it('accepts a result beside a null error, and a result without content', async () => {
    const { connection } = connectTo(({ id, params }, say) => {
      if (params.name === 'old') say({ id, result: { content: [] }, error: null });
      return params.name === 'bare' ? { structuredContent: { a: 1 } } : undefined;
    });
    const results = [await connection.callTool('old', {}, LONG), await connection.callTool('bare', {}, LONG)];
    expect(results.map(({ value }) => value)).toEqual([{ content: [] }, { structuredContent: { a: 1 } }]);
  });

  it('starts each connection with a random id that leaves 32 bits to count', async () => {
    const first = async () => {
      const { connection, got } = connectTo(() => ({}));
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

  it('passes progress only to the call that it belongs to', async () => {
    const { connection } = connectTo(({ id, method, params }, say) => {
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

  it('answers a ping, and rejects questions without a call in progress', async () => {
    const { got, say, events } = connectTo(() => undefined);
    say({ id: 1, method: 'ping' });
    say({ id: 2, method: 'sampling/createMessage', params: {} });
    say({ id: 3, method: 'files/delete', params: {} });
    say({ method: 'notifications/tools/list_changed' });
    say({ method: 'notifications/unheard-of' });
    await expect.poll(() => [got.length, events.notified.length]).toEqual([3, 2]);
    await tick(20); // nothing else follows
    expect(got.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      {
        jsonrpc: '2.0',
        id: 2,
        error: { code: -32601, message: 'sampling/createMessage: no call is in progress that could have caused it' },
      },
      { jsonrpc: '2.0', id: 3, error: { code: -32601, message: 'files/delete is not supported here' } },
    ]);
    expect(events.notified).toEqual(['notifications/tools/list_changed', 'notifications/unheard-of']);
  });

  it('counts invalid messages, answers none and continues', { tags: 'G3' }, async () => {
    const { connection, events, got } = connectTo(({ id }, say) => {
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

  it('passes on the answers of a client although there is a text of the arguments', async () => {
    const { connection, got } = connectTo(() => ({}));
    const conversation = { client: 'one', retryInput: { responses: { q: 1 }, state: 's' } };
    const options = { ...LONG, conversation, argumentsText: '{"x":1}', asksForProgress: true };
    await connection.callTool('t', { x: 1 }, options);
    expect(got[0]?.params).toMatchObject({ arguments: { x: 1 }, inputResponses: { q: 1 }, requestState: 's' });
  });

  it('gives each call a progress token that cannot be guessed', async () => {
    const { connection, got } = connectTo(() => ({}));
    for (let n = 0; n < 2; n += 1)
      await connection.callTool('t', {}, { ...LONG, asksForProgress: true, conversation: { client: 'one' } });
    const [first, second] = got.map(({ params }) => Object(Object(params)._meta).progressToken);
    expect(second).toBe(first + 1);
    expect(first).toBeGreaterThan(1_000);
  });

  it('passes on the _meta of a call beside its progress token', async () => {
    const { connection, got } = connectTo(() => ({}));
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
