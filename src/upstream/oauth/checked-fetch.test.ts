import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Loopback, serveOnLoopback } from '../../../tests/fixtures/oauth/loopback.js';
import type { Lookup } from '../remote/address-rules.js';
import { checkedFetch } from './checked-fetch.js';

let server: Loopback;
beforeEach(async () => {
  server = await serveOnLoopback(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/away') return new Response(null, { status: 302, headers: { location: '/other' } });
    if (pathname === '/large') return new Response('x'.repeat(600 * 1024));
    return Response.json({
      method: request.method,
      body: await request.text(),
      type: request.headers.get('content-type'),
    });
  });
});
afterEach(() => server[Symbol.asyncDispose]());

const at = (path: string): URL => new URL(path, server.url);
/** Resolves every name to this machine. */
const toLoopback: Lookup = async () => [{ address: '127.0.0.1', family: 4 }];

describe('checkedFetch', () => {
  it('connects to URLs that a person wrote and to the same host', async () => {
    const fetch = checkedFetch({ written: [new URL('http://127.0.0.1:1/mcp')] });
    const body = new URLSearchParams({ a: 'b c' });
    const response = await fetch(at('/token'), { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([
      200,
      { method: 'POST', body: 'a=b+c', type: 'application/x-www-form-urlencoded;charset=UTF-8' },
    ]);
  });

  it('returns a redirect without following it', async () => {
    const response = await checkedFetch({ written: [server.url] })(at('/away'));
    expect([response.status, response.headers.get('location')]).toEqual([302, '/other']);
    expect(server.requests).toHaveLength(1);
  });

  it('limits the size of the response', async () => {
    await expect(checkedFetch({ written: [server.url] })(at('/large'))).rejects.toThrow('its response is too large');
  });

  it('aborts with its signal', async () => {
    const fetch = checkedFetch({ written: [server.url], signal: AbortSignal.abort() });
    await expect(fetch(at('/'))).rejects.toMatchObject({ code: 'CONNECTION_ERROR' });
  });

  it.each([
    { title: 'a private address', url: 'https://10.0.0.1/', because: 'is a private address' },
    { title: 'a private address in IPv6 form', url: 'https://[::ffff:10.0.0.1]/', because: 'is a private address' },
    { title: 'a metadata service', url: 'https://169.254.169.254/', because: 'is a metadata service' },
    { title: 'a server without TLS', url: 'http://8.8.8.8/', because: 'it is not https' },
    { title: 'a URL that is not http or https', url: 'file:///etc/passwd', because: 'is not http or https' },
  ])('refuses $title that the server names', async ({ url, because }) => {
    const fetch = checkedFetch({ written: [new URL('https://mcp.example.com/mcp')] });
    await expect(fetch(url)).rejects.toMatchObject({
      code: 'CONNECTION_ERROR',
      message: expect.stringContaining(because),
    });
  });

  it('connects to the address that it checked (DNS rebinding)', async () => {
    let asked = 0;
    const turning: Lookup = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }];
    };
    const fetch = checkedFetch({ written: [new URL('https://mcp.example.com/mcp')], lookup: turning });
    await expect(fetch(`https://turning.example.com:${server.url.port}/`)).rejects.toThrow('is a private address');
    expect([asked, server.requests]).toEqual([1, []]);
  });

  it('allows a name that a person wrote, even if it resolves to this machine', async () => {
    const own = new URL(`http://mcp.example.com:${server.url.port}/`);
    const response = await checkedFetch({ written: [own], lookup: toLoopback })(own);
    expect(response.status).toBe(200);
  });

  it('keeps the query of an address out of errors', async () => {
    const fetch = checkedFetch({ written: [new URL('http://127.0.0.1:1/')] });
    const error = await fetch('http://127.0.0.1:1/token?key=hidden').catch((reason: unknown) => reason);
    expect(String(error)).toBe('PortolanError: http://127.0.0.1:1/token could not be reached (ECONNREFUSED)');
  });
});
