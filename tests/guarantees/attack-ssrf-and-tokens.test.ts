import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { type Handler, sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { codeIn, makeTarget } from '../support/attacks.js';
import { configure, connect, type StdioClient } from '../support/client-over-stdio.js';
import { serveOverHttp } from '../support/gateway-over-http.js';
import { sendRaw, statelessCall } from '../support/raw-http.js';

// address-rules.test.ts tests every kind of address, upstream-ssrf.test.ts the transports.

const echo = (client: StdioClient, server = 'far') => client.execute(server, 'echo', { text: 'a' });
const sendingTo =
  (location: string, status = 307): Handler =>
  () =>
    new Response(null, { status, headers: { location } });

describe.concurrent('SSRF to link-local addresses (CVE-2026-26118)', { tags: 'S14' }, () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/iam/',
    'http://169.254.170.2/v2/credentials',
    'http://[::ffff:a9fe:a9fe]/latest',
    'http://[64:ff9b::a9fe:a9fe]/latest',
    'http://0xa9.0xfe.0xa9.0xfe/latest',
    'http://2852039166/latest',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://metadata.google.internal./computeMetadata/v1/',
    'http://[fd00:ec2::254]/latest',
    'http://100.100.100.200/latest',
  ])('does not connect to %s, which an entry names', async (url) => {
    using target = makeTarget();
    configure(target.machine, { far: { url, headers: { Authorization: 'Bearer canary' } } });
    await using client = await connect(target.machine, { env: target.recorded });
    expect([codeIn(await echo(client)), target.connects()]).toEqual(['CONNECTION_ERROR', []]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/latest',
    '//169.254.169.254/latest',
    'http://10.0.0.1/admin',
    'http://[fe80::1]/admin',
    'http://localhost:1/mcp',
    'http://evil.example/mcp',
    'https://127.0.0.1/mcp',
    'file:///etc/passwd',
    'http://',
  ])('does not follow a redirect to %s', async (location) => {
    using target = makeTarget();
    await using server = await serveHttp(sendingTo(location));
    configure(target.machine, { far: { url: server.url } });
    await using client = await connect(target.machine, { env: target.recorded });
    const result = await echo(client);
    expect([codeIn(result), target.connects()]).toEqual(['CONNECTION_ERROR', ['127.0.0.1']]);
    expect(new Set(server.seen).size).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])(
    'does not follow a redirect %i to another port of this machine',
    async (status) => {
      using target = makeTarget();
      await using inner = await serveHttp(sdkHandler());
      await using server = await serveHttp(sendingTo(inner.url, status));
      configure(target.machine, { far: { url: server.url, headers: { Authorization: 'Bearer canary' } } });
      await using client = await connect(target.machine);
      expect([codeIn(await echo(client)), inner.seen]).toEqual(['CONNECTION_ERROR', []]);
    },
  );
});

const TOKEN = 'token-of-the-gateway';
const OF_THE_CLIENT = {
  Authorization: `Bearer ${TOKEN}`,
  Cookie: 'session=canary-cookie',
  'X-Api-Key': 'canary-key',
  'X-Forwarded-Authorization': 'Bearer canary-forwarded',
  'Proxy-Authorization': 'Basic canary-proxy',
};
const SECRETS = [TOKEN, 'canary'];

describe.concurrent('token passthrough', { tags: 'S14' }, () => {
  it('forwards no header of the client to a server, in either protocol revision', async () => {
    using target = makeTarget();
    await using server = await serveHttp(sdkHandler());
    configure(target.machine, { far: { url: server.url, headers: { 'X-Own': 'of-the-entry' } } });
    await using gateway = await serveOverHttp(target.machine, { env: { PORTOLAN_TOKEN: TOKEN } });
    const requestInit = { headers: OF_THE_CLIENT };
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }));
      const given = { server: 'far', tool: 'echo', arguments: { text: 'a' } };
      expect((await client.callTool({ name: 'execute_tool', arguments: given })).isError).not.toBe(true);
      await client.close();
    }
    const sent = JSON.stringify(server.headers.map((headers) => Object.fromEntries(headers)));
    expect(sent).toContain('of-the-entry');
    expect(SECRETS.filter((secret) => sent.includes(secret))).toEqual([]);
  });

  it('refuses a token that is meant for an upstream server', async () => {
    using target = makeTarget();
    await using server = await serveHttp(sdkHandler());
    configure(target.machine, { far: { url: server.url, headers: { Authorization: 'Bearer of-the-server' } } });
    await using gateway = await serveOverHttp(target.machine, { env: { PORTOLAN_TOKEN: TOKEN } });
    const { headers, body } = statelessCall('far', 'echo', { text: 'a' });
    const lines = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${gateway.port}`, 'Authorization: Bearer of-the-server'];
    expect((await sendRaw(gateway.port, [...lines, ...headers], body)).status).toBe(401);
    expect(server.seen).toEqual([]);
  });

  it('does not forward the WWW-Authenticate header of a server to the client', async () => {
    using target = makeTarget();
    const demand = 'Bearer resource_metadata="https://evil.example/steal"';
    await using server = await serveHttp(
      () => new Response('unauthorized', { status: 401, headers: { 'www-authenticate': demand } }),
    );
    configure(target.machine, { far: { url: server.url } });
    await using gateway = await serveOverHttp(target.machine);
    const { headers, body } = statelessCall('far', 'echo', { text: 'a' });
    const lines = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${gateway.port}`, ...headers];
    const answer = await sendRaw(gateway.port, lines, body);
    expect(answer.status).toBe(200);
    expect(`${answer.head}${answer.body}`).not.toContain('evil.example');
    expect(answer.head).not.toContain('www-authenticate');
  });

  it('sends the credentials of one server to no other', async () => {
    using target = makeTarget();
    await using other = await serveHttp(sdkHandler());
    await using keyed = await serveHttp(sdkHandler());
    configure(target.machine, {
      keyed: { url: keyed.url, headers: { Authorization: 'Bearer canary' } },
      plain: { url: other.url },
    });
    await using client = await connect(target.machine);
    for (const name of ['keyed', 'plain']) expect(codeIn(await echo(client, name))).toBeUndefined();
    const sentTo = ({ headers }: typeof other) => headers.map((one) => one.get('authorization'));
    expect(new Set(sentTo(keyed))).toEqual(new Set(['Bearer canary']));
    expect(new Set(sentTo(other))).toEqual(new Set([null]));
  });

  it('sends no header that a caller puts in or beside its arguments', async () => {
    using target = makeTarget();
    await using server = await serveHttp(sdkHandler());
    configure(target.machine, { far: { url: server.url } });
    await using client = await connect(target.machine);
    const given = { text: 'a', headers: { Authorization: 'Bearer canary' } };
    const meta = { headers: { authorization: 'Bearer canary' }, authorization: 'Bearer canary' };
    await client.call('execute_tool', { server: 'far', tool: 'echo', arguments: given, headers: given.headers }, meta);
    await client.execute('far', 'echo', given, meta);
    expect(server.seen).toContain('POST tools/call');
    expect(new Set(server.headers.map((one) => one.get('authorization')))).toEqual(new Set([null]));
  });
});
