import { describe, expect, it } from 'vitest';
import { type Loopback, serveOnLoopback } from '../../../tests/fixtures/oauth/loopback.js';
import { admitted } from '../../../tests/fixtures/oauth/sign-in-client.js';
import { checkedFetch } from './checked-fetch.js';
import { findIssuer, metadataOf } from './find-issuer.js';
import { remoteOf } from './sign-in-target.js';

const sdk = await import('@modelcontextprotocol/client');

/** A server of revision 2025-03-26: it is its own authorization server, with metadata at its root and no resource metadata. */
async function older(issuerOf: (origin: string) => string, named?: (origin: string) => string): Promise<Loopback> {
  return serveOnLoopback(async (request) => {
    const { origin, pathname } = new URL(request.url);
    if (pathname === '/.well-known/oauth-protected-resource' && named)
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [named(origin)] });
    if (pathname !== '/.well-known/oauth-authorization-server') return new Response(null, { status: 404 });
    return Response.json({
      issuer: issuerOf(origin),
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      response_types_supported: ['code'],
    });
  });
}

function asked({ url }: Loopback) {
  const remote = remoteOf(admitted(new URL('/mcp', url).href));
  const fetch = checkedFetch({ written: remote.written });
  return {
    found: () => findIssuer(sdk, remote, {}, fetch).catch((error: unknown) => error),
    known: (issuer: string) => metadataOf(sdk, issuer, remote, fetch),
  };
}

describe('the authorization server of a server of revision 2025-03-26', () => {
  it.each([
    { title: 'the server itself', path: '' },
    { title: 'a path on the same server', path: '/oauth' },
  ])('may name $title as issuer, and is found again for a refresh', async ({ path }) => {
    await using server = await older((origin) => `${origin}${path}`);
    const issuer = `${server.url.origin}${path}`;
    const { found, known } = asked(server);
    const expected = { issuer, token_endpoint: `${server.url.origin}/oauth/token` };
    expect(await found()).toMatchObject({ authorizationServerMetadata: expected });
    expect(await known(issuer)).toMatchObject(expected);
  });

  it.each([
    { title: 'another server', issuer: () => 'https://login.bank.example' },
    { title: 'another port of the same machine', issuer: () => 'http://127.0.0.1:1/oauth' },
    { title: 'an invalid URL', issuer: () => 'not an address' },
  ])('may not name $title as issuer', async ({ issuer }) => {
    await using server = await older(issuer);
    expect(await asked(server).found()).toBeInstanceOf(Error);
  });

  it('must have the issuer that the server names', async () => {
    await using server = await older(
      (origin) => `${origin}/oauth`,
      (origin) => origin,
    );
    expect(await asked(server).found()).toBeInstanceOf(sdk.IssuerMismatchError);
  });

  it('does not replace a known authorization server', async () => {
    await using server = await older((origin) => `${origin}/oauth`);
    const { known } = asked(server);
    expect(await known(`${server.url.origin}/other`)).toBeUndefined();
  });
});
