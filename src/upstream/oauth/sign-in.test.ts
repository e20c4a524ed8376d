import { describe, expect, it } from 'vitest';
import { type Loopback, serveOnLoopback } from '../../../tests/fixtures/oauth/loopback.js';
import { admitted, makeStore } from '../../../tests/fixtures/oauth/sign-in-client.js';
import type { Definition } from '../../model/index.js';
import { signIn } from './sign-in.js';

/** A server that is its own authorization server, with manipulated metadata. */
async function hostile(metadata: Record<string, unknown>, resource: Record<string, unknown> = {}): Promise<Loopback> {
  const server = await serveOnLoopback(async (request) => {
    const { origin, pathname } = new URL(request.url);
    if (pathname === '/.well-known/oauth-protected-resource')
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin], ...resource });
    if (pathname === '/.well-known/oauth-authorization-server')
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...metadata,
      });
    if (pathname === '/register')
      return Response.json({ ...((await request.json()) as object), client_id: 'c', client_secret: 'hidden-secret' });
    if (pathname === '/mcp') {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`;
      return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
    }
    return Response.json({ error: 'not here' }, { status: 404 });
  });
  return server;
}

async function attempt(url: URL, more: Partial<Definition> = {}) {
  using store = makeStore();
  const opened: string[] = [];
  const printed: string[] = [];
  const outcome = await signIn(admitted(url.href, more), store, {
    openBrowser: async (page) => {
      opened.push(page.href);
      return false;
    },
    print: (page) => printed.push(page),
    timeoutMs: 1_000,
  }).catch((error: unknown) => error);
  return { opened, printed, outcome };
}

describe('signIn', () => {
  it('prints the page if no browser can be opened, and times out', async () => {
    await using server = await hostile({});
    const { opened, printed, outcome } = await attempt(new URL('/mcp', server.url));
    expect(printed).toEqual([expect.stringMatching(`^${server.url.origin}/authorize\\?response_type=code&`)]);
    expect(opened).toEqual(printed);
    expect(outcome).toMatchObject({ code: 'CANCELLED', message: 'the sign-in timed out' });
  });

  it.each([
    { endpoint: 'file:///etc/passwd' },
    { endpoint: 'javascript:alert(1)' },
    { endpoint: 'data:text/html,x' },
    { endpoint: 'vscode://x/y' },
    { endpoint: '-x' },
    { endpoint: '--app=calc' },
    { endpoint: 'https://--flag@127.0.0.1/' },
    { endpoint: 'https://nobody.invalid/$(touch y)' },
    { endpoint: 'http://169.254.169.254/latest/meta-data' },
    { endpoint: 'http://10.1.2.3/admin' },
    { endpoint: 'http://192.168.1.1/reboot' },
    { endpoint: 'https://10.1.2.3/admin' },
    { endpoint: 'http://8.8.8.8/authorize' },
  ])('opens no browser for $endpoint (CVE-2025-6514)', { tags: 'S14' }, async ({ endpoint }) => {
    await using server = await hostile({ authorization_endpoint: endpoint });
    const { opened, printed, outcome } = await attempt(new URL('/mcp', server.url));
    expect([opened, printed]).toEqual([[], []]);
    expect(outcome).toMatchObject({ code: 'CONNECTION_ERROR' });
  });

  it('encodes all shell characters in the page', async () => {
    await using server = await hostile({});
    const tampered = `${server.url.origin}/a;\`id\`$(touch y)|'x'`;
    await using second = await hostile({ authorization_endpoint: tampered });
    const { printed } = await attempt(new URL('/mcp', second.url));
    expect(printed).toEqual([expect.stringMatching(/^[\w\-.~:/?#[\]@&=+%,]+$/)]);
  });

  it.each([
    { title: 'a private network', issuer: 'https://10.0.0.1/' },
    { title: 'a metadata service', issuer: 'http://169.254.169.254/' },
    { title: 'a metadata service by name', issuer: 'http://metadata.google.internal/' },
    { title: 'a server without TLS', issuer: 'http://8.8.8.8/' },
  ])('does not connect to an authorization server in $title (SSRF)', { tags: 'S14' }, async ({ issuer }) => {
    await using server = await hostile({}, { authorization_servers: [issuer] });
    const { opened, outcome } = await attempt(new URL('/mcp', server.url));
    expect(opened).toEqual([]);
    expect(outcome).toMatchObject({ code: 'CONNECTION_ERROR', message: expect.stringContaining('refused to connect') });
  });

  it.each([
    { title: 'metadata of another issuer', metadata: { issuer: 'https://login.bank.example' } },
    { title: 'an authorization server without PKCE', metadata: { code_challenge_methods_supported: ['plain'] } },
    { title: 'tokens without TLS', metadata: { registration_endpoint: 'http://8.8.8.8/register' } },
  ])('refuses $title', async ({ metadata }) => {
    await using server = await hostile(metadata);
    const { opened, outcome } = await attempt(new URL('/mcp', server.url));
    expect(opened).toEqual([]);
    expect(outcome).toMatchObject({ code: 'CONNECTION_ERROR' });
  });

  it.each<{ title: string; more: Partial<Definition>; message: string }>([
    { title: 'has its own key', more: { headers: { AUTHORIZATION: 'Bearer x' } }, message: 'has its own key' },
    { title: 'has no http or https URL', more: { url: 'ws://127.0.0.1:1/' }, message: 'has no http or https URL' },
    { title: 'cannot be reached', more: { url: 'http://127.0.0.1:1/' }, message: 'could not be reached' },
  ])('fails if the server $title', async ({ more, message }) => {
    const { outcome } = await attempt(new URL('http://127.0.0.1:1/'), more);
    expect(outcome).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('reports that a server with a fixed key has no sign-in', async () => {
    await using server = await serveOnLoopback(async () => new Response(null, { status: 401 }));
    const { outcome } = await attempt(server.url);
    expect(outcome).toMatchObject({ message: 'locked offers no sign-in', hint: expect.stringContaining('header') });
  });

  it('sends the headers of the entry only to the server, and to no authorization server', async () => {
    await using login = await hostile({});
    await using server = await hostile({}, { authorization_servers: [login.url.origin] });
    await attempt(new URL('/mcp', server.url), { headers: { 'x-key': 'hidden' } });
    const keys = (one: Loopback) => one.requests.map((request) => request.headers.get('x-key'));
    expect(keys(login).length).toBeGreaterThan(0);
    expect(new Set(keys(login))).toEqual(new Set([null]));
    expect(keys(server)).toContain('hidden');
  });
});
