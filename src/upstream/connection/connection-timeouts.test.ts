import { describe, expect, it } from 'vitest';
import {
  connectTo,
  failureOf,
  type Json,
  LONG,
  MAX_LINE_BYTES,
  type Request,
  SHORT,
  tick,
} from '../../../tests/fakes/connection.js';
import { ErrorCode } from '../../base/index.js';
import { handshake } from './handshake.js';

describe('timeouts of a connection', () => {
  it('applies one time limit to all pages of a list', async () => {
    let page = 0;
    const { connection } = connectTo(({ id, method }, say) => {
      page += 1;
      if (method === 'tools/list') setTimeout(() => say({ id, result: { tools: [], nextCursor: String(page) } }), 30);
      return undefined;
    });
    const failure = await failureOf(connection.listTools({ timeoutMs: 100, totalMs: 150 }));
    expect(failure).toMatchObject({
      code: ErrorCode.ToolExecutionTimeout,
      message: 'no answer to tools/list within 0.1 s',
      hint: expect.stringContaining('timeouts.startMs'),
    });
    expect(page).toBeLessThan(10);
  });

  it('times out a call without an answer and cancels it at the server', { tags: 'G2' }, async () => {
    const { connection, got } = connectTo(() => undefined);
    const failure = await failureOf(connection.callTool('t', {}, { timeoutMs: 50, totalMs: 1_000 }));
    await tick();
    expect(failure).toMatchObject({
      code: ErrorCode.ToolExecutionTimeout,
      message: 'no answer to tools/call within 0.1 s',
      hint: 'try again, ask for less at once, or raise timeouts.callMs; a timeout in the entry of the server takes precedence',
    });
    const requestId = got[0]?.id;
    expect(got).toMatchObject([
      { id: expect.any(Number), method: 'tools/call' },
      { method: 'notifications/cancelled', params: { requestId, reason: 'no answer to tools/call within 0.1 s' } },
    ]);
  });

  it('never cancels the handshake', async () => {
    const { connection, got } = connectTo(() => undefined);
    const pending = handshake(connection, { client: { name: 'p', version: '1' }, options: SHORT, era: 'legacy' });
    expect(await failureOf(pending)).toMatchObject({ hint: expect.stringContaining('timeouts.startMs') });
    await tick();
    expect(got.map(({ method }) => method)).toEqual(['initialize']);
  });

  it.each([
    { title: 'before it is sent', abortFirst: true, methods: [] },
    { title: 'while it runs', abortFirst: false, methods: ['tools/call', 'notifications/cancelled'] },
  ])('cancels a call $title', async ({ abortFirst, methods }) => {
    const { connection, got } = connectTo(() => undefined);
    const controller = new AbortController();
    if (abortFirst) controller.abort();
    const call = connection.callTool('t', {}, { ...LONG, conversation: { signal: controller.signal } });
    setTimeout(() => controller.abort(), 10);
    expect(await failureOf(call)).toMatchObject({ code: ErrorCode.Cancelled });
    await tick();
    expect(got.map(({ method }) => method)).toEqual(methods);
  });

  it('extends the timeout with progress, up to the total limit', async () => {
    const { connection } = connectTo(({ params, method }, say) => {
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
    expect(failure).toMatchObject({
      code: ErrorCode.ToolExecutionTimeout,
      message: 'no answer to tools/call within 0.6 s in total, although the server was active',
      hint: 'ask for less at once, or raise timeouts.totalMs',
    });
    expect(ms).toBeGreaterThan(550);
    expect(ms).toBeLessThan(1_900);
  });

  it('closes the connection after three timeouts in a row', async () => {
    const { connection, events } = connectTo(() => undefined);
    for (let n = 0; n < 3; n += 1) await failureOf(connection.callTool('t', {}, SHORT));
    await expect.poll(() => events.closings).toEqual(['it stopped answering']);
    expect(await failureOf(connection.callTool('t', {}, LONG))).toMatchObject({ code: ErrorCode.ConnectionError });
  });

  it.each([
    { title: 'a result', answer: { result: {} } },
    { title: 'an error', answer: { error: { code: -1, message: 'no' } } },
    { title: 'an oversized result', answer: { result: { text: 'x'.repeat(MAX_LINE_BYTES) } } },
  ])('keeps the connection of a server that answers other calls with $title', async ({ answer }) => {
    const { connection, events } = connectTo(({ id, params }, say) => {
      if (params.name === 'ok') say({ id, ...answer });
      return undefined;
    });
    for (let n = 0; n < 6; n += 1) {
      await failureOf(connection.callTool('mute', {}, { timeoutMs: 20, totalMs: 20 }));
      await connection.callTool('ok', {}, LONG).catch(() => undefined);
    }
    expect(events.closings).toEqual([]);
  });

  it('rejects every pending call with the reason of the close and the last stderr', async () => {
    const { connection, end } = connectTo(() => undefined);
    const calls = [1, 2, 3].map(() => failureOf(connection.callTool('t', {}, LONG)));
    setTimeout(end, 10);
    expect((await Promise.all(calls)).map(({ code, message }) => ({ code, message }))).toEqual(
      Array.from({ length: 3 }, () => ({
        code: ErrorCode.ConnectionError,
        message: 'the connection was lost; last output on stderr: ouch',
      })),
    );
  });

  it('times out a call that waits for another client of a server that asks questions', { tags: 'G2' }, async () => {
    const { connection, say } = connectTo(({ id, params, method }, tell) => {
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

  it('does not wait for its own subscription after the server asked a question', { tags: 'G2' }, async () => {
    const { connection, say } = connectTo(({ method }) => (method === 'tools/call' ? {} : undefined));
    void connection.request('subscriptions/listen', {}, LONG).catch(() => undefined);
    await tick(20);
    say({ id: 1, method: 'sampling/createMessage', params: {} });
    await tick(20);
    expect(await connection.callTool('t', {}, { ...LONG, conversation: { client: 'one' } })).toMatchObject({
      value: {},
    });
    await connection.close();
  });

  it('runs waiting calls to a server that asks questions one after the other', async () => {
    const underWay = new Set<string>();
    const asked = new Map<unknown, Request>();
    let most = 0;
    const { connection } = connectTo((request, say) => {
      const caller = asked.get(request.id);
      if (request.method === 'tools/call') {
        underWay.add(String(request.params.name));
        most = Math.max(most, underWay.size);
        asked.set(`q${request.id}`, request);
        say({ id: `q${request.id}`, method: 'elicitation/create', params: { message: 'who?' } });
      } else if (caller) {
        underWay.delete(String(caller.params.name));
        say({ id: caller.id, result: { answer: (request as { result?: unknown }).result } });
      }
    });
    const call = (client: string) =>
      connection.callTool(client, {}, { ...LONG, conversation: { client, ask: async () => ({ by: client }) } });
    const first = call('a');
    await tick(20);
    const answers = await Promise.all([first, ...['b', 'c', 'd'].map(call)]);
    expect(answers.map(({ value }) => value)).toEqual(['a', 'b', 'c', 'd'].map((by) => ({ answer: { by } })));
    expect(most).toBe(1);
  });

  it('keeps the connection of a server that answers the call of another client', async () => {
    const { connection, events } = connectTo((request, say) => {
      if (request.params.name === 'slow') setTimeout(() => say({ id: request.id, result: { slow: true } }), 80);
    });
    const call = (name: string, timeoutMs: number) =>
      connection.callTool(name, {}, { timeoutMs, totalMs: timeoutMs, conversation: { client: name } });
    const slow = call('slow', 10_000);
    const stuck = await Promise.all(Array.from({ length: 3 }, () => failureOf(call('hang', 30))));
    expect(stuck.map(({ code }) => code)).toEqual(Array(3).fill(ErrorCode.ToolExecutionTimeout));
    expect((await slow).value).toEqual({ slow: true });
    expect(events.closings).toEqual([]);
  });
});
