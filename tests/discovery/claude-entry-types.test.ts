import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { scanMachine } from '../../src/discovery/index.js';
import { makeOAuthSetup } from '../fixtures/oauth/oauth-setup.js';
import { browse } from '../fixtures/oauth/scripted-browser.js';
import { serveSse } from '../fixtures/remote/sse-server.js';
import { serveWs } from '../fixtures/remote/ws-server.js';
import { sdkHandler, serveHttp } from '../fixtures/servers/http-server.js';
import { environment, PROGRAM, portolan } from '../support/client-over-stdio.js';
import { type Machine, makeMachine } from '../support/machine.js';

const FILE = '~/.claude.json';

function writeEntry(machine: Machine, entry: object): void {
  machine.write({ [FILE]: `{\n  "mcpServers": {\n    "own": ${JSON.stringify(entry)}\n  }\n}\n` });
}

describe('an entry of Claude Code without a required field', () => {
  it.each([
    { type: 'sse-ide', rest: { url: 'http://127.0.0.1:4321/sse' }, key: 'ideName' },
    { type: 'ws-ide', rest: { url: 'ws://127.0.0.1:4321' }, key: 'ideName' },
    { type: 'claudeai-proxy', rest: { url: 'https://proxy.example/mcp' }, key: 'id' },
    { type: 'sdk', rest: {}, key: 'name' },
  ])('is a problem with file and line, and not a server: $type without $key', async ({ type, rest, key }) => {
    using machine = makeMachine();
    writeEntry(machine, { type, ...rest });
    const { definitions, servers, problems } = await scanMachine(machine.options());
    expect({ definitions, servers, problems }).toEqual({
      definitions: [],
      servers: [],
      problems: [
        {
          code: 'invalid-entry',
          severity: 'error',
          message: `it has no "${key}"`,
          hint: `a server of type ${type} needs a "${key}" that is not empty`,
          source: machine.path(FILE),
          line: 3,
          server: 'own',
        },
      ],
    });
  });
});

describe('an entry of Claude Code for a live server', () => {
  it('of type sse-ide can be called', async () => {
    using machine = makeMachine();
    await using server = await serveSse();
    writeEntry(machine, { type: 'sse-ide', url: server.url, ideName: 'Editor' });
    expect(await portolan(machine, ['call', 'own', 'echo', 'text=hello'])).toEqual({
      status: 0,
      stdout: '{"text":"hello"}\n',
      stderr: '',
    });
    expect(server.seen).toContain('GET /sse');
  });

  it('of type ws-ide can be called with its authToken', async () => {
    using machine = makeMachine();
    await using server = await serveWs({
      tools: ['openFile'],
      call: ({ arguments: given }) => ({ content: [{ type: 'text', text: JSON.stringify(given) }] }),
      refuse: (headers) => (headers['x-claude-code-ide-authorization'] === 'secret-1' ? undefined : 401),
    });
    const entry = { type: 'ws-ide', url: server.url, ideName: 'Editor', authToken: 'secret-1' };
    writeEntry(machine, entry);
    expect(await portolan(machine, ['call', 'own', 'openFile', 'filePath=/a.ts'])).toEqual({
      status: 0,
      stdout: '{"filePath":"/a.ts"}\n',
      stderr: '',
    });
    writeEntry(machine, { ...entry, authToken: 'wrong' });
    expect((await portolan(machine, ['call', 'own', 'openFile', 'filePath=/a.ts'])).status).toBe(1);
  });

  it('of type claudeai-proxy can be called at the URL with its id', async () => {
    using machine = makeMachine();
    const handler = sdkHandler();
    const paths: string[] = [];
    await using server = await serveHttp((request) => {
      paths.push(new URL(request.url).pathname);
      return handler(request);
    });
    const url = server.url.replace('/mcp', '/v1/{server_id}');
    writeEntry(machine, { type: 'claudeai-proxy', url, id: 'mcpsrv_1' });
    expect(await portolan(machine, ['call', 'own', 'echo', 'text=hello'])).toEqual({
      status: 0,
      stdout: '{"text":"hello"}\n',
      stderr: '',
    });
    expect(new Set(paths)).toEqual(new Set(['/v1/mcpsrv_1']));
    expect(new Set(server.headers.map((headers) => headers.get('x-mcp-server-id')))).toEqual(new Set(['mcpsrv_1']));
  });
});

describe('an entry of Claude Code with oauth', () => {
  const CLIENT = {
    client_id: 'registered-by-hand',
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };

  it('signs in with its client id, after which its tool can be called', async () => {
    using machine = makeMachine();
    await using oauthWorld = await makeOAuthSetup({ clients: [CLIENT] });
    const oauth = { clientId: CLIENT.client_id, scopes: 'openid email mcp:read' };
    writeEntry(machine, { type: 'http', url: oauthWorld.resource.mcp, oauth });
    expect(await portolan(machine, ['call', 'own', 'secret'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('portolan login own'),
    });
    const { page, status, stdout } = await signIn(machine);
    expect(page.searchParams.get('client_id')).toBe(CLIENT.client_id);
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      server: 'own',
      issuer: oauthWorld.authorization.issuer,
      who: 'ada@example.com',
    });
    expect(await portolan(machine, ['call', 'own', 'secret'])).toEqual({
      status: 0,
      stdout: 'protected content\n',
      stderr: '',
    });
    expect(oauthWorld.authorization.grants).toEqual(['authorization_code given']);
  });
});

/** Runs `portolan login` and completes the sign-in on the page that it prints. */
async function signIn(machine: Machine): Promise<{ page: URL; status: number; stdout: string }> {
  const child = spawn(process.execPath, [PROGRAM, 'login', 'own', '--no-browser', '--json'], {
    cwd: machine.project,
    env: environment(machine),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.trim().startsWith('http')) continue;
    const page = new URL(line.trim());
    await browse(page);
    const [status] = await closed;
    return { page, status, stdout };
  }
  throw new Error('portolan login printed no URL');
}
