import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { announce, type Listed, list } from '../support/announced.js';
import { callsReceived, configure, fixture, portolan, until } from '../support/client-over-stdio.js';
import { serveOverHttp } from '../support/gateway-over-http.js';
import { makeMachine } from '../support/machine.js';

type Json = Record<string, unknown>;

/** One call by a client of the protocol revision 2025-11-25, which needs a session. */
async function callOverHttp(url: string, given: Json): Promise<string> {
  let session: string | undefined;
  const post = async (message: Json): Promise<string> => {
    const headers = {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...(session !== undefined && { 'mcp-session-id': session }),
    };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    session ??= answer.headers.get('mcp-session-id') ?? undefined;
    return answer.text();
  };
  const clientInfo = { name: 'test', version: '1' };
  await post({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  await post({ method: 'notifications/initialized' });
  return post({ id: 2, method: 'tools/call', params: { name: 'execute_tool', arguments: given } });
}

describe('a gateway that listens', () => {
  it('announces itself in its project while it listens, and is never listed as a server', async () => {
    using machine = makeMachine();
    const shown = async () => JSON.parse((await portolan(machine, ['ps', '--json'])).stdout).servers;
    {
      await using gateway = await serveOverHttp(machine);
      const [server, ...others] = await shown();
      expect(others).toEqual([]);
      expect(server).toMatchObject({
        name: 'portolan',
        http: { enabled: true, host: '127.0.0.1', port: gateway.port, url: gateway.url },
        transports: [{ type: 'http', url: gateway.url }],
        capabilities: { tools: {} },
        tools: expect.arrayContaining(['list_mcp_servers', 'search_tools', 'execute_tool']),
        cwd: machine.project,
      });
      await using _alias = await announce(machine, ['--name', 'alias', '--url', gateway.url]);
      expect(await shown()).toHaveLength(2);
      expect(await list(machine)).toEqual({ servers: [], problems: [] });
    }
    expect(await shown()).toEqual([]);
  });

  it('removes its announcement before it stops listening, while the last calls still run', async () => {
    using machine = makeMachine();
    const [received, finish] = [machine.path('~/received'), machine.path('~/finish')];
    const folder = machine.path('<project>/.portolan/servers.d');
    configure(machine, { own: fixture(['--record', received, '--until', finish]) });
    await using gateway = await serveOverHttp(machine);
    expect(readdirSync(folder)).toHaveLength(1);
    let answered = false;
    const call = callOverHttp(gateway.url, { server: 'own', tool: 'sleep', arguments: { ms: 1 } }).finally(() => {
      answered = true;
    });
    await callsReceived(received);
    gateway.signal('SIGTERM');
    await until(
      () => readdirSync(folder),
      (names) => names.length === 0,
    );
    expect(answered).toBe(false);
    writeFileSync(finish, '');
    expect(await call).toContain('slept 1');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
  });

  it('announces itself in the registry of the user if the project is the home directory', async () => {
    using machine = makeMachine();
    const atHome = { ...machine, project: machine.home };
    await using gateway = await serveOverHttp(atHome);
    const { servers } = JSON.parse((await portolan(machine, ['ps', '--user', '--json'])).stdout);
    expect(servers).toMatchObject([{ name: 'portolan', http: { url: gateway.url } }]);
    expect(() => statSync(machine.path('~/.portolan'))).toThrow();
    // An entry of the user with the URL of the gateway is not listed as a server.
    configure(machine, { gateway: { url: gateway.url.replace('127.0.0.1', 'localhost') } });
    expect(await list(machine)).toMatchObject({ servers: [], problems: [{ code: 'self-server', server: 'gateway' }] });
  });

  it('serves with a warning if it cannot announce itself', async () => {
    using machine = makeMachine();
    machine.write({ '<project>/.portolan': 'a file instead of a directory' });
    await using gateway = await serveOverHttp(machine);
    expect((await fetch(new URL('/health', gateway.url))).status).toBe(200);
    expect(gateway.stderr()).toContain('the registry of running servers could not be written');
    gateway.signal('SIGTERM');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
  });

  it('lists the running servers at /servers, without secrets and paths', async () => {
    using machine = makeMachine();
    configure(machine, { own: fixture() });
    await using gateway = await serveOverHttp(machine);
    const url = 'http://127.0.0.1:9/mcp?token=s3cr3t-s3cr3t';
    await using docs = await announce(machine, ['--name', 'docs', '--url', url]);
    await using _local = await announce(machine, ['--name', 'local', '--url', 'unix:/run/private.sock', '--user']);
    await callOverHttp(gateway.url, { server: 'own', tool: 'echo', arguments: { text: 'x' } });
    const answer = await fetch(new URL('/servers', gateway.url));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('json')]);
    const text = await answer.text();
    const { servers } = JSON.parse(text);
    expect(servers.map(({ name, transports }: Listed) => [name, transports])).toEqual([
      ['docs', [{ type: 'http', url: 'http://127.0.0.1:9/mcp?token=[secret]' }]],
      ['local', [{ type: 'socket' }]],
      ['portolan', [{ type: 'http', url: gateway.url }]],
    ]);
    expect(servers[0]).toEqual({
      ...{ id: `docs_${docs.pid}`, name: 'docs', capabilities: {}, tools: [], requests: 0 },
      ...{ transports: expect.anything(), started_at: expect.any(String), uptime_seconds: expect.any(Number) },
    });
    expect(servers[2]).toMatchObject({ requests: 1, tools: expect.arrayContaining(['execute_tool']) });
    for (const secret of ['s3cr3t', machine.home, machine.project, 'private.sock', '.portolan'])
      expect(text).not.toContain(secret);
    expect((await fetch(new URL('/servers', gateway.url), { method: 'POST' })).status).toBe(405);
  });
});
