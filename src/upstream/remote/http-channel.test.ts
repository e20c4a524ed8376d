import { describe, expect, it } from 'vitest';
import { connectionOver, failureOf, LIMITS, OPTIONS, targetAt } from '../../../tests/fixtures/remote/connect-remote.js';
import { connectOverHttp, minimalHandler } from '../../../tests/fixtures/remote/minimal-http.js';
import { type Handler, sdkHandler, serveHttp } from '../../../tests/fixtures/servers/http-server.js';
import { ErrorCode, PortolanError } from '../../base/index.js';
import { handshake } from '../connection/handshake.js';
import { openHttpChannel } from './http-channel.js';

describe('openHttpChannel', () => {
  it('connects to a server of the official SDK: handshake, list, call', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection } = await connectOverHttp(server);
    expect(connection.handshake).toMatchObject({ name: 'official', version: '2', protocolVersion: '2025-11-25' });
    const tools = await connection.listTools(OPTIONS);
    expect(tools.map((tool) => (tool as { name: string }).name)).toEqual(['echo', 'big', 'steps']);
    expect(await connection.callTool('echo', { a: 'ä' }, OPTIONS)).toEqual({
      value: { content: [{ type: 'text', text: '{"a":"ä"}' }] },
    });
    await connection.close();
  });

  it('sends the headers of its entry with every request', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection } = await connectOverHttp(server, { Authorization: 'Bearer t-1' });
    await connection.callTool('echo', {}, OPTIONS);
    expect(server.headers.map((headers) => headers.get('authorization')).filter((one) => one !== 'Bearer t-1')).toEqual(
      [],
    );
    await connection.close();
  });

  it('receives progress', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection } = await connectOverHttp(server);
    const steps: unknown[] = [];
    const result = await connection.callTool(
      'steps',
      {},
      { ...OPTIONS, conversation: { progress: (step) => steps.push(step) } },
    );
    expect(result.value).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(steps).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    await connection.close();
  });

  it('keeps concurrent calls apart', async () => {
    await using server = await serveHttp(sdkHandler());
    const { connection } = await connectOverHttp(server);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) => connection.callTool('echo', { n }, OPTIONS)),
    );
    expect(results.map(({ value }) => value.content)).toEqual(
      results.map((_, n) => [{ type: 'text', text: `{"n":${n}}` }]),
    );
    await connection.close();
  });

  it('reports a server that has stopped', async () => {
    const server = await serveHttp(sdkHandler());
    const { connection } = await connectOverHttp(server);
    await server.stop();
    const failure = await failureOf(connection.callTool('echo', {}, OPTIONS));
    expect(failure).toMatchObject({
      code: ErrorCode.ConnectionError,
      message: expect.stringMatching(/could not be reached \((ECONNREFUSED|ECONNRESET)\)/),
    });
    await connection.close();
  });

  it('frees the connection of a cancelled call', async () => {
    let isGone = false;
    const endless = () =>
      new Response(
        new ReadableStream({
          cancel: () => {
            isGone = true;
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    await using server = await serveHttp(minimalHandler(endless));
    const { connection } = await connectOverHttp(server);
    await failureOf(connection.callTool('t', {}, { timeoutMs: 100, totalMs: 100 }));
    await expect.poll(() => isGone).toBe(true);
    await connection.close();
  });

  it('aborts the request of a cancelled call to a stateless server, and sends no notification', async () => {
    const gone: unknown[] = [];
    const endless = (id: unknown) =>
      new Response(new ReadableStream({ cancel: () => void gone.push(id) }), {
        headers: { 'content-type': 'text/event-stream' },
      });
    await using server = await serveHttp(async (request) => {
      const { id, method } = (await request.json()) as { id: number; method: string };
      if (method !== 'server/discover') return endless(method === 'tools/call' ? 'the call' : 'the listening');
      return Response.json({ jsonrpc: '2.0', id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } });
    });
    const { connection } = connectionOver(await openHttpChannel(await targetAt(server.url), () => LIMITS));
    await handshake(connection, { client: { name: 'portolan', version: '1' }, options: OPTIONS, era: undefined });
    await failureOf(connection.callTool('t', {}, { timeoutMs: 100, totalMs: 100 }));
    await expect.poll(() => gone).toEqual(['the call']);
    expect(new Set(server.seen)).toEqual(
      new Set(['POST server/discover', 'POST subscriptions/listen', 'POST tools/call']),
    );
    await connection.close();
  });

  it('sends the token of the auth provider, and a new one after a refusal', async () => {
    const handler = sdkHandler();
    await using server = await serveHttp((request) =>
      request.headers.get('authorization') === 'Bearer new' ? handler(request) : new Response('', { status: 401 }),
    );
    let token = 'old';
    const authProvider = {
      token: async () => token,
      onUnauthorized: async () => {
        token = 'new';
      },
    };
    const { connection } = await connectOverHttp(server, {}, { authProvider });
    expect(server.headers.slice(0, 2).map((headers) => headers.get('authorization'))).toEqual([
      'Bearer old',
      'Bearer new',
    ]);
    await connection.close();
  });

  it.each([
    {
      title: 'the provider',
      authProvider: { token: async () => undefined, onUnauthorized: () => Promise.reject(signIn()) },
    },
    {
      title: '`explain`',
      authProvider: { token: async () => undefined },
      explain: async () => signIn(),
    },
  ])('reports the error of $title without a sign-in', async ({ title: _, ...access }) => {
    await using server = await serveHttp(() => new Response('', { status: 401 }));
    const failure = await failureOf(connectOverHttp(server, {}, access));
    expect(failure.message).toBe('s needs a sign-in');
  });

  it('closes a connection whose session the server no longer knows', async () => {
    const forgetful: Handler = async (request) => {
      const response = await minimalHandler(() => new Response('Session not found', { status: 404 }))(request);
      response.headers.set('mcp-session-id', 's-1');
      return response;
    };
    await using server = await serveHttp(forgetful);
    const { connection, closings } = await connectOverHttp(server);
    expect(await failureOf(connection.callTool('t', {}, OPTIONS))).toMatchObject({
      message: 'it answered 404: Session not found',
    });
    await expect.poll(() => closings).toEqual(['the server no longer knows the session']);
  });
});

function signIn(): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, 's needs a sign-in', { hint: 'portolan login s' });
}
