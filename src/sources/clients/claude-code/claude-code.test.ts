import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeMachine } from '../../../../tests/support/machine.js';
import { type Contents, statesOf } from '../../../../tests/support/states-of.js';
import { discover } from '../../../discovery/index.js';

const REPOSITORY_FILE = '<project>/.mcp.json';
const STATE = '~/.claude.json';
const USER = '~/.claude/settings.json';
const PROJECT = '<project>/.claude/settings.json';
const MANAGED = '/etc/claude-code/managed-settings.json';
const TRUSTED = { projects: { '<project>': { hasTrustDialogAccepted: true } } };

const shared = { [REPOSITORY_FILE]: { mcpServers: { s: { command: 's' } } } };
const approved = { enabledMcpjsonServers: ['s'] };
const rejected = { disabledMcpjsonServers: ['s'] };

interface Case {
  readonly title: string;
  readonly files: Contents;
  readonly state: string;
}

describe('the disabled servers of one directory', () => {
  it.each<Case>([
    {
      title: 'it is disabled here',
      files: { [STATE]: { projects: { '<project>': { disabledMcpServers: ['s'] } } } },
      state: 'disabled',
    },
    {
      title: 'it is disabled elsewhere',
      files: { [STATE]: { projects: { '/other': { disabledMcpServers: ['s'] } } } },
      state: 'ready',
    },
    {
      title: 'the settings contain the list',
      files: { [USER]: { ...approved, disabledMcpServers: ['s'] } },
      state: 'ready',
    },
    {
      title: 'it is rejected as well',
      files: { [STATE]: { projects: { '<project>': { disabledMcpServers: ['s'], ...rejected } } } },
      state: 'disabled',
    },
  ])('leave a server $state when $title', async ({ files, state }) => {
    expect((await statesOf('claude-code', { ...shared, [USER]: approved, ...files })).states).toEqual({ s: state });
  });

  it('apply to servers of every scope', async () => {
    const record = { disabledMcpServers: ['u', 'l', 'plugin:p:s'], mcpServers: { l: { command: 'l' } } };
    const files = {
      [STATE]: { mcpServers: { u: { command: 'u' } }, projects: { '<project>': record } },
      [USER]: { enabledPlugins: { 'p@m': true } },
      '~/.claude/plugins/cache/m/p/1/.mcp.json': { s: { command: 's' } },
    };
    expect((await statesOf('claude-code', files)).states).toEqual({
      u: 'disabled',
      l: 'disabled',
      'plugin:p:s': 'disabled',
    });
  });
});

describe('the setting of a plugin', () => {
  const plugin = { '~/.claude/plugins/cache/m/p/1/.mcp.json': { s: { command: 's' } } };
  const on = { enabledPlugins: { 'p@m': true } };
  const off = { enabledPlugins: { 'p@m': false } };
  it.each<Case>([
    { title: 'it was never enabled', files: {}, state: 'disabled' },
    { title: 'the user enabled it', files: { [USER]: on }, state: 'ready' },
    { title: 'the user disabled it', files: { [USER]: off }, state: 'disabled' },
    {
      title: 'the same plugin of another marketplace is enabled',
      files: { [USER]: { enabledPlugins: { 'p@other': true } } },
      state: 'disabled',
    },
    {
      title: 'the user lists versions',
      files: { [USER]: { enabledPlugins: { 'p@m': ['1.0.0'] } } },
      state: 'ready',
    },
    { title: 'the repository itself enables it', files: { [PROJECT]: on }, state: 'disabled' },
    {
      title: 'the repository enables it in a trusted directory',
      files: { [PROJECT]: on, [STATE]: TRUSTED },
      state: 'ready',
    },
    { title: 'the repository disables it', files: { [USER]: on, [PROJECT]: off }, state: 'disabled' },
    { title: 'the administrator disables it', files: { [USER]: on, [MANAGED]: off }, state: 'disabled' },
  ])('leaves its servers $state when $title', async ({ files, state }) => {
    expect((await statesOf('claude-code', { ...plugin, ...files })).states).toEqual({ 'plugin:p:s': state });
  });
});

describe('the administrator of the machine', () => {
  const everywhere = {
    ...shared,
    [STATE]: {
      mcpServers: { u: { command: 'u' } },
      projects: { '<project>': { mcpServers: { l: { command: 'l' } } } },
    },
    [USER]: { ...approved, enabledPlugins: { 'p@m': true } },
    '~/.claude/plugins/cache/m/p/1/.mcp.json': { s: { command: 's' } },
  };
  const ready = { u: 'ready', l: 'ready', s: 'ready', 'plugin:p:s': 'ready' };
  const blocked = {
    u: 'blocked-by-policy',
    l: 'blocked-by-policy',
    s: 'blocked-by-policy',
    'plugin:p:s': 'blocked-by-policy',
  };
  const FIXED = '/etc/claude-code/managed-mcp.json';
  it.each<{ title: string; files: Contents; states: Record<string, string>; problems?: string[] }>([
    { title: 'has no settings', files: {}, states: ready },
    {
      title: 'fixes the servers',
      files: { [FIXED]: { mcpServers: { m: { command: 'm' } } } },
      states: { ...blocked, m: 'ready' },
    },
    { title: 'disables MCP with an empty list', files: { [FIXED]: { mcpServers: {} } }, states: blocked },
    { title: 'disables MCP with an empty map', files: { [FIXED]: {} }, states: blocked },
    { title: 'wrote a malformed list', files: { [FIXED]: '{' }, states: blocked, problems: ['parse-error'] },
    {
      title: 'denies one of the fixed servers',
      files: {
        [FIXED]: { mcpServers: { m: { command: 'm' } } },
        [MANAGED]: { deniedMcpServers: [{ serverName: 'm' }] },
      },
      states: { ...blocked, m: 'blocked-by-policy' },
    },
    {
      title: 'allows only servers of plugins',
      files: { [MANAGED]: { strictPluginOnlyCustomization: ['mcp', 'hooks'] } },
      states: { ...blocked, 'plugin:p:s': 'ready' },
    },
    {
      title: 'allows everything only from plugins',
      files: { [MANAGED]: { strictPluginOnlyCustomization: true } },
      states: { ...blocked, 'plugin:p:s': 'ready' },
    },
    {
      title: 'allows only hooks from plugins',
      files: { [MANAGED]: { strictPluginOnlyCustomization: ['hooks'] } },
      states: ready,
    },
    {
      title: 'does not restrict servers to plugins, unlike the project',
      files: { [PROJECT]: { strictPluginOnlyCustomization: ['mcp'] } },
      states: ready,
    },
    {
      title: 'wrote malformed settings',
      files: { [MANAGED]: '{"deniedMcpServers":' },
      states: ready,
      problems: ['parse-error'],
    },
  ])('$title', async ({ files, states, problems = [] }) => {
    expect(await statesOf('claude-code', { ...everywhere, ...files })).toEqual({ states, problems });
  });

  it.each([
    { platform: 'darwin' as const, folder: '/Library/Application Support/ClaudeCode' },
    { platform: 'win32' as const, folder: '/Program Files/ClaudeCode' },
    { platform: 'win32' as const, folder: '/C:/Program Files/ClaudeCode' },
  ])('writes to $folder on $platform', async ({ platform, folder }) => {
    const files = { ...everywhere, [`${folder}/managed-settings.json`]: { allowedMcpServers: [] } };
    expect((await statesOf('claude-code', files, { platform })).states).toEqual(blocked);
  });
});

describe('the directory of .mcp.json', () => {
  it('is the project directory; files of its parents in the repository are only listed', async () => {
    using machine = makeMachine();
    mkdirSync(machine.path('<project>/.git'));
    machine.write({
      '<project>/.mcp.json': '{"mcpServers":{"top":{"command":"top"}}}',
      '<project>/packages/one/.mcp.json': '{"mcpServers":{"near":{"command":"near"}}}',
      '~/.claude/settings.json': '{"enableAllProjectMcpServers":true}',
    });
    const cwd = machine.path('<project>/packages/one');
    const { definitions } = await discover(machine.options({ cwd, platform: 'linux', clients: ['claude-code'] }));
    expect(definitions).toMatchObject([
      { name: 'near', scope: 'project', state: 'ready' },
      { name: 'top', scope: 'project', state: 'inventory-only' },
    ]);
  });

  it('is never the root directory of a drive', async () => {
    using machine = makeMachine();
    machine.write({ '/D:/.mcp.json': '{"mcpServers":{"s":{"command":"s"}}}' });
    const cwd = machine.path('/D:');
    const { definitions } = await discover(machine.options({ cwd, platform: 'win32', clients: ['claude-code'] }));
    expect(definitions).toMatchObject([{ name: 's', state: 'client-ignores' }]);
  });
});
