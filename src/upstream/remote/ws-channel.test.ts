import { describe, expect, it, vi } from 'vitest';
import {
  connectionOver,
  failureOf,
  LIMITS,
  MAX_BYTES,
  OPTIONS,
  targetAt,
} from '../../../tests/fixtures/remote/connect-remote.js';
import { serveWs } from '../../../tests/fixtures/remote/ws-server.js';
import { openWsChannel } from './ws-channel.js';

describe('openWsChannel', () => {
  it('closes a connection without answers to pings', async () => {
    await using server = await serveWs({ autoPong: false });
    const channel = await openWsChannel(await targetAt(server.url), () => LIMITS, { pingMs: 50 });
    await using one = connectionOver(channel);
    expect((await failureOf(one.connection.callTool('t', {}, OPTIONS))).message).toBe('it stopped answering');
    expect(one.closings).toEqual(['it stopped answering']);
  });

  it('keeps a silent connection that answers pings', async () => {
    await using server = await serveWs();
    const channel = await openWsChannel(await targetAt(server.url), () => LIMITS, { pingMs: 50 });
    await using one = connectionOver(channel);
    await vi.waitFor(() => expect(server.sockets.size).toBe(1));
    let pings = 0;
    for (const socket of server.sockets) socket.on('ping', () => (pings += 1));
    await vi.waitFor(() => expect(pings).toBeGreaterThan(4), { timeout: 10_000 });
    expect(one.closings).toEqual([]);
  });

  it('sends queued messages in order after it opens', async () => {
    await using server = await serveWs({ call: (params) => ({ name: params.name }) });
    await using one = connectionOver(await openWsChannel(await targetAt(server.url), () => LIMITS));
    const calls = ['a', 'b', 'c'].map((name) => one.connection.callTool(name, {}, OPTIONS));
    expect((await Promise.all(calls)).map(({ value }) => value.name)).toEqual(['a', 'b', 'c']);
    expect(server.got.map(({ params }) => (params as { name: string }).name)).toEqual(['a', 'b', 'c']);
  });

  it('can be closed while it opens', async () => {
    await using server = await serveWs();
    const one = connectionOver(await openWsChannel(await targetAt(server.url), () => LIMITS));
    await one.connection.close();
    expect(one.closings).toEqual([undefined]);
    await expect.poll(() => [...server.sockets].filter((socket) => socket.readyState === socket.OPEN)).toEqual([]);
  });

  it('continues after an oversized notification, and refuses an oversized request of the server', {
    tags: 'G6',
  }, async () => {
    const params = { data: 'x'.repeat(MAX_BYTES) };
    await using server = await serveWs({
      call: (_, socket) => {
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }));
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params }));
        return { ok: true };
      },
    });
    await using one = connectionOver(await openWsChannel(await targetAt(server.url), () => LIMITS));
    expect((await one.connection.callTool('t', {}, OPTIONS)).value).toEqual({ ok: true });
    expect(one.closings).toEqual([]);
    await expect.poll(() => server.refusals).toMatchObject([{ id: 'q', error: { code: -32600 } }]);
  });

  it('rejects all pending requests when the connection is lost', async () => {
    await using server = await serveWs();
    await using one = connectionOver(await openWsChannel(await targetAt(server.url), () => LIMITS));
    const calls = [1, 2, 3].map(() => failureOf(one.connection.callTool('t', {}, OPTIONS)));
    await expect.poll(() => server.got.length).toBe(3);
    for (const socket of server.sockets) socket.terminate();
    expect((await Promise.all(calls)).map(({ message }) => message)).toEqual(Array(3).fill('the connection was lost'));
  });
});
