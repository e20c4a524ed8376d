import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listening, listenHttp } from './node-server.js';

const LOOPBACK = { host: '127.0.0.1', port: 0 };
const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

async function listening(
  handle: (request: Request) => Promise<Response>,
  limits: { readonly headersMs?: number; readonly checkMs?: number } = {},
): Promise<Listening & { logged: unknown[] }> {
  const logged: unknown[] = [];
  const log = (...entry: unknown[]) => void logged.push(entry);
  const server = await listenHttp(LOOPBACK, { handle, isOpen: false, log, ...limits });
  open.push(server);
  return { ...server, logged };
}

/** The complete response of the server to these bytes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    said += chunk;
  });
  socket.end(text);
  await once(socket, 'close');
  return said;
}

describe('listenHttp', () => {
  it('passes on method, path, headers and body, and sends the response', async () => {
    const { address } = await listening(async (request) =>
      Response.json(
        { method: request.method, url: request.url, one: request.headers.get('x-one'), body: await request.text() },
        { status: 201, headers: { 'x-two': '2' } },
      ),
    );
    const response = await fetch(`http://127.0.0.1:${address.port}/a?b=c`, {
      method: 'POST',
      headers: { 'x-one': '1' },
      body: 'ä'.repeat(100_000),
    });
    expect([response.status, response.headers.get('x-two')]).toEqual([201, '2']);
    expect(await response.json()).toEqual({
      method: 'POST',
      url: 'http://localhost/a?b=c',
      one: '1',
      body: 'ä'.repeat(100_000),
    });
  });

  it('joins repeated headers, so that no reader picks one of them', async () => {
    const { address } = await listening(async ({ headers }) =>
      Response.json([headers.get('host'), headers.get('origin')]),
    );
    const lines = ['GET / HTTP/1.1', 'Host: a', 'Host: b', 'Origin: c', 'Origin: d', 'Connection: close', '', ''];
    expect(await raw(address.port, lines.join('\r\n'))).toContain('["a, b","c, d"]');
  });

  it('aborts a request whose client leaves before the response', async () => {
    const signals: AbortSignal[] = [];
    const { address } = await listening(({ signal }) => {
      signals.push(signal);
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 }))),
      );
    });
    const client = httpRequest({ port: address.port, host: '127.0.0.1' });
    client.on('error', () => undefined).end();
    await expect.poll(() => signals.length).toBe(1);
    expect(signals[0]?.aborted).toBe(false);
    client.destroy();
    await expect.poll(() => signals[0]?.aborted).toBe(true);
  });

  it('does not abort a request with a response', async () => {
    const signals: AbortSignal[] = [];
    const { address } = await listening(async ({ signal }) => {
      signals.push(signal);
      return new Response('done');
    });
    expect(await (await fetch(`http://127.0.0.1:${address.port}/`)).text()).toBe('done');
    await new Promise((resolve) => setTimeout(resolve, 50)); // it is not aborted later either
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it.each(['TRACE / HTTP/1.1', 'GET http://evil.example/ HTTP/1.1', 'OPTIONS * HTTP/1.1'])(
    'rejects %s as a request',
    async (line) => {
      let isAsked = false;
      const { address } = await listening(async () => {
        isAsked = true;
        return new Response();
      });
      expect(await raw(address.port, `${line}\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
      expect(isAsked).toBe(false);
    },
  );

  it.each([
    { title: 'too large', header: `x: ${'y'.repeat(17_000)}`, status: 431 },
    { title: 'broken', header: 'no header at all', status: 400 },
  ])('answers headers that are $title', async ({ header, status }) => {
    const { address } = await listening(async () => new Response());
    expect(await raw(address.port, `GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} `),
    );
  });

  it('responds to an internal error with 500 and no details, and logs it', async () => {
    const { address, logged } = await listening(async () => {
      throw new Error('the secret reason');
    });
    const response = await fetch(`http://127.0.0.1:${address.port}/`);
    expect([response.status, await response.text()]).toEqual([500, '']);
    expect(logged).toEqual([['error', 'internal error', { error: expect.stringContaining('the secret reason') }]]);
  });

  it('disconnects a client that sends its headers too slowly, and serves the others meanwhile', async () => {
    const { address } = await listening(async () => new Response('served'), { headersMs: 300, checkMs: 50 });
    const slow = Array.from({ length: 50 }, () => {
      const socket = connect(address.port, '127.0.0.1', () => socket.write('POST /mcp HTTP/1.1\r\nHost: '));
      socket.on('error', () => undefined).resume();
      return once(socket, 'close');
    });
    expect(await (await fetch(`http://127.0.0.1:${address.port}/`)).text()).toBe('served');
    await Promise.all(slow);
  });

  it('sends no body to HEAD', async () => {
    const { address } = await listening(async () => new Response('body'));
    const response = await fetch(`http://127.0.0.1:${address.port}/`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('refuses a name that resolves beyond loopback without a token', async () => {
    const wanted = { host: '0.0.0.0', port: 0 };
    const handle = async () => new Response();
    const opening = listenHttp(wanted, { handle, isOpen: false, log: () => undefined });
    await expect(opening).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('reports that another program is using the port', async () => {
    const { address } = await listening(async () => new Response());
    const again = listenHttp(address, { handle: async () => new Response(), isOpen: false, log: () => undefined });
    await expect(again).rejects.toMatchObject({
      code: 'CONNECTION_ERROR',
      message: `cannot listen on 127.0.0.1:${address.port}: another program is already listening there`,
    });
  });

  it('closes even if a client keeps its connection open', async () => {
    const server = await listening(async () => new Response(new ReadableStream()));
    const socket = connect(server.address.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    server.stop();
    await server[Symbol.asyncDispose]();
    open.splice(0);
    await expect.poll(() => socket.destroyed).toBe(true);
  });
});
