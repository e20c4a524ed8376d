import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configure } from '../support/client-over-stdio.js';
import { type HttpGateway, serveOverHttp, statusOfRaw } from '../support/gateway-over-http.js';
import { makeMachine } from '../support/machine.js';

const TOKEN = 'a-token-for-this-test';
const machines = [makeMachine(), makeMachine()] as const;
let gateway: HttpGateway;
let guarded: HttpGateway;

beforeAll(async () => {
  configure(machines[0], {});
  configure(machines[1], {}, { http: { allowedHosts: ['mcp.example', 'other.example:8443'] } });
  [gateway, guarded] = await Promise.all([
    serveOverHttp(machines[0]),
    serveOverHttp(machines[1], { env: { PORTOLAN_TOKEN: TOKEN } }),
  ]);
});

afterAll(async () => {
  await Promise.all([gateway, guarded].map((one) => one[Symbol.asyncDispose]()));
  for (const machine of machines) machine[Symbol.dispose]();
});

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const POSTED = [
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
  `Content-Length: ${INITIALIZE.length}`,
];
/** Every route, and an unknown one. */
const ROUTES = [
  { line: 'POST /mcp HTTP/1.1', more: POSTED, body: INITIALIZE, good: 200 },
  { line: 'GET /mcp HTTP/1.1', more: ['Accept: text/event-stream'], body: '', good: 400 },
  { line: 'DELETE /mcp HTTP/1.1', more: [], body: '', good: 400 },
  { line: 'GET /health HTTP/1.1', more: [], body: '', good: 200 },
  { line: 'GET /servers HTTP/1.1', more: [], body: '', good: 200 },
  { line: 'GET /metrics HTTP/1.1', more: [], body: '', good: 200 },
  { line: 'GET /nowhere HTTP/1.1', more: [], body: '', good: 404 },
];

/** `PORT` in a header is replaced by the gateway's port. */
async function statuses(headers: readonly string[], { port }: HttpGateway = gateway): Promise<readonly number[]> {
  const lines = headers.map((header) => header.replaceAll('PORT', String(port)));
  return Promise.all(ROUTES.map(({ line, more, body }) => statusOfRaw(port, [line, ...lines, ...more], body)));
}

const GOOD = ROUTES.map(({ good }) => good);
const REFUSED = ROUTES.map(() => 403);
/** The HTTP parser or our code refuses invalid HTTP. */
const NOT_HTTP = ROUTES.map(() => 400);

describe('Host and Origin are checked on every route, health included', { tags: 'S2' }, () => {
  it.each([
    { title: 'the address', headers: ['Host: 127.0.0.1:PORT'] },
    { title: 'the name', headers: ['Host: localhost:PORT'] },
    { title: 'the name in mixed case', headers: ['hOsT: LocalHost:PORT'] },
    { title: 'the IPv6 address', headers: ['Host: [::1]:PORT'] },
    { title: 'its own origin', headers: ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:PORT'] },
    { title: 'its own IPv6 origin', headers: ['Host: [::1]:PORT', 'Origin: http://[::1]:PORT'] },
  ])('$title is accepted', async ({ headers }) => {
    expect(await statuses(headers)).toEqual(GOOD);
  });

  it.each([
    { title: 'a rebound host', headers: ['Host: evil.example:PORT'] },
    { title: 'a host that begins like ours', headers: ['Host: localhost.evil.example:PORT'] },
    { title: 'a host that ends like ours', headers: ['Host: evil.localhost:PORT'] },
    { title: 'a dot at the end', headers: ['Host: localhost.:PORT'] },
    { title: 'another port', headers: ['Host: localhost:1'] },
    { title: 'no port', headers: ['Host: localhost'] },
    { title: 'another spelling of the address', headers: ['Host: 127.1:PORT'] },
    { title: 'the address as a number', headers: ['Host: 2130706433:PORT'] },
    { title: 'any address', headers: ['Host: 0.0.0.0:PORT'] },
    { title: 'an IPv4 address in IPv6', headers: ['Host: [::ffff:127.0.0.1]:PORT'] },
    { title: 'a user name', headers: ['Host: localhost:PORT@evil.example'] },
    { title: 'an empty host', headers: ['Host:'] },
    { title: 'two hosts, ours first', headers: ['Host: localhost:PORT', 'Host: evil.example:PORT'] },
    { title: 'two hosts, ours last', headers: ['Host: evil.example:PORT', 'Host: localhost:PORT'] },
    { title: 'our host twice', headers: ['Host: localhost:PORT', 'Host: localhost:PORT'] },
    { title: 'two hosts in one header', headers: ['Host: localhost:PORT, evil.example:PORT'] },
    { title: 'another origin', headers: ['Host: localhost:PORT', 'Origin: http://evil.example'] },
    { title: 'the origin null', headers: ['Host: localhost:PORT', 'Origin: null'] },
    { title: 'an empty origin', headers: ['Host: localhost:PORT', 'Origin:'] },
    { title: 'a page on another local port', headers: ['Host: localhost:PORT', 'Origin: http://localhost:3000'] },
    { title: 'our origin over TLS', headers: ['Host: localhost:PORT', 'Origin: https://localhost:PORT'] },
    { title: 'an origin with a dot at the end', headers: ['Host: localhost:PORT', 'Origin: http://localhost.:PORT'] },
    {
      title: 'two origins, ours first',
      headers: ['Host: localhost:PORT', 'Origin: http://localhost:PORT', 'Origin: http://evil.example'],
    },
    {
      title: 'two origins, ours last',
      headers: ['Host: localhost:PORT', 'Origin: null', 'Origin: http://localhost:PORT'],
    },
    { title: 'a host that is allowed only with a token', headers: ['Host: mcp.example'] },
  ])('$title is refused', async ({ headers }) => {
    expect(await statuses(headers)).toEqual(REFUSED);
  });

  it('a request without a host, or with an absolute URL of another host, is refused', async () => {
    expect(await statuses([])).toEqual(NOT_HTTP);
    const { port } = gateway;
    const absolute = [`GET http://evil.example:${port}/health HTTP/1.1`, `Host: localhost:${port}`];
    expect(await statusOfRaw(port, absolute)).toBe(400);
    expect(await statusOfRaw(port, ['OPTIONS * HTTP/1.1', `Host: localhost:${port}`])).toBe(400);
  });

  it('with a token, only hosts in http.allowedHosts are accepted in addition', async () => {
    const show = `Authorization: Bearer ${TOKEN}`;
    expect(await statuses(['Host: mcp.example', show], guarded)).toEqual(GOOD);
    expect(await statuses(['Host: mcp.example', 'Origin: https://mcp.example', show], guarded)).toEqual(GOOD);
    expect(await statuses(['Host: other.example:8443', show], guarded)).toEqual(GOOD);
    expect(await statuses(['Host: other.example', show], guarded)).toEqual(REFUSED);
    expect(await statuses(['Host: evil.example', show], guarded)).toEqual(REFUSED);
    expect(await statuses(['Host: mcp.example', 'Origin: https://evil.example', show], guarded)).toEqual(REFUSED);
  });
});
