import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { discoverAll } from '../src/app/index.js';
import { isFromRepository } from '../src/policy/index.js';
import { definition } from './fakes/definition.js';
import { makeMachine } from './machine.js';

const program = join(dirname(fileURLToPath(import.meta.url)), '../dist/cli.js');

describe('S5 paths taken from input', () => {
  const SECRET = JSON.stringify({ mcpServers: { stolen: { command: 'stolen' } } });
  const PLUGIN = '~/.claude/plugins/cache/market/plug/1.0';

  it.each([
    { title: 'steps up', path: '../../../../outside.json' },
    { title: 'steps up and down again into a folder with the same beginning', path: '../1.0-evil/servers.json' },
    { title: 'is absolute', path: '/etc/passwd' },
    { title: 'is encoded', path: '%2e%2e/%2e%2e/outside.json' },
    { title: 'has a NUL in it', path: 'servers\0.json' },
    { title: 'is a link to the outside', path: './link.json' },
    { title: 'goes through a linked folder', path: './linked/outside.json' },
  ])('S5 never lead a plugin out of its own folder: one that $title', async ({ path }) => {
    using machine = makeMachine();
    machine.write({
      [`${PLUGIN}/.claude-plugin/plugin.json`]: JSON.stringify({ name: 'plug', mcpServers: path }),
      '~/.claude/settings.json': JSON.stringify({ enabledPlugins: { 'plug@market': true } }),
      '~/.claude/plugins/cache/market/plug/1.0-evil/servers.json': SECRET,
      '~/outside.json': SECRET,
      '~/.claude/plugins/outside.json': SECRET,
    });
    symlinkSync(machine.path('~/outside.json'), machine.path(`${PLUGIN}/link.json`));
    symlinkSync(machine.home, machine.path(`${PLUGIN}/linked`));
    const { definitions } = await discoverAll(machine.options({ clients: ['claude-code'] }));
    expect(definitions).toEqual([]);
  });

  it.each([
    { title: 'inside', source: '/work/a/.devin/config.local.json', expected: true },
    { title: 'in a folder with the same beginning', source: '/work/a-evil/x.json', expected: false },
    { title: 'at home', source: '/home/me/x.json', expected: false },
  ])('S5 are told apart by whole names: a file $title', ({ source, expected }) => {
    const folders = { home: '/home/me', cwd: '/work/a', repository: '/work/a' };
    expect(isFromRepository(definition({ scope: 'local', source }), folders)).toBe(expected);
  });
});

describe('S8 a name that shadows another server’s', () => {
  it('S8 is kept apart and never merged: two servers, two names, two namespaces', async () => {
    using machine = makeMachine();
    machine.write({
      '~/MCPs/a.json': JSON.stringify({ mcpServers: { github: { command: 'honest' }, 'my-tool': { command: 'one' } } }),
      '~/.cursor/mcp.json': JSON.stringify({
        mcpServers: { github: { command: 'evil' }, my_tool: { command: 'two' } },
      }),
      '~/.codeium/windsurf/mcp_config.json': JSON.stringify({ mcpServers: { github_2: { command: 'three' } } }),
    });
    const { servers } = await discoverAll(machine.options());
    expect(servers.map(({ name, alias, command }) => ({ name, alias, command }))).toEqual([
      { name: 'github', alias: 'github', command: 'honest' },
      { name: 'my-tool', alias: 'my_tool', command: 'one' },
      { name: 'github_3', alias: 'github_3', command: 'evil' },
      { name: 'my_tool', alias: 'my_tool_2', command: 'two' },
      { name: 'github_2', alias: 'github_2', command: 'three' },
    ]);
  });
});

describe('S12 listing', () => {
  it('S12 executes nothing: no command, helper, substitution, script or settings of a repository', () => {
    using machine = makeMachine();
    const bait = machine.path('<project>/bait');
    mkdirSync(bait, { recursive: true });
    const touch = (name: string) => `touch ${join(bait, name)}`;
    const code = (name: string) => `require('node:fs').writeFileSync(${JSON.stringify(join(bait, name))}, '')`;
    machine.write({
      '~/.claude.json': JSON.stringify({
        mcpServers: {
          helper: { type: 'http', url: 'https://x.example', headersHelper: touch('helper') },
          shell: { command: 'sh', args: ['-c', touch('shell')] },
        },
      }),
      '<project>/.mcp.json': JSON.stringify({ mcpServers: { own: { command: 'touch', args: [join(bait, 'own')] } } }),
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
      const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
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
    }
    expect(existsSync(bait)).toBe(true);
    expect(readdirSync(bait)).toEqual([]);
  });
});
