import { describe, expect, it } from 'vitest';
import { DEFAULTS } from './default-settings.js';
import { complete, over, restrictedByManaged } from './merge-settings.js';
import type { SettingsFile } from './settings-schema.js';

const [a, b] = [{ serverName: 'a' }, { serverName: 'b' }];
const off = { pattern: ['*delete*'], enabled: false };
const on = (pattern: string, server?: string) => ({ pattern: [pattern], enabled: true, ...(server && { server }) });

describe('over', () => {
  it.each<{ title: string; lower: SettingsFile; upper: SettingsFile; expected: SettingsFile }>([
    {
      title: 'replaces single values',
      lower: { enabled: true },
      upper: { enabled: false },
      expected: { enabled: false },
    },
    {
      title: 'merges groups key by key at any depth',
      lower: { cache: { ttl: 1 }, mcpBridge: { socketPath: '/s', reconnect: { maxAttempts: 1 } } },
      upper: { cache: { enabled: false }, mcpBridge: { reconnect: { enabled: false } } },
      expected: {
        cache: { ttl: 1, enabled: false },
        mcpBridge: { socketPath: '/s', reconnect: { maxAttempts: 1, enabled: false } },
      },
    },
    {
      title: 'concatenates lists, higher precedence first',
      lower: { toolRules: [on('a')], deniedMcpServers: [a], passEnv: ['A'] },
      upper: { toolRules: [off], deniedMcpServers: [b] },
      expected: { toolRules: [off, on('a')], deniedMcpServers: [b, a], passEnv: ['A'] },
    },
    {
      title: 'distinguishes an empty allow list from none',
      lower: {},
      upper: { allowedMcpServers: [] },
      expected: { allowedMcpServers: [] },
    },
  ])('$title', ({ lower, upper, expected }) => {
    expect(over(lower, upper)).toEqual(expected);
  });
});

describe('restrictedByManaged', () => {
  it.each<{ title: string; lower: SettingsFile; managed: SettingsFile; expected: SettingsFile }>([
    { title: 'cannot switch on', lower: { enabled: true }, managed: { enabled: false }, expected: { enabled: false } },
    { title: 'may switch off', lower: { enabled: false }, managed: { enabled: true }, expected: { enabled: false } },
    {
      title: 'keeps plugins only',
      lower: { pluginOnly: false },
      managed: { pluginOnly: true },
      expected: { pluginOnly: true },
    },
    {
      title: 'may restrict to plugins only',
      lower: { pluginOnly: true },
      managed: { pluginOnly: false },
      expected: { pluginOnly: true },
    },
    {
      title: 'keeps approval of all servers',
      lower: { approval: 'project' },
      managed: { approval: 'all' },
      expected: { approval: 'all' },
    },
    {
      title: 'may require approval of all servers',
      lower: { approval: 'all' },
      managed: { approval: 'project' },
      expected: { approval: 'all' },
    },
    {
      title: 'keeps approval of changed files',
      lower: { approvalFiles: 'off' },
      managed: { approvalFiles: 'warn' },
      expected: { approvalFiles: 'warn' },
    },
    {
      title: 'may require approval of changed files',
      lower: { approvalFiles: 'ask' },
      managed: { approvalFiles: 'off' },
      expected: { approvalFiles: 'ask' },
    },
    {
      title: 'takes the lower of two limits',
      lower: { limits: { maxDepth: 5, queue: 500 } },
      managed: { limits: { maxDepth: 9, queue: 50, ratePerMinute: 1 } },
      expected: { limits: { maxDepth: 5, queue: 50, ratePerMinute: 1 } },
    },
    {
      title: 'keeps a cache off',
      lower: { cache: { enabled: true, ttl: 9 } },
      managed: { cache: { enabled: false, ttl: 5 } },
      expected: { cache: { enabled: false, ttl: 5 } },
    },
    {
      title: 'uses only the managed allow list',
      lower: { allowedMcpServers: [a, b] },
      managed: { allowedMcpServers: [a] },
      expected: { allowedMcpServers: [a] },
    },
    {
      title: 'keeps every deny rule',
      lower: { deniedMcpServers: [a] },
      managed: { deniedMcpServers: [b] },
      expected: { deniedMcpServers: [b, a] },
    },
    {
      title: 'cannot extend an allow list of tools',
      lower: { toolRules: [{ ...on('*'), tags: ['t'] }, off] },
      managed: { toolDefault: 'disabled', toolRules: [on('read*')] },
      expected: { toolDefault: 'disabled', toolRules: [on('read*'), { pattern: ['*'], tags: ['t'] }, off] },
    },
    {
      title: 'cannot switch off an allow list of tools',
      lower: { toolDefault: 'enabled' },
      managed: { toolDefault: 'disabled' },
      expected: { toolDefault: 'disabled' },
    },
    {
      title: 'may add an allow list of tools',
      lower: { toolDefault: 'disabled', toolRules: [on('x', 's')] },
      managed: { toolDefault: 'enabled', toolRules: [on('read*')] },
      expected: { toolDefault: 'disabled', toolRules: [on('read*'), on('x', 's')] },
    },
    {
      title: 'passes no variable that managed settings do not list',
      lower: { passEnv: ['TEAM_A', 'AWS_SECRET'] },
      managed: { passEnv: ['TEAM_*'] },
      expected: { passEnv: ['TEAM_A'] },
    },
    {
      title: 'takes the lower of two sandbox limits',
      lower: { sandbox: { maxTimeoutMs: 600_000, maxCalls: 5 } },
      managed: { sandbox: { maxTimeoutMs: 60_000, maxCalls: 50, engine: 'bwrap' } },
      expected: { sandbox: { maxTimeoutMs: 60_000, maxCalls: 5, engine: 'bwrap' } },
    },
    {
      title: 'uses the single values of managed settings',
      lower: { sandbox: { engine: 'off', image: 'i' }, connectorsUrl: 'https://a/' },
      managed: { sandbox: { engine: 'bwrap' }, connectorsUrl: 'https://b/' },
      expected: { sandbox: { engine: 'bwrap', image: 'i' }, connectorsUrl: 'https://b/' },
    },
  ])('$title', ({ lower, managed, expected }) => {
    expect(restrictedByManaged(lower, managed)).toEqual(expected);
  });
});

describe('complete', () => {
  it('returns the defaults without any settings', () => {
    expect(complete({ $schema: 'https://any/' })).toEqual(DEFAULTS);
  });

  it('returns frozen values, as the defaults are', () => {
    const settings = complete({ toolRules: [off], mcpBridge: { reconnect: { maxAttempts: 1 } } });
    for (const value of [settings, settings.toolRules[0], settings.mcpBridge.reconnect, DEFAULTS, DEFAULTS.limits])
      expect(Object.isFrozen(value)).toBe(true);
  });
});
