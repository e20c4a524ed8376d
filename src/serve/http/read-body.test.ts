import { describe, expect, it } from 'vitest';
import { readBody } from './read-body.js';

const limits = { maxLineBytes: 1_000, maxDepth: 5 };
const post = (body: string) => new Request('http://x/mcp', { method: 'POST', body });
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** A body in small chunks without a Content-Length; counts the bytes read. */
function endless() {
  const taken = { bytes: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      taken.bytes += 100;
      controller.enqueue(new Uint8Array(100).fill(0x20));
    },
    cancel: () => {
      taken.isCancelled = true;
    },
  });
  return { taken, request: new Request('http://x/mcp', { method: 'POST', body, duplex: 'half' }) };
}

describe('readBody', () => {
  it.each([
    { title: 'a message', value: PING },
    { title: 'a batch', value: [PING, { jsonrpc: '2.0', method: 'notifications/initialized' }] },
    { title: 'a response', value: { jsonrpc: '2.0', id: 0, result: {} } },
  ])('reads $title', async ({ value }) => {
    expect(await readBody(post(JSON.stringify(value)), limits)).toEqual({ kind: 'read', value });
  });

  it.each([
    { title: 'an empty body', body: '', status: 400, code: -32700, id: null },
    { title: 'half a message', body: '{"jsonrpc"', status: 400, code: -32700, id: null },
    { title: 'a message that is too long', body: `"${'x'.repeat(1_000)}"`, status: 413, code: -32000, id: null },
    {
      title: 'a message that is nested too deep',
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[[[[[]]]]]}}',
      status: 400,
      code: -32600,
      id: null,
    },
    { title: 'a number', body: '7', status: 400, code: -32600, id: null },
    {
      title: 'an id that is an object',
      body: '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      status: 400,
      code: -32600,
      id: null,
    },
    {
      title: 'params that are an array',
      body: '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
      status: 400,
      code: -32602,
      id: 7,
    },
    {
      title: 'a batch with an invalid message',
      body: `[${JSON.stringify(PING)},7]`,
      status: 400,
      code: -32600,
      id: null,
    },
    {
      title: 'a batch with too many messages',
      body: JSON.stringify(Array.from({ length: 101 }, () => 1)),
      status: 400,
      code: -32600,
      id: null,
    },
  ])('answers $title', async ({ body, status, code, id }) => {
    const read = await readBody(post(body), limits);
    if (read.kind !== 'refused') throw new Error('it was read');
    expect([read.response.status, await read.response.json()]).toEqual([
      status,
      { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } },
    ]);
  });

  it('responds to a request whose id is too long, for which the transports send no response', async () => {
    const body = JSON.stringify({ ...PING, id: 'x'.repeat(1_025) });
    const read = await readBody(post(body), { ...limits, maxLineBytes: 10_000 });
    expect(read).toMatchObject({ kind: 'refused', response: { status: 400 } });
  });

  it('stops reading an endless body at the size limit, and responds', async () => {
    const { taken, request } = endless();
    expect(await readBody(request, limits)).toMatchObject({ kind: 'refused', response: { status: 413 } });
    expect(taken.isCancelled).toBe(true);
    expect(taken.bytes).toBeLessThan(2_000);
  });

  it('does not read a body whose Content-Length exceeds the limit', async () => {
    const { taken, request } = endless();
    request.headers.set('content-length', '1001');
    expect(await readBody(request, limits)).toMatchObject({ kind: 'refused', response: { status: 413 } });
    expect(taken.bytes).toBeLessThanOrEqual(100);
  });
});
