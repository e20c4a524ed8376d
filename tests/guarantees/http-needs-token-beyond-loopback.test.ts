import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { configure, fixture, portolan } from '../support/client-over-stdio.js';
import { serveOverHttp, statusOfRaw } from '../support/gateway-over-http.js';
import { makeMachine } from '../support/machine.js';

const TOKEN = 'a-token-for-this-test';

/** The content of all files below a directory. */
function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

const beyond = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

describe('serve --http', { tags: 'S3' }, () => {
  it.each(['0.0.0.0:0', '[::]:0', '10.0.0.1:0', 'gateway.example:0', '127.evil.example:0', '[::ffff:10.0.0.1]:0'])(
    'refuses to listen on %s without a token, with exit code 2 and a hint',
    async (address) => {
      using machine = makeMachine();
      configure(machine, {});
      const { status, stdout, stderr } = await portolan(machine, ['serve', '--http', address]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain('no token is set');
      expect(stderr).toContain('PORTOLAN_TOKEN');
    },
  );

  it.each([['--token', ''], ['--token=two words']])('refuses %j as a token', async (...args) => {
    using machine = makeMachine();
    configure(machine, {});
    const { status, stderr } = await portolan(machine, ['serve', '--http', '0.0.0.0:0', ...args]);
    expect(status).toBe(2);
    expect(stderr).toContain('USAGE');
  });

  it('refuses an empty PORTOLAN_TOKEN', async () => {
    using machine = makeMachine();
    configure(machine, {});
    const { status } = await portolan(machine, ['serve', '--http', '0.0.0.0:0'], { PORTOLAN_TOKEN: '' });
    expect(status).toBe(2);
  });

  it.each([
    { title: 'a flag', args: ['--token', TOKEN], env: {} },
    { title: 'the environment', args: [], env: { PORTOLAN_TOKEN: TOKEN } },
  ])(
    'with a token from $title listens on every address, and requires it on every route but /health',
    async ({ args, env }) => {
      using machine = makeMachine();
      configure(machine, {});
      await using gateway = await serveOverHttp(machine, { address: '0.0.0.0:0', args, env });
      const { port } = gateway;
      const ask = (line: string, ...headers: string[]) =>
        statusOfRaw(port, [`${line} HTTP/1.1`, `Host: localhost:${port}`, ...headers]);
      const routes = [
        ...['POST /mcp', 'GET /mcp', 'DELETE /mcp', 'GET /servers', 'POST /servers', 'GET //servers'],
        ...['GET /metrics', 'POST /metrics'],
        ...['GET /nowhere', 'GET /health/', 'GET //health'],
      ];
      for (const line of routes) {
        expect([line, await ask(line)]).toEqual([line, 401]);
        expect([line, await ask(line, `Authorization: Bearer ${TOKEN}x`)]).toEqual([line, 401]);
        expect([line, await ask(line, 'Authorization: Bearer')]).toEqual([line, 401]);
        expect([line, await ask(line, `Authorization: Bearer ${TOKEN}`)]).not.toEqual([line, 401]);
      }
      expect(await ask('GET /health')).toBe(200);
      const refused = await fetch(gateway.url.replace('0.0.0.0', '127.0.0.1'), { method: 'POST' });
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="portolan"']);
    },
  );

  it.skipIf(beyond === undefined)('with a token is reachable by any address of the machine', async () => {
    using machine = makeMachine();
    configure(machine, {});
    await using gateway = await serveOverHttp(machine, { address: '0.0.0.0:0', args: ['--token', TOKEN] });
    const { port } = gateway;
    const ask = (host: string) => statusOfRaw(port, ['GET /health HTTP/1.1', `Host: ${host}`], '', beyond);
    expect(await ask(`${beyond}:${port}`)).toBe(200);
    expect(await ask(`evil.example:${port}`)).toBe(403);
  });

  it.skipIf(beyond === undefined)('without a token is unreachable from other addresses', async () => {
    using machine = makeMachine();
    configure(machine, {});
    await using gateway = await serveOverHttp(machine);
    const { port } = gateway;
    await expect(statusOfRaw(port, ['GET /health HTTP/1.1', `Host: ${beyond}:${port}`], '', beyond)).rejects.toThrow();
    expect(await statusOfRaw(port, ['GET /health HTTP/1.1', `Host: localhost:${port}`])).toBe(200);
  });

  it('writes the token to no server, log or file', async () => {
    using machine = makeMachine();
    const environment = machine.path('~/environment.json');
    configure(machine, { own: fixture(['--env', environment]) });
    {
      const env = { PORTOLAN_TOKEN: TOKEN, PORTOLAN_LOG: 'debug' };
      await using gateway = await serveOverHttp(machine, { env });
      const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
      const client = new Client({ name: 'holder', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }));
      const given = { server: 'own', tool: 'echo', arguments: { text: 'hi' } };
      const { content } = await client.callTool({ name: 'execute_tool', arguments: given });
      expect(content).toEqual([{ type: 'text', text: 'hi' }]);
      await client.close();
      expect(existsSync(environment)).toBe(true);
      expect(gateway.stderr()).not.toContain(TOKEN);
    }
    expect(everythingIn(machine.home)).not.toContain(TOKEN);
  });
});
