import { describe, expect, it } from 'vitest';
import { type DiscoverOptions, type Discovery, scanMachine, toRecord } from '../../src/discovery/index.js';
import { explain } from '../../src/use-cases/index.js';
import { type Machine, makeMachine } from '../support/machine.js';

const USER = {
  '~/.cursor/mcp.json': JSON.stringify({
    mcpServers: { a: { command: 'node', args: ['a.js'] }, b: { url: 'https://b.example/mcp' } },
  }),
};

const look = (machine: Machine, more: Partial<DiscoverOptions> = {}): Promise<Discovery> =>
  scanMachine(machine.options({ ...more }));
const states = ({ servers }: Discovery) =>
  Object.fromEntries(servers.map(toRecord).map(({ name, state }) => [name, state]));

describe('a managed file', () => {
  it.each([
    { title: 'ours', path: '/etc/portolan/managed-mcp.json' },
    { title: 'Claude Code’s', path: '/etc/claude-code/managed-mcp.json' },
  ])('takes exclusive control ($title), and why says so', async ({ path }) => {
    using machine = makeMachine();
    machine.write({ ...USER, [path]: '{"mcpServers":{"only":{"command":"node","args":["only.js"]}}}' });
    const discovery = await look(machine, { platform: 'linux' });
    expect(states(discovery)).toEqual({ only: 'ready' });
    expect(explain(discovery, 'a')?.definitions).toMatchObject([
      { fate: 'ignored', because: expect.stringContaining(machine.path(path)) },
    ]);
  });

  it('with an empty map switches everything off', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '/etc/portolan/managed-mcp.json': '{"mcpServers":{}}' });
    expect((await look(machine, { platform: 'linux' })).servers).toEqual([]);
  });

  it('that does not parse fails closed, and is a problem', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '/etc/portolan/managed-mcp.json': '{' });
    const { servers, problems } = await look(machine, { platform: 'linux' });
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([{ code: 'parse-error', source: machine.path('/etc/portolan/managed-mcp.json') }]);
  });

  it('counts also where only one client, or servers of the start, were asked for', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '/etc/portolan/managed-mcp.json': '{"mcpServers":{}}' });
    const options = { platform: 'linux', clients: ['cursor'], servers: { mine: { command: 'node' } } } as const;
    expect((await look(machine, options)).servers).toEqual([]);
  });

  it('of another client is only the top of that client', async () => {
    using machine = makeMachine();
    machine.write({
      ...USER,
      '/etc/gemini-cli/settings.json': '{"mcpServers":{"g":{"command":"node","args":["g.js"]}}}',
    });
    expect(states(await look(machine, { platform: 'linux' }))).toEqual({ a: 'ready', b: 'ready', g: 'ready' });
  });
});

describe('rules for servers', () => {
  it.each([
    {
      title: 'our own settings deny',
      files: { '~/.config/portolan/portolan.config.json': '{"deniedMcpServers":[{"serverName":"a"}]}' },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'our own settings allow only some',
      files: { '~/.config/portolan/portolan.config.json': '{"allowedMcpServers":[{"serverUrl":"https://b.example"}]}' },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'a project’s settings deny at once',
      files: { '<project>/portolan.config.json': '{"deniedMcpServers":[{"serverCommand":["node","*.js"]}]}' },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'Claude Code’s settings deny, for every client',
      files: { '~/.claude/settings.json': '{"deniedMcpServers":[{"serverUrl":"https://*.example/*"}]}' },
      expected: { a: 'ready', b: 'blocked-by-policy' },
    },
    {
      title: 'an administrator’s settings for Claude Code allow only some',
      files: {
        '/etc/claude-code/managed-settings.json':
          '{"allowManagedMcpServersOnly":true,"allowedMcpServers":[{"serverName":"b"}]}',
      },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'a repository’s settings for Claude Code cannot allow',
      files: {
        '~/.config/portolan/portolan.config.json': '{"allowedMcpServers":[{"serverName":"b"}]}',
        '<project>/.claude/settings.json': '{"allowedMcpServers":[{"serverName":"a"}]}',
      },
      expected: { a: 'blocked-by-policy', b: 'ready' },
    },
    {
      title: 'an administrator’s settings for Claude Code that cannot be read block everything',
      files: { '/etc/claude-code/managed-settings.json': '{' },
      expected: { a: 'blocked-by-policy', b: 'blocked-by-policy' },
    },
    {
      title: 'an allow list of an administrator’s that is no list allows nothing',
      files: { '/etc/claude-code/managed-settings.json': '{"allowedMcpServers":"b"}' },
      expected: { a: 'blocked-by-policy', b: 'blocked-by-policy' },
    },
    {
      title: 'pluginOnly',
      files: { '~/.config/portolan/portolan.config.json': '{"pluginOnly":true}' },
      expected: { a: 'blocked-by-policy', b: 'blocked-by-policy' },
    },
  ])('count: $title', async ({ files, expected }) => {
    using machine = makeMachine();
    machine.write({ ...USER, ...(files as Record<string, string>) });
    const discovery = await look(machine, { platform: 'linux' });
    expect(states(discovery)).toEqual(expected);
    for (const server of discovery.servers.map(toRecord))
      expect(server.rule !== undefined).toBe(server.state === 'blocked-by-policy');
  });
});

describe('settings', () => {
  it('that switch Portolan off leave an empty chart', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '~/.config/portolan/portolan.config.json': '{"enabled":false}' });
    expect((await look(machine)).servers).toEqual([]);
  });

  it('add places of their own', async () => {
    using machine = makeMachine();
    machine.write({
      '~/.config/portolan/portolan.config.json': '{"sources":[{"path":"~/more.yaml","key":"tools.servers"}]}',
      '~/more.yaml': 'tools:\n  servers:\n    extra:\n      command: node\n',
    });
    expect((await look(machine)).servers.map(toRecord)).toMatchObject([{ name: 'extra', state: 'ready' }]);
  });

  it('ask for every server with approval: all', async () => {
    using machine = makeMachine();
    machine.write({ ...USER, '~/.config/portolan/portolan.config.json': '{"approval":"all"}' });
    expect(states(await look(machine))).toEqual({ a: 'pending-approval', b: 'pending-approval' });
  });

  it('name connectors, which give way to a twin that someone wrote and left on', async () => {
    using machine = makeMachine();
    const connectors = [
      { name: 'hosted', url: 'https://hosted.example/mcp', id: 'c-1' },
      { name: 'b', url: 'https://b.example/mcp', id: 'c-2' },
    ];
    machine.write({ ...USER, '~/.config/portolan/portolan.config.json': JSON.stringify({ connectors }) });
    const { servers } = await look(machine);
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

describe('settings that a program hands over', () => {
  it('count like those in a file, below an administrator’s', async () => {
    using machine = makeMachine();
    machine.write(USER);
    const settings = { deniedMcpServers: [{ serverName: 'a' }] };
    expect(states(await look(machine, { settings }))).toEqual({ a: 'blocked-by-policy', b: 'ready' });
  });
});

describe('servers named at the start', () => {
  it('hold over every client, without approval', async () => {
    using machine = makeMachine();
    machine.write(USER);
    const { servers } = await look(machine, { servers: { a: { command: 'other' } } });
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
