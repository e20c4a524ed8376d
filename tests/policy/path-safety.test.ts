import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { scanMachine, toRecord } from '../../src/discovery/index.js';
import { isFromRepository } from '../../src/policy/index.js';
import { definition } from '../fakes/definition.js';
import { type Machine, makeMachine } from '../support/machine.js';

const program = join(dirname(fileURLToPath(import.meta.url)), '../../dist/cli.js');

describe('paths taken from input', { tags: 'S5' }, () => {
  const SECRET = JSON.stringify({ mcpServers: { stolen: { command: 'stolen' } } });
  const PLUGIN = '~/.claude/plugins/cache/market/plug/1.0';

  /** The servers of a plugin whose manifest names this path. Each file that the path could lead to defines a server. */
  async function serversOfPlugin(pathOn: (machine: Machine) => string) {
    using machine = makeMachine();
    machine.write({
      [`${PLUGIN}/.claude-plugin/plugin.json`]: JSON.stringify({ name: 'plug', mcpServers: pathOn(machine) }),
      '~/.claude/settings.json': JSON.stringify({ enabledPlugins: { 'plug@market': true } }),
      [`${PLUGIN}/servers.json`]: JSON.stringify({ mcpServers: { honest: { command: 'honest' } } }),
      [`${PLUGIN}/cut`]: SECRET,
      '~/.claude/plugins/cache/market/plug/1.0-evil/servers.json': SECRET,
      '~/.claude/plugins/cache/market/outside.json': SECRET,
      '~/.claude/plugins/outside.json': SECRET,
      '~/outside.json': SECRET,
    });
    symlinkSync(machine.path('~/outside.json'), machine.path(`${PLUGIN}/link.json`));
    symlinkSync(machine.home, machine.path(`${PLUGIN}/linked`));
    const { definitions, problems } = await scanMachine(machine.options({ clients: ['claude-code'] }));
    return { names: definitions.map(({ name }) => name), problems: problems.map(({ message }) => message) };
  }

  it.each([
    { title: 'a relative path', path: './servers.json' },
    { title: 'the variable of the plugin directory', path: '${CLAUDE_PLUGIN_ROOT}/servers.json' },
    { title: '".." that stays inside', path: './a/../servers.json' },
  ])('are resolved inside the directory of a plugin: $title', async ({ path }) => {
    expect(await serversOfPlugin(() => path)).toEqual({ names: ['plugin:plug:honest'], problems: [] });
  });

  const OUTSIDE = 'is outside the plugin';
  it.each([
    { title: 'contains ".."', path: '../../../../outside.json', why: OUTSIDE },
    { title: 'leads to a directory with the same prefix', path: '../1.0-evil/servers.json', why: OUTSIDE },
    { title: 'is absolute', path: ({ home }: Machine) => join(home, 'outside.json'), why: OUTSIDE },
    { title: 'has a NUL in it', path: './cut\0.json', why: OUTSIDE },
    { title: 'is a link to a file outside', path: './link.json', why: OUTSIDE },
    { title: 'leads through a linked directory', path: './linked/outside.json', why: OUTSIDE },
    // Paths are not URL-decoded, so this is the name of a missing file inside.
    { title: 'is encoded', path: '%2e%2e/%2e%2e/outside.json', why: 'does not exist' },
    { title: 'has its slashes encoded', path: '..%2f..%2foutside.json', why: 'does not exist' },
  ])('cannot leave the directory of a plugin: a path that $title', async ({ path, why }) => {
    expect(await serversOfPlugin((machine) => (typeof path === 'string' ? path : path(machine)))).toEqual({
      names: [],
      problems: [expect.stringContaining(why)],
    });
  });

  // Only servers of a repository need approval for paths outside of it.
  it.each([
    { title: 'a working directory', entry: { command: 'x', cwd: '../home' } },
    { title: 'an env file', entry: { command: 'x', envFile: '../home/secrets.env' } },
    { title: 'an absolute env file', entry: { command: 'x', envFile: '/etc/environment' } },
  ])('need approval if an entry of a repository leads out of it: $title', async ({ entry }) => {
    using machine = makeMachine();
    machine.write({
      '<project>/.vscode/mcp.json': JSON.stringify({ servers: { here: entry } }),
      '~/secrets.env': 'KEY=canary',
    });
    const { servers } = await scanMachine(machine.options({ clients: ['vscode'] }));
    expect(servers.map(toRecord)).toMatchObject([{ name: 'here', state: 'pending-approval' }]);
    expect(JSON.stringify(servers)).not.toContain('canary');
  });

  it.each(['../home/outside.json', '~/outside.json'])(
    'need approval if the settings of a repository add a source: %s',
    async (path) => {
      using machine = makeMachine();
      const settings = JSON.stringify({ sources: [{ path }] });
      machine.write({ '<project>/portolan.config.json': settings, '~/outside.json': SECRET });
      const unread = await scanMachine(machine.options());
      expect(unread.definitions).toEqual([]);
      expect(unread.problems).toMatchObject([{ code: 'settings-unapproved' }]);
      // The same setting of the user has an effect.
      machine.write({ '<project>/portolan.config.json': '{}', '~/.config/portolan/portolan.config.json': settings });
      expect((await scanMachine(machine.options())).definitions).toMatchObject([{ name: 'stolen' }]);
    },
  );

  it.each([
    { title: 'inside', source: '/work/a/.devin/config.local.json', expected: true },
    { title: 'in a directory with the same prefix', source: '/work/a-evil/x.json', expected: false },
    { title: 'in the home directory', source: '/home/me/x.json', expected: false },
  ])('are compared by whole path segments: a file $title', ({ source, expected }) => {
    const folders = { home: '/home/me', cwd: '/work/a', repository: '/work/a' };
    expect(isFromRepository(definition({ scope: 'local', source }), folders)).toBe(expected);
  });
});

describe('a server with the name of another', { tags: 'S8' }, () => {
  it('is never merged: two servers have two names and two namespaces', async () => {
    using machine = makeMachine();
    machine.write({
      '~/MCPs/a.json': JSON.stringify({ mcpServers: { github: { command: 'honest' }, 'my-tool': { command: 'one' } } }),
      '~/.cursor/mcp.json': JSON.stringify({
        mcpServers: { github: { command: 'evil' }, my_tool: { command: 'two' } },
      }),
      '~/.codeium/windsurf/mcp_config.json': JSON.stringify({ mcpServers: { github_2: { command: 'three' } } }),
    });
    const { servers } = await scanMachine(machine.options());
    expect(servers.map(toRecord).map(({ name, alias, command }) => ({ name, alias, command }))).toEqual([
      { name: 'github', alias: 'github', command: 'honest' },
      { name: 'my-tool', alias: 'my_tool', command: 'one' },
      { name: 'github_3', alias: 'github_3', command: 'evil' },
      { name: 'my_tool', alias: 'my_tool_2', command: 'two' },
      { name: 'github_2', alias: 'github_2', command: 'three' },
    ]);
  });
});

describe('listing', { tags: 'S12' }, () => {
  it('executes nothing: no command, helper, substitution, script or settings of a repository', () => {
    using machine = makeMachine();
    const marks = machine.path('<project>/bait');
    mkdirSync(marks, { recursive: true });
    const touch = (name: string) => `touch ${join(marks, name)}`;
    const code = (name: string) => `require('node:fs').writeFileSync(${JSON.stringify(join(marks, name))}, '')`;
    machine.write({
      '~/.claude.json': JSON.stringify({
        mcpServers: {
          helper: { type: 'http', url: 'https://x.example', headersHelper: touch('helper') },
          shell: { command: 'sh', args: ['-c', touch('shell')] },
        },
      }),
      '<project>/.mcp.json': JSON.stringify({ mcpServers: { own: { command: 'touch', args: [join(marks, 'own')] } } }),
      '~/.config/crush/crush.json': JSON.stringify({
        mcp: { sub: { type: 'stdio', command: `$(${touch('crush')})` } },
      }),
      '~/.config/crush/crushrc': `${touch('crushrc')}\nmcp add x\n`,
      '~/.config/mcphub/servers.json': JSON.stringify({
        mcpServers: { hub: { command: `\${cmd: ${touch('hub')}}`, env: { A: `$: ${touch('hub2')}` } } },
      }),
      '~/.codex/config.toml': `[mcp_servers.c]\nurl = "https://x.example"\nhttp_headers_helper = "${touch('codex')}"\n`,
      '<project>/.vscode/mcp.json': JSON.stringify({
        inputs: [{ id: 'i', type: 'command', command: touch('input') }],
        servers: { v: { command: 'x', args: ['${input:i}', '${command:x}'] } },
      }),
      '<project>/portolan.config.js': `${code('config-js')}\nexport default {}`,
      '<project>/portolan.config.ts': `${code('config-ts')}\nexport default {}`,
      '<project>/anygpt.config.ts': `${code('anygpt')}\nexport default {}`,
    });
    writeFileSync(join(machine.project, 'package.json'), '{"type":"commonjs"}');
    let listed: string[] = [];
    for (const args of [
      ['list'],
      ['list', '--json', '--all'],
      ['doctor'],
      ['why', 'own'],
      ['approve'],
      ['config', 'sources'],
      ['config', 'show'],
      ['config', 'validate'],
    ]) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
        cwd: machine.project,
        env: { PATH: process.env.PATH, HOME: machine.home, PORTOLAN_DAEMON: 'never' },
        encoding: 'utf8',
        input: '',
      });
      expect({ args, status: status !== null && status < 3, stderr: stderr.includes('Error:') }).toEqual({
        args,
        status: true,
        stderr: false,
      });
      // Shows that the scan has found all servers that would create a file.
      if (args.includes('--all')) listed = JSON.parse(stdout).servers.map(({ name }: { name: string }) => name);
    }
    expect(listed.toSorted()).toEqual(['c', 'helper', 'hub', 'own', 'shell', 'sub', 'v', 'x']);
    expect(existsSync(marks)).toBe(true);
    expect(readdirSync(marks)).toEqual([]);
  });
});
