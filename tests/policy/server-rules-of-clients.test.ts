import { describe, expect, it } from 'vitest';
import { type DiscoverOptions, type Discovery, scanMachine, toRecord } from '../../src/discovery/index.js';
import { explain } from '../../src/use-cases/index.js';
import { type Machine, makeMachine } from '../support/machine.js';

const USER = {
  '~/.cursor/mcp.json': JSON.stringify({
    mcpServers: { a: { command: 'node', args: ['a.js'] }, b: { url: 'https://b.example/mcp' } },
  }),
};

const scan = (machine: Machine, more: Partial<DiscoverOptions> = {}): Promise<Discovery> =>
  scanMachine(machine.options({ ...more }));
const states = ({ servers }: Discovery) =>
  Object.fromEntries(servers.map(toRecord).map(({ name, state }) => [name, state]));

describe('a managed file', () => {
  it.each([
    { title: 'Portolan', path: '/etc/portolan/managed-mcp.json' },
    { title: 'Claude Code', path: '/etc/claude-code/managed-mcp.json' },
  ])('of $title replaces all other servers, and `why` explains it', async ({ path }) => {
    using machine = makeMachine();
    machine.write({ ...USER, [path]: '{"mcpServers":{"only":{"command":"node","args":["only.js"]}}}' });
    const discovery = await scan(machine, { platform: 'linux' });
    expect(states(discovery)).toEqual({ only: 'ready' });
    expect(explain(discovery, 'a')?.definitions).toMatchObject([
      { fate: 'ignored', because: expect.stringContaining(machine.path(path)) },
    ]);
  });

  it('with an empty map disables all servers', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '/etc/portolan/managed-mcp.json': '{"mcpServers":{}}' });
    expect((await scan(machine, { platform: 'linux' })).servers).toEqual([]);
  });

  it('with a syntax error disables all servers, and is a problem', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '/etc/portolan/managed-mcp.json': '{' });
    const { servers, problems } = await scan(machine, { platform: 'linux' });
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([{ code: 'parse-error', source: machine.path('/etc/portolan/managed-mcp.json') }]);
  });

  it('also applies to a scan of one client and to servers passed at the start', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '/etc/portolan/managed-mcp.json': '{"mcpServers":{}}' });
    const options = { platform: 'linux', clients: ['cursor'], servers: { mine: { command: 'node' } } } as const;
    expect((await scan(machine, options)).servers).toEqual([]);
  });

  it('of another client has only the highest precedence within that client', async () => {
    using machine = makeMachine();
    machine.write({
      ...USER,
      '/etc/gemini-cli/settings.json': '{"mcpServers":{"g":{"command":"node","args":["g.js"]}}}',
    });
    expect(states(await scan(machine, { platform: 'linux' }))).toEqual({ a: 'ready', b: 'ready', g: 'ready' });
  });
});

describe('rules for servers', () => {
  it.each([
    {
      title: 'Portolan settings that deny',
      files: { '~/.config/portolan/portolan.config.json': '{"deniedMcpServers":[{"serverName":"a"}]}' },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'Portolan settings with an allow list',
      files: { '~/.config/portolan/portolan.config.json': '{"allowedMcpServers":[{"serverUrl":"https://b.example"}]}' },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'settings of a project that deny, without approval',
      files: { '<project>/portolan.config.json': '{"deniedMcpServers":[{"serverCommand":["node","*.js"]}]}' },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'settings of Claude Code that deny, for every client',
      files: { '~/.claude/settings.json': '{"deniedMcpServers":[{"serverUrl":"https://*.example/*"}]}' },
      expected: { a: 'ready', b: 'blocked-by-policy' },
    },
    {
      title: 'managed settings of Claude Code with an allow list',
      files: {
        '/etc/claude-code/managed-settings.json':
          '{"allowManagedMcpServersOnly":true,"allowedMcpServers":[{"serverName":"b"}]}',
      },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'settings of Claude Code in a repository, which cannot allow',
      files: {
        '~/.config/portolan/portolan.config.json': '{"allowedMcpServers":[{"serverName":"b"}]}',
        '<project>/.claude/settings.json': '{"allowedMcpServers":[{"serverName":"a"}]}',
      },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'managed settings of Claude Code with a syntax error block all servers',
      files: { '/etc/claude-code/managed-settings.json': '{' },
      expected: { a: 'blocked-by-policy', b: 'blocked-by-policy' },
    },
    {
      title: 'a managed allow list that is not a list allows nothing',
      files: { '/etc/claude-code/managed-settings.json': '{"allowedMcpServers":"b"}' },
      expected: { a: 'blocked-by-policy', b: 'blocked-by-policy' },
    },
    {
      title: 'pluginOnly',
      files: { '~/.config/portolan/portolan.config.json': '{"pluginOnly":true}' },
      expected: { a: 'blocked-by-policy', b: 'blocked-by-policy' },
    },
  ])('apply: $title', async ({ files, expected }) => {
    using machine = makeMachine();
    machine.write({ ...USER, ...(files as Record<string, string>) });
    const discovery = await scan(machine, { platform: 'linux' });
    expect(states(discovery)).toEqual(expected);
    for (const server of discovery.servers.map(toRecord))
      expect(server.rule !== undefined).toBe(server.state === 'blocked-by-policy');
  });
});

describe('settings', () => {
  it('with "enabled": false leave no servers', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '~/.config/portolan/portolan.config.json': '{"enabled":false}' });
    expect((await scan(machine)).servers).toEqual([]);
  });

  it('add sources', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.config/portolan/portolan.config.json': '{"sources":[{"path":"~/more.yaml","key":"tools.servers"}]}',
      '~/more.yaml': 'tools:\n  servers:\n    extra:\n      command: node\n',
    });
    expect((await scan(machine)).servers.map(toRecord)).toMatchObject([{ name: 'extra', state: 'ready' }]);
  });

  it('require approval for every server with "approval": "all"', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '~/.config/portolan/portolan.config.json': '{"approval":"all"}' });
    expect(states(await scan(machine))).toEqual({ a: 'pending-approval', b: 'pending-approval' });
  });

  it('add connectors, unless a configured server has the same URL', async () => {
    using machine = makeMachine();
    const connectors = [
      { name: 'hosted', url: 'https://hosted.example/mcp', id: 'c-1' },
      { name: 'b', url: 'https://b.example/mcp', id: 'c-2' },
    ];
    machine.write({ ...USER, '~/.config/portolan/portolan.config.json': JSON.stringify({ connectors }) });
    const { servers } = await scan(machine);
    expect(
      servers
        .map(toRecord)
        .map(({ name, transport, origins }) => ({ name, transport, scopes: origins.map(({ scope }) => scope) })),
    ).toEqual([
      { name: 'a', transport: 'stdio', scopes: ['user'] },
      { name: 'b', transport: 'auto', scopes: ['user', 'claudeai'] },
      { name: 'hosted', transport: 'claudeai-proxy', scopes: ['claudeai'] },
    ]);
  });
});

describe('settings that a program passes', () => {
  it('apply like those in a file', async () => {
    using machine = makeMachine();
    machine.write(USER);
    const settings = { deniedMcpServers: [{ serverName: 'a' }] };
    expect(states(await scan(machine, { settings }))).toEqual({ a: 'blocked-by-policy', b: 'ready' });
  });
});

describe('servers passed at the start', () => {
  it('have precedence over every client, without approval', async () => {
    using machine = makeMachine();
    machine.write(USER);
    const { servers } = await scan(machine, { servers: { a: { command: 'other' } } });
    expect(servers.map(toRecord)).toMatchObject([
      { name: 'b' },
      {
        name: 'a',
        command: 'other',
        state: 'ready',
        origins: [{ scope: 'dynamic' }],
        shadowed: [{ client: 'cursor', scope: 'user' }],
      },
    ]);
  });
});
