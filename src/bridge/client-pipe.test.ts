import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { Log } from '../base/index.js';
import { Pipe } from './client-pipe.js';
import { DaemonConnection } from './daemon-connection.js';
import type { ReconnectRequest } from './pipe-options.js';

type Json = Record<string, unknown>;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A daemon that records requests and sends the responses in the table; an `Error` there becomes an error response. */
async function daemon(answers: Readonly<Record<string, unknown>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-pipe-'));
  const path = join(folder, 's');
  const received: Json[] = [];
  const sockets: Socket[] = [];
  let isDeaf = false;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    if (isDeaf) return;
    createInterface({ input: socket }).on('line', (line) => {
      const message: Json = JSON.parse(line);
      received.push(message);
      const { id, method } = message;
      if (typeof method !== 'string' || id === undefined || !(method in answers)) return;
      const answer = answers[method];
      send(answer instanceof Error ? { id, error: { code: -32603, message: answer.message } } : { id, result: answer });
    });
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  const send = (message: Json) => sockets.at(-1)?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const line = async () => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    const connection = new DaemonConnection(socket);
    connection.readOnlyTools = new Set(['search_tools']);
    return connection;
  };
  const methods = () => received.map(({ method }) => method);
  const isOver = () => sockets.at(-1)?.readableEnded === true;
  const stopReading = () => {
    isDeaf = true;
  };
  const isReached = () => sockets.length > 0;
  return { received, methods, send, line, isOver, stopReading, isReached, end: () => sockets.at(-1)?.destroy() };
}

type Daemon = Awaited<ReturnType<typeof daemon>>;

/** A client connected to a pipe that uses these daemons, one after the other. */
async function piped(...[first, ...rest]: readonly (Daemon | undefined)[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: Json[] = [];
  createInterface({ input: output }).on('line', (line) => received.push(JSON.parse(line)));
  const next = [...rest];
  const searches: Json[] = [];
  const again = async ({ isLate, hasLost }: ReconnectRequest) => {
    searches.push({ isLate, hasLost });
    return next.shift()?.line();
  };
  const logged: unknown[] = [];
  const log: Log = (level, message, facts) => void logged.push({ level, message, ...facts });
  const pipe = new Pipe({ input, output, again, log });
  const over = pipe.run(await first?.line());
  const send = (message: Json) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    received,
    send,
    input,
    over,
    searches,
    logged,
    drain: (limitMs = 10_000) => pipe.drain(limitMs),
    comes: (another: Daemon) => next.push(another),
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; !holds(); n += 1) {
    if (n > 400) throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const GREETING = {
  protocolVersion: '2025-11-25',
  capabilities: { roots: {} },
  clientInfo: { name: 'c', version: '1' },
};
const ANSWERS = {
  initialize: { hello: 1 },
  'logging/setLevel': {},
  'resources/subscribe': {},
  'tools/list': { tools: [] },
};

describe('Pipe', () => {
  it('restores the state of the client at the next daemon without sending it the responses', async () => {
    const [first, second] = [await daemon(ANSWERS), await daemon(ANSWERS)];
    const client = await piped(first, second);
    client.send({ id: 0, method: 'initialize', params: GREETING });
    client.send({ method: 'notifications/initialized' });
    client.send({ id: 1, method: 'logging/setLevel', params: { level: 'debug' } });
    for (const [at, uri] of ['a:1', 'a:2'].entries())
      client.send({ id: at + 2, method: 'resources/subscribe', params: { uri } });
    client.send({ id: 4, method: 'resources/unsubscribe', params: { uri: 'a:1' } });
    await until(() => first.received.length === 6 && client.received.length === 4);
    first.send({ id: 4, result: {} });
    await until(() => client.received.length === 5);
    first.end();
    client.send({ id: 5, method: 'tools/list' });
    await until(() => client.received.length === 6);
    expect(second.received.map(({ method, params }) => [method, params])).toEqual([
      ['initialize', GREETING],
      ['notifications/initialized', undefined],
      ['logging/setLevel', { level: 'debug' }],
      ['resources/subscribe', { uri: 'a:2' }],
      ['tools/list', undefined],
    ]);
    expect(client.received.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('repeats read-only requests and fails the others, each once', async () => {
    const [first, second] = [await daemon(), await daemon({ ...ANSWERS, 'tools/call': { found: 1 } })];
    const client = await piped(first, second);
    client.send({ id: 'r', method: 'tools/list' });
    client.send({ id: 's', method: 'tools/call', params: { name: 'search_tools', arguments: {} } });
    client.send({ id: 'w', method: 'tools/call', params: { name: 'execute_tool', arguments: {} } });
    client.send({ id: 'x', method: 'tools/call', params: { name: 'execute_tool', arguments: {} } });
    client.send({ method: 'notifications/cancelled', params: { requestId: 'x' } });
    await until(() => first.received.length === 5);
    first.end();
    await until(() => client.received.length === 3);
    expect(second.methods()).toEqual(['tools/list', 'tools/call']);
    expect(client.received.map(({ id, error }) => [id, error !== undefined])).toEqual([
      ['w', true],
      ['r', false],
      ['s', false],
    ]);
  });

  it.each([
    { level: 'debug', isNotified: true },
    { level: 'emergency', isNotified: false },
  ])(
    'reports to a client at the level $level which subscription the next daemon refuses, and why',
    async ({ level, isNotified }) => {
      const why = new Error('the server of a:1 is gone\u202e');
      const [first, second] = [await daemon(ANSWERS), await daemon({ ...ANSWERS, 'resources/subscribe': why })];
      const client = await piped(first, second);
      client.send({ id: 0, method: 'initialize', params: GREETING });
      client.send({ id: 1, method: 'logging/setLevel', params: { level } });
      client.send({ id: 2, method: 'resources/subscribe', params: { uri: 'a:1' } });
      await until(() => client.received.length === 3);
      first.end();
      await until(() => client.logged.length === 2);
      client.send({ id: 3, method: 'tools/list' });
      await until(() => client.received.length === (isNotified ? 5 : 4));
      const lost = { what: 'the subscription to a:1', why: 'the server of a:1 is gone\\u{202e}' };
      expect(client.logged[1]).toEqual({
        ...{ level: 'warn', message: 'not restored after the daemon was lost' },
        lost: [lost],
      });
      const data = `Portolan reconnected and could not restore ${lost.what} (${lost.why}). Send the request again.`;
      const notice = {
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'error', logger: 'portolan', data },
      };
      expect(client.received.slice(3)).toEqual([
        ...(isNotified ? [notice] : []),
        { jsonrpc: '2.0', id: 3, result: { tools: [] } },
      ]);
    },
  );

  it('does not restore requests that the first daemon rejected', async () => {
    const no = new Error('no');
    const [first, second] = [
      await daemon({ ...ANSWERS, 'resources/subscribe': no, 'logging/setLevel': no }),
      await daemon(ANSWERS),
    ];
    const client = await piped(first, second);
    client.send({ id: 0, method: 'initialize', params: GREETING });
    client.send({ id: 'level', method: 'logging/setLevel', params: { level: 'odd' } });
    client.send({ id: 2, method: 'resources/subscribe', params: { uri: 'a:1' } });
    await until(() => client.received.length === 3);
    first.end();
    client.send({ id: 3, method: 'tools/list' });
    await until(() => client.received.length === 4);
    expect(second.methods()).toEqual(['initialize', 'tools/list']);
  });

  it('sends no new request to a daemon that is leaving, and forwards its pending responses', async () => {
    const [first, second] = [await daemon(), await daemon(ANSWERS)];
    const client = await piped(first, second);
    client.send({ id: 1, method: 'tools/call', params: { name: 'execute_tool' } });
    client.send({ id: 2, method: 'subscriptions/listen', params: {} });
    await until(() => first.received.length === 2);
    first.send({ method: 'notifications/bridge/leaving' });
    await until(() => first.methods().at(-1) === 'notifications/bridge/left');
    client.send({ id: 3, method: 'tools/list' });
    first.send({ id: 2, result: {} });
    first.send({ id: 1, result: { late: true } });
    await until(() => client.received.length === 2);
    first.end();
    await until(() => second.received.length === 2);
    expect(first.methods()).toEqual(['tools/call', 'subscriptions/listen', 'notifications/bridge/left']);
    // A listening request is sent again to the second daemon without an error for the client.
    expect(new Set(second.methods())).toEqual(new Set(['subscriptions/listen', 'tools/list']));
    expect(client.received.map(({ id }) => id).toSorted()).toEqual([1, 3]);
  });

  it('sends a response of the client only to the daemon that sent the request', async () => {
    const [first, second] = [await daemon(ANSWERS), await daemon(ANSWERS)];
    const client = await piped(first, second);
    client.send({ id: 0, method: 'tools/list' });
    await until(() => client.received.length === 1);
    first.send({ id: 0, method: 'roots/list' });
    await until(() => client.received.length === 2);
    first.end();
    client.send({ id: 1, method: 'tools/list' });
    await until(() => client.received.length === 3);
    second.send({ id: 0, method: 'roots/list' });
    second.send({ id: 7, method: 'ping' });
    await until(() => client.received.length === 4 && second.received.length === 2);
    const [asked, askedAgain] = [client.received[1]?.id, client.received[3]?.id];
    client.send({ id: asked, result: { of: 'first' } });
    client.send({ id: askedAgain, result: { of: 'second' } });
    await until(() => second.received.length === 3);
    expect(second.received.slice(1)).toEqual([
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 0, result: { of: 'second' } },
    ]);
  });

  it('fails each request with one error while no daemon runs, and continues once one runs', async () => {
    const [first, late] = [await daemon(ANSWERS), await daemon(ANSWERS)];
    const client = await piped(first);
    client.send({ id: 0, method: 'initialize', params: GREETING });
    await until(() => client.received.length === 1);
    client.send({ id: 1, method: 'resources/list' });
    await until(() => first.received.length === 2);
    first.end();
    await until(() => client.received.length === 2);
    client.send({ method: 'notifications/roots/list_changed' });
    client.send({ id: 2, method: 'tools/call', params: { name: 'run_python' } });
    await until(() => client.received.length === 3);
    const refused = {
      code: -32603,
      message: 'no gateway serves this client: no daemon runs, and none could be started',
    };
    expect(client.received.slice(1)).toMatchObject([1, 2].map((id) => ({ id, error: refused })));
    client.comes(late);
    client.send({ id: 3, method: 'tools/list' });
    await until(() => client.received.length === 4);
    expect(client.received[3]).toMatchObject({ id: 3, result: { tools: [] } });
    expect(late.methods()).toEqual(['initialize', 'tools/list']);
    expect(client.searches).toEqual([
      { isLate: false, hasLost: false },
      { isLate: true, hasLost: true },
      { isLate: true, hasLost: true },
    ]);
    client.input.end();
    await until(() => late.isOver());
    late.end();
    await client.over;
  });

  it('serves a client that found no daemon at first once a daemon starts', async () => {
    const late = await daemon(ANSWERS);
    const client = await piped(undefined);
    client.send({ id: 0, method: 'initialize', params: GREETING });
    await until(() => client.received.length === 1);
    expect(client.received).toMatchObject([{ id: 0, error: { data: { code: 'CONNECTION_ERROR' } } }]);
    client.comes(late);
    client.send({ id: 1, method: 'initialize', params: GREETING });
    await until(() => client.received.length === 2);
    expect(client.received[1]).toMatchObject({ id: 1, result: { hello: 1 } });
    expect(late.methods()).toEqual(['initialize']);
  });

  it('forwards the requests sent before the client disconnected, and then ends', async () => {
    const first = await daemon();
    const client = await piped(first);
    client.send({ id: 1, method: 'tools/list' });
    client.input.end();
    await until(() => first.received.length === 1);
    first.send({ id: 1, result: {} });
    await until(() => client.received.length === 1);
    first.end();
    await client.over;
  });

  it('delivers pending responses, rejects new requests and disconnects on a shutdown signal', async () => {
    const first = await daemon();
    const client = await piped(first);
    client.send({ id: 'open', method: 'tools/call', params: { name: 'execute_tool' } });
    await until(() => first.received.length === 1);
    client.drain();
    client.send({ id: 'late', method: 'tools/list' });
    await until(() => client.received.length === 1);
    first.send({ id: 'question', method: 'roots/list' });
    await until(() => client.received.length === 2);
    client.send({ id: client.received[1]?.id, result: { roots: [] } });
    await until(() => first.received.length === 2);
    first.send({ id: 'open', result: { done: true } });
    await client.over;
    await until(() => client.received.length === 3 && first.isOver());
    expect(client.received).toEqual([
      { jsonrpc: '2.0', id: 'late', error: { code: -32603, message: 'the gateway is shutting down' } },
      { jsonrpc: '2.0', id: 0, method: 'roots/list' },
      { jsonrpc: '2.0', id: 'open', result: { done: true } },
    ]);
    expect(first.received.at(-1)).toEqual({ jsonrpc: '2.0', id: 'question', result: { roots: [] } });
  });

  it('lets the daemon end listening requests on a shutdown signal', async () => {
    const first = await daemon();
    const client = await piped(first);
    client.send({ id: 'listens', method: 'subscriptions/listen', params: {} });
    client.send({ id: 'open', method: 'tools/call', params: { name: 'execute_tool' } });
    await until(() => first.received.length === 2);
    client.drain();
    client.send({ method: 'notifications/cancelled', params: { requestId: 'open' } });
    await until(() => first.isOver());
    expect(first.methods().at(-1)).toBe('notifications/cancelled');
    first.send({ id: 'listens', result: {} });
    await client.over;
    await until(() => client.received.length === 1);
    expect(client.received).toEqual([{ jsonrpc: '2.0', id: 'listens', result: {} }]);
  });

  it('fails the requests still pending when the shutdown timeout ends', async () => {
    const first = await daemon();
    const client = await piped(first);
    client.send({ id: 'open', method: 'tools/call', params: { name: 'execute_tool' } });
    await until(() => first.received.length === 1);
    client.drain(50);
    await client.over;
    await until(() => client.received.length === 1 && first.isOver());
    expect(client.received).toMatchObject([{ id: 'open', error: { code: -32603, data: { code: 'CANCELLED' } } }]);
  });

  it.each([
    { title: 'with a daemon', comes: true },
    { title: 'without a daemon', comes: false },
  ])('ends immediately on a shutdown signal $title and without pending requests', async ({ comes }) => {
    const first = await daemon();
    const client = await piped(comes ? first : undefined);
    client.drain();
    await client.over;
    await until(() => !comes || first.isOver());
    expect(client.received).toEqual([]);
  });

  it.each([
    { title: 'one large read', requests: [{ method: 'resources/read', params: { uri: 'x'.repeat(200_000) } }] },
    {
      title: 'many small reads',
      requests: Array.from({ length: 400 }, () => ({ method: 'resources/read', params: { uri: 'x'.repeat(60) } })),
    },
  ])('reads further input after $title had to be repeated', async ({ requests }) => {
    const [first, second] = [await daemon(), await daemon({ 'resources/read': {}, ...ANSWERS })];
    const client = await piped(first, second);
    for (const [id, request] of requests.entries()) client.send({ id, ...request });
    await until(() => first.received.length === requests.length);
    first.end();
    await until(() => client.received.length === requests.length);
    client.send({ id: 'next', method: 'tools/list' });
    await until(() => client.received.length === requests.length + 1);
    expect(client.received.at(-1)).toEqual({ jsonrpc: '2.0', id: 'next', result: { tools: [] } });
  });

  it('reads further input after a large call that found no daemon at first', async () => {
    const late = await daemon({ 'tools/call': {}, ...ANSWERS });
    const client = await piped(undefined, late);
    client.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'execute_tool', arguments: { text: 'x'.repeat(200_000) } },
    });
    await until(() => client.received.length === 1);
    client.send({ id: 2, method: 'tools/list' });
    await until(() => client.received.length === 2);
    expect(client.received.map(({ id }) => id)).toEqual([1, 2]);
  });

  it('reads further input if the next daemon exits before it has read the repeated requests', async () => {
    const [first, deaf, last] = [await daemon(), await daemon(), await daemon({ 'resources/read': {}, ...ANSWERS })];
    const client = await piped(first, deaf, last);
    client.send({ id: 1, method: 'resources/read', params: { uri: 'x'.repeat(8_000_000) } });
    await until(() => first.received.length === 1);
    deaf.stopReading();
    first.end();
    await until(() => deaf.isReached());
    deaf.end();
    await until(() => client.received.length === 1);
    client.send({ id: 2, method: 'tools/list' });
    await until(() => client.received.length === 2);
    expect(client.received.map(({ id, error }) => [id, error])).toEqual([1, 2].map((id) => [id, undefined]));
  });

  it('fails all pending requests if the daemon exits after the client disconnected', async () => {
    const first = await daemon();
    const client = await piped(first);
    client.send({ id: 'read', method: 'tools/list' });
    client.send({ id: 'call', method: 'tools/call', params: { name: 'execute_tool' } });
    client.input.end();
    await until(() => first.received.length === 2 && first.isOver());
    first.end();
    await client.over;
    await until(() => client.received.length === 2);
    const error = { code: -32603, data: { code: 'CONNECTION_ERROR' } };
    expect(client.received).toMatchObject(['read', 'call'].map((id) => ({ id, error })));
    expect(client.searches).toEqual([]);
  });

  it.each([
    { title: 'a result if a daemon starts', comes: true, answer: { id: 1, result: { tools: [] } } },
    { title: 'an error if none starts', comes: false, answer: { id: 1, error: { code: -32603 } } },
  ])('answers the last request of a disconnected client without a daemon with $title', async ({ comes, answer }) => {
    const late = await daemon(ANSWERS);
    const client = await piped(undefined, comes ? late : undefined);
    client.input.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    await until(() => client.received.length === 1);
    expect(client.received).toMatchObject([answer]);
    // The end of the input must reach the daemon too, or it would wait for more requests.
    await until(() => !comes || late.isOver());
    late.end();
    await client.over;
  });

  it.each([
    { title: 'sends to the next daemon', comes: true, answer: { id: 1, result: { tools: [] } } },
    { title: 'fails without a next daemon', comes: false, answer: { id: 1, error: { code: -32603 } } },
  ])('$title a request that a leaving daemon did not answer', async ({ comes, answer }) => {
    const [first, late] = [await daemon(), await daemon(ANSWERS)];
    const client = await piped(first, undefined, ...(comes ? [late] : []));
    client.send({ id: 1, method: 'tools/list' });
    await until(() => first.received.length === 1);
    first.send({ method: 'notifications/bridge/leaving' });
    await until(() => first.methods().includes('notifications/bridge/left'));
    expect(client.received).toEqual([]);
    first.end();
    await until(() => client.received.length === 1);
    expect(client.received).toMatchObject([answer]);
    expect(client.searches.map(({ isLate }) => isLate)).toEqual([false, true]);
  });

  const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  it.each([
    { title: 'a batch', line: `[${DEEP}]`, id: null },
    { title: 'a batch of requests', line: `[{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":${DEEP}}}]`, id: null },
    { title: 'a request', line: `{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":${DEEP}}}`, id: 5 },
    { title: 'a response that matches no request', line: `{"jsonrpc":"2.0","id":5,"result":${DEEP}}`, id: null },
  ])('rejects $title over the depth limit, and continues', async ({ line, id }) => {
    const first = await daemon(ANSWERS);
    const client = await piped(first);
    client.input.write(`${line}\n`);
    client.send({ id: 'next', method: 'tools/list' });
    await until(() => client.received.length === 2);
    expect(client.received).toEqual([
      { jsonrpc: '2.0', id, error: { code: -32600, message: 'the message is nested too deeply' } },
      { jsonrpc: '2.0', id: 'next', result: { tools: [] } },
    ]);
    expect(first.methods()).toEqual(['tools/list']);
  });

  it.each([
    { title: 'that is empty', line: '[]' },
    { title: 'with too many messages', line: JSON.stringify(Array(257).fill({ jsonrpc: '2.0', method: 'x' })) },
  ])('rejects a batch $title like the gateway, and continues', async ({ line }) => {
    const first = await daemon(ANSWERS);
    const client = await piped(first);
    client.input.write(`${line}\n`);
    client.send({ id: 'next', method: 'tools/list' });
    await until(() => client.received.some(({ id }) => id === 'next'));
    expect(client.received).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'a batch must have 1 to 256 messages' } },
      { jsonrpc: '2.0', id: 'next', result: { tools: [] } },
    ]);
    expect(first.methods()).toEqual(['tools/list']);
  });

  it('lets the daemon reject a request or a batch by its own limit', async () => {
    const first = await daemon({ x: {} });
    const client = await piped(first);
    const request = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`;
    client.input.write(`${request}\n[${request.replace('"id":1', '"id":2')}]\n`);
    await until(() => client.received.length === 2);
    expect(client.received.map(({ id, result }) => [id, result])).toEqual([1, 2].map((id) => [id, {}]));
  });

  it.each([150, 20_000])('sends the daemon an error if the response of the client has %i levels', async (levels) => {
    const first = await daemon();
    const client = await piped(first);
    first.send({ id: 'q', method: 'roots/list' });
    await until(() => client.received.length === 1);
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    client.input.write(`{"jsonrpc":"2.0","id":${client.received[0]?.id},"result":{"a":${deep}}}\n`);
    await until(() => first.received.length === 1);
    const error = { code: -32600, message: 'the message is nested too deeply' };
    expect(first.received).toEqual([{ jsonrpc: '2.0', id: 'q', error }]);
  });

  it.each([
    { title: 'a number that JavaScript rounds', id: '12345678901234567891' },
    { title: 'a number that overflows', id: '1e400' },
    { title: 'a long string', id: `"${'x'.repeat(1_025)}"` },
    { title: 'null', id: 'null' },
    { title: 'an object', id: '{}' },
  ])('rejects a request with $title as id, and does not wait for it', async ({ id }) => {
    const first = await daemon(ANSWERS);
    const client = await piped(first);
    client.input.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`);
    client.send({ id: 'next', method: 'tools/list' });
    await until(() => client.received.length === 2);
    client.drain();
    await client.over;
    expect(client.received).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining('"id"') } },
      { jsonrpc: '2.0', id: 'next', result: { tools: [] } },
    ]);
    expect(first.received).toHaveLength(1);
  });

  it('sends the daemon an error if the response of the client is too large to forward', async () => {
    const first = await daemon();
    const client = await piped(first);
    first.send({ id: 'q', method: 'roots/list' });
    await until(() => client.received.length === 1);
    client.input.write(`{"jsonrpc":"2.0","id":${client.received[0]?.id},"result":"`);
    for (let n = 0; n < 65; n += 1) client.input.write(Buffer.alloc(1024 * 1024, 'x'));
    client.input.write('"}\n');
    await until(() => first.received.length === 1);
    expect(first.received).toMatchObject([
      { id: 'q', error: { code: -32600, message: expect.stringContaining('too large') } },
    ]);
  });
});
