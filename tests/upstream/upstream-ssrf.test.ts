import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../../src/base/index.js';
import type { LaunchEnvironment } from '../../src/upstream/index.js';
import { admitted } from '../fixtures/remote/admitted.js';
import { connectRemote, failureOf, makeLaunchEnvironment, OPTIONS } from '../fixtures/remote/connect-remote.js';
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';

const echoed = (given: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] });

describe('SSRF', { tags: 'S14' }, () => {
  /** The answers of a hostile name server. */
  const lookup: NonNullable<LaunchEnvironment['lookup']> = async (hostname) => {
    const address = {
      'public.example': '127.0.0.1',
      'metadata.example': '169.254.169.254',
      'mapped.example': '::ffff:169.254.169.254',
    }[hostname];
    if (address === undefined) throw new Error('ENOTFOUND');
    return [{ address, family: address.includes(':') ? 6 : 4 }];
  };

  /** A server that redirects every request, and one that must not receive any. */
  async function startRedirecting(location: (port: number) => string, status: number) {
    const reached: string[] = [];
    const other = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const server = await serveHttp(() => new Response(null, { status, headers: { location: location(port) } }));
    const url = server.url.replace('127.0.0.1', 'public.example');
    return {
      ...{ url, reached, seen: server.seen },
      [Symbol.asyncDispose]: async () => {
        await server.stop();
        other.close();
      },
    };
  }

  it.each(
    [
      { to: () => 'http://169.254.169.254/latest/meta-data/', message: /a metadata service/ },
      { to: () => 'http://[::ffff:169.254.169.254]/', message: /a metadata service/ },
      { to: () => 'http://2852039166/', message: /a metadata service/ },
      { to: () => 'http://0xa9.0376.169.254/', message: /a metadata service/ },
      { to: () => 'http://169.254.169.254./', message: /a metadata service/ },
      { to: () => 'http://metadata.google.internal./', message: /a metadata service/ },
      { to: () => 'http://10.1.2.3/', message: /a private address/ },
      { to: () => 'http://[fd00::1]/', message: /a private address/ },
      { to: (port: number) => `http://localhost:${port}/`, message: /a private address/ },
      { to: (port: number) => `http://127.0.0.1:${port}/`, message: /a private address/ },
      { to: (port: number) => `http://127.1:${port}/`, message: /a private address/ },
      { to: (port: number) => `http://public.example:${port}/`, message: /not the server of the entry/ },
      { to: () => 'https://other.example/', message: /not the server of the entry/ },
      { to: () => 'file:///etc/passwd', message: /file:/ },
    ].flatMap((one) =>
      (['http', 'sse', 'auto'] as const).map((transport) => ({ ...one, transport, where: one.to(80) })),
    ),
  )('follows no redirect to $where over $transport', async ({ to, message, transport }) => {
    await using machine = makeLaunchEnvironment({ lookup });
    await using server = await startRedirecting(to, 307);
    const failure = await failureOf(
      connectRemote(admitted({ transport, url: server.url, headers: { 'X-Key': 'k' } }), machine),
    );
    expect(failure).toMatchObject({ code: ErrorCode.ConnectionError, message: expect.stringMatching(/redirects to/) });
    expect(failure.message).toMatch(message);
    expect({ reached: server.reached, asked: server.seen.length }).toEqual({ reached: [], asked: 1 });
  });

  it('follows a redirect on the same server', async () => {
    await using machine = makeLaunchEnvironment({ lookup });
    const handler = sdkHandler();
    await using server = await serveHttp((request) => {
      const { pathname } = new URL(request.url);
      return pathname === '/mcp'
        ? new Response(null, { status: 307, headers: { location: '/moved' } })
        : handler(request);
    });
    await using one = await connectRemote(
      admitted({ transport: 'http', url: server.url, headers: { 'X-Key': 'k' } }),
      machine,
    );
    expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
    expect(server.headers.filter((headers) => headers.get('x-key') !== 'k')).toEqual([]);
  });

  it.each([
    ...['http://169.254.169.254/', 'http://[::ffff:a9fe:a9fe]/', 'http://2852039166/', 'http://0251.0376.0251.0376/'],
    ...['http://169.254.169.254./', 'http://metadata.google.internal/', 'http://METADATA.google.internal./mcp'],
    ...['http://metadata.example/', 'http://mapped.example/', 'http://100.100.100.200/', 'http://[fd00:ec2::254]/'],
  ])('connects to no metadata service, also for an entry with %s', async (url) => {
    for (const transport of ['http', 'sse', 'ws'] as const) {
      await using machine = makeLaunchEnvironment({ lookup });
      const written = transport === 'ws' ? url.replace('http', 'ws') : url;
      const failure = await failureOf(connectRemote(admitted({ transport, url: written }), machine));
      expect(failure).toMatchObject({
        code: ErrorCode.ConnectionError,
        message: expect.stringMatching(/is a metadata service/),
      });
    }
  });

  it('connects to a private address of an entry, and to a name that resolves to one', async () => {
    await using machine = makeLaunchEnvironment({ lookup });
    await using server = await serveHttp(sdkHandler());
    for (const host of ['127.0.0.1', 'public.example']) {
      await using one = await connectRemote(
        admitted({ transport: 'http', url: server.url.replace('127.0.0.1', host) }),
        machine,
      );
      expect((await one.connection.callTool('echo', {}, OPTIONS)).value).toEqual(echoed({}));
    }
  });

  it('resolves the name for each connection, and connects to the address that was checked', async () => {
    let asked = 0;
    const changing: NonNullable<LaunchEnvironment['lookup']> = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
    };
    await using machine = makeLaunchEnvironment({ lookup: changing });
    // Each response closes its connection, so that the next request needs another.
    const handler = sdkHandler();
    await using server = await serveHttp(async (request) => {
      const response = await handler(request);
      response.headers.set('connection', 'close');
      return response;
    });
    const url = server.url.replace('127.0.0.1', 'rebinding.example');
    await using one = await connectRemote(admitted({ transport: 'http', url }), machine);
    const failure = await failureOf(one.connection.callTool('echo', {}, OPTIONS));
    expect(failure.message).toMatch(/rebinding\.example.* is a metadata service/);
  });
});
