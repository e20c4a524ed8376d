import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanMachine } from '../../src/discovery/index.js';
import { makeTarget, servers, type Target, UNAPPROVED } from '../support/attacks.js';
import { configure } from '../support/client-over-stdio.js';
import { makeDaemonSetup } from '../support/daemon-harness.js';
import { type HttpGateway, serveOverHttp } from '../support/gateway-over-http.js';
import { INITIALIZE, JSON_HEADERS, type RawAnswer, sendRaw, statelessCall } from '../support/raw-http.js';

// http-host-and-origin.test.ts tests every spelling of Host and Origin, http-needs-token-beyond-loopback.test.ts addresses and tokens.

const TOKEN = 'k3J9-a-token-of-this-test';
const targets: readonly [Target, Target] = [makeTarget(), makeTarget()];
const [page, guarded] = targets;
let gateway: HttpGateway;
let locked: HttpGateway;

beforeAll(async () => {
  for (const { machine, bait } of targets) configure(machine, { own: bait('started') });
  [gateway, locked] = await Promise.all([
    serveOverHttp(page.machine),
    serveOverHttp(guarded.machine, { env: { PORTOLAN_TOKEN: TOKEN } }),
  ]);
});

afterAll(async () => {
  await Promise.all([gateway, locked].map((one) => one?.[Symbol.asyncDispose]()));
  for (const target of targets) target[Symbol.dispose]();
});

/** The call that each attacker tries to make; `PORT` is replaced by the gateway's port. */
function callBy({ port }: HttpGateway, headers: readonly string[], line = 'POST /mcp HTTP/1.1'): Promise<RawAnswer> {
  const { headers: own, body } = statelessCall('own', 'echo', { text: 'a' });
  const lines = [line, ...headers, ...own].map((text) => text.replaceAll('PORT', String(port)));
  return sendRaw(port, lines, body);
}

const OURS = 'Host: 127.0.0.1:PORT';

describe('DNS rebinding (CVE-2025-66414, CVE-2025-64443, CVE-2025-49596)', { tags: 'S14' }, () => {
  it.each([
    { title: 'a rebound name', headers: ['Host: evil.example:PORT'] },
    { title: 'a rebound name without a port', headers: ['Host: evil.example'] },
    { title: 'the unspecified address', headers: ['Host: 0.0.0.0:PORT'] },
    { title: 'a name that contains our address', headers: ['Host: 127.0.0.1.evil.example:PORT'] },
    { title: 'a DNS service that maps names to addresses', headers: ['Host: 127-0-0-1.nip.example:PORT'] },
    { title: 'X-Forwarded-Host', headers: ['Host: evil.example:PORT', 'X-Forwarded-Host: 127.0.0.1:PORT'] },
    { title: 'the Forwarded header', headers: ['Host: evil.example:PORT', 'Forwarded: host=127.0.0.1:PORT'] },
    { title: 'a page on the web', headers: [OURS, 'Origin: https://evil.example'] },
    { title: 'a page on another local port', headers: [OURS, 'Origin: http://localhost:6274'] },
    { title: 'a sandboxed frame (origin null)', headers: [OURS, 'Origin: null'] },
    { title: 'a downloaded file', headers: [OURS, 'Origin: file://'] },
    { title: 'a browser extension', headers: [OURS, 'Origin: chrome-extension://abcdefghijklmnop'] },
    { title: 'a webview in an editor', headers: [OURS, 'Origin: vscode-webview://1a2b'] },
  ])('refuses a call with $title', async ({ headers }) => {
    const { status, head } = await callBy(gateway, headers);
    expect([status, page.ran()]).toEqual([403, []]);
    expect(head).not.toContain('access-control-allow');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp'])(
    'refuses a form, which a browser sends without a preflight request: %s',
    async (type) => {
      const { body, headers } = statelessCall('own', 'echo', { text: 'a' });
      const { port } = gateway;
      const lines = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, `Content-Type: ${type}`, ...headers.slice(1)];
      const { status } = await sendRaw(port, lines, body);
      expect([status, page.ran()]).toEqual([415, []]);
    },
  );

  it('refuses every preflight request', async () => {
    const { port } = gateway;
    for (const origin of ['https://evil.example', `http://127.0.0.1:${port}`]) {
      const { status, head } = await sendRaw(port, [
        'OPTIONS /mcp HTTP/1.1',
        `Host: 127.0.0.1:${port}`,
        `Origin: ${origin}`,
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Headers: content-type,mcp-method',
        'Access-Control-Request-Private-Network: true',
      ]);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(head).not.toContain('access-control-allow');
    }
  });

  it.each([
    '/sse?transportType=stdio&command=touch&args=MARK',
    '/stdio?transportType=stdio&command=touch&args=MARK',
    '/mcp?command=touch&args=MARK',
    '/mcp?jsonrpc=2.0&id=1&method=tools/call&params=%7B%22name%22:%22execute_tool%22%7D',
    '/message?sessionId=1',
  ])('executes nothing for a link or an image: GET %s', async (path) => {
    const { port } = gateway;
    const line = `GET ${path.replace('MARK', page.mark('evil'))} HTTP/1.1`;
    const { status } = await sendRaw(port, [line, `Host: 127.0.0.1:${port}`, 'Accept: text/event-stream']);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(page.ran()).toEqual([]);
  });

  it('does not let a rebound name use an open session', async () => {
    const { port } = gateway;
    const ask = (line: string, host: string, session: string, body = '') =>
      sendRaw(port, [line, `Host: ${host}:${port}`, ...JSON_HEADERS, ...(session ? [session] : [])], body);
    const { head } = await ask('POST /mcp HTTP/1.1', '127.0.0.1', '', INITIALIZE);
    const session = `Mcp-Session-Id: ${/^mcp-session-id: (\w+)/m.exec(head)?.[1]}`;
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    for (const line of ['POST /mcp HTTP/1.1', 'GET /mcp HTTP/1.1', 'DELETE /mcp HTTP/1.1'])
      expect((await ask(line, 'evil.example', session, line.startsWith('POST') ? ping : '')).status).toBe(403);
    expect((await ask('POST /mcp HTTP/1.1', '127.0.0.1', session, ping)).body).toContain('"result":{}');
  });

  it('refuses a WebSocket from a page', async () => {
    const { port } = gateway;
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=='];
    const lines = ['GET /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Origin: https://evil.example', ...upgrade];
    expect((await sendRaw(port, lines)).status).toBe(403);
  });

  it.skipIf(process.platform === 'win32')('protects the port of the daemon too', async () => {
    await using setup = makeDaemonSetup();
    using target = makeTarget();
    configure(setup.machine, { own: target.bait('daemon') });
    await setup.run(['daemon', 'start', '--http', '127.0.0.1:0']);
    const { http } = JSON.parse((await setup.run(['daemon', 'status', '--json'])).stdout);
    const port = Number(new URL(http).port);
    const { headers, body } = statelessCall('own', 'echo', { text: 'a' });
    const callWith = (lines: readonly string[]) => sendRaw(port, ['POST /mcp HTTP/1.1', ...lines, ...headers], body);
    const ours = `Host: 127.0.0.1:${port}`;
    for (const wrong of [['Host: evil.example'], [ours, 'Origin: https://evil.example']])
      expect((await callWith(wrong)).status).toBe(403);
    expect(target.ran()).toEqual([]);
    // The same call with the right headers starts the server, so the check above could have failed.
    expect([(await callWith([ours])).status, target.ran()]).toEqual([200, ['daemon']]);
  });
});

describe('default secrets and spoofed internal headers (GHSA-g53w-w6mj-hrpp)', { tags: 'S14' }, () => {
  const BASIC = `Basic ${Buffer.from(`admin:${TOKEN}`).toString('base64')}`;

  it.each([
    ...['changeme', 'secret', 'admin', 'password', 'portolan', 'my-test-key', 'test', 'token', 'undefined', 'null'],
    ...['true', '0', '*', '%', 'PORTOLAN_TOKEN', '$PORTOLAN_TOKEN', TOKEN.slice(0, -1), TOKEN.toUpperCase()],
  ])('refuses a token that can be guessed: %s', async (guess) => {
    const { status } = await callBy(locked, [OURS, `Authorization: Bearer ${guess}`]);
    expect([status, guarded.ran()]).toEqual([401, []]);
  });

  it.each([
    ...['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1', 'Forwarded: for=127.0.0.1', 'X-Client-IP: ::1'],
    ...['X-Authenticated-User: admin', 'X-Forwarded-User: admin', 'Remote-User: root', 'X-Is-Admin: true'],
    ...['X-Internal-Request: true', 'X-Portolan-Internal: 1', 'X-Mcp-Client-Id: admin', 'Mcp-Client-Id: admin'],
    ...[
      'X-Original-URL: /health',
      'X-Rewrite-URL: /health',
      'X-HTTP-Method-Override: GET',
      'X-Forwarded-Prefix: /health',
    ],
    ...[`X-Api-Key: ${TOKEN}`, `Cookie: token=${TOKEN}`, `Proxy-Authorization: Bearer ${TOKEN}`],
    ...[`Authorization: ${BASIC}`, `Authorization: ${TOKEN}`, `X-Authorization: Bearer ${TOKEN}`],
    ...['Authorization:', 'Authorization: Bearer', 'Connection: Authorization'],
  ])('accepts no identity from a header: %s', async (header) => {
    const { status } = await callBy(locked, [OURS, header]);
    expect([status, guarded.ran()]).toEqual([401, []]);
  });

  it.each([
    ...['/health/../mcp', '/health/%2e%2e/mcp', '/health/..%2fmcp', '//mcp', '/./mcp', '/mcp/', '/mcp?/health'],
    ...['/mcp;/health', '/mcp%3f/health', '/MCP', '/health%00/../mcp', '/health/mcp', `/mcp?token=${TOKEN}`],
    ...[`/mcp?access_token=${TOKEN}`, '/mcp#/health', '/health\\..\\mcp'],
  ])('requires the token for every spelling of the path: POST %s', async (path) => {
    const { status } = await callBy(locked, [OURS], `POST ${path} HTTP/1.1`);
    expect([400, 401, 404, 405]).toContain(status);
    expect(guarded.ran()).toEqual([]);
  });

  it('does not accept the bridge’s internal methods over HTTP', async () => {
    const { port } = gateway;
    const lines = ['POST /mcp HTTP/1.1', `Host: 127.0.0.1:${port}`, ...JSON_HEADERS];
    const { head } = await sendRaw(port, lines, INITIALIZE);
    const session = `Mcp-Session-Id: ${/^mcp-session-id: (\w+)/m.exec(head)?.[1]}`;
    const params = { home: '/', cwd: '/', env: {}, options: { servers: { x: page.bait('evil') } } };
    for (const method of ['bridge/stop', 'bridge/status', 'bridge/open', 'bridge/clients']) {
      const { body } = await sendRaw(
        port,
        [...lines, session],
        JSON.stringify({ jsonrpc: '2.0', id: 5, method, params }),
      );
      expect(body).toContain('-32601');
    }
    expect((await sendRaw(port, ['GET /health HTTP/1.1', `Host: 127.0.0.1:${port}`])).status).toBe(200);
    expect(page.ran()).toEqual([]);
  });

  it('creates random keys: two users never have the same', async () => {
    const files = ['~/.config/portolan/approvals.key'];
    const keys = await Promise.all(
      [makeTarget(), makeTarget()].map(async (made) => {
        using target = made;
        target.machine.write({ '<project>/.cursor/mcp.json': servers({ own: target.bait('own') }) });
        await target.run(['approve', 'own', '--yes']);
        return files.map((file) => readFileSync(target.machine.path(file), 'utf8').trim());
      }),
    );
    expect(new Set(keys.flat()).size).toBe(2 * files.length);
    for (const key of keys.flat()) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['', '\n', ' '])('accepts no approval that was sealed with an empty key: %j', async (key) => {
    using target = makeTarget();
    const { machine } = target;
    const folder = '~/.config/portolan';
    machine.write({
      '<project>/.cursor/mcp.json': servers({ own: target.bait('own') }),
      [`${folder}/approvals.key`]: key,
    });
    const { approvals, definitions } = await scanMachine(machine.options({ clients: ['cursor'] }));
    const [definition] = definitions;
    if (!definition) throw new Error('no server was found');
    const { name, source } = definition;
    const ruling = { verdict: 'approved' as const, name, source, at: '2026-01-01T00:00:00.000Z', shown: {} };
    // The product creates the seal and its proof, with the key in the file.
    const forged = approvals.written(new Map([[approvals.sealOf(definition), ruling]]));
    machine.write({ [`${folder}/approvals.json`]: forged });
    expect(await target.call('own')).toEqual(UNAPPROVED);
    expect(target.ran()).toEqual([]);
  });
});
