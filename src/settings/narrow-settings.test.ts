import { describe, expect, it } from 'vitest';
import { complete } from './merge-settings.js';
import { narrowToRestrictions } from './narrow-settings.js';
import type { SettingsFile } from './settings-schema.js';

const deny = [{ serverName: 'x' }];
const user: SettingsFile = {
  pluginOnly: true,
  approval: 'all',
  enabled: false,
  toolDefault: 'disabled',
  timeouts: { callMs: 10_000 },
  cache: { enabled: false, ttl: 60 },
};

describe('narrow', () => {
  it.each<{ title: string; held?: SettingsFile; file: SettingsFile; counts: SettingsFile }>([
    { title: 'deny rules', file: { deniedMcpServers: deny }, counts: { deniedMcpServers: deny } },
    { title: 'switching everything off', file: { enabled: false }, counts: { enabled: false } },
    {
      title: 'approval of changed files',
      held: { approvalFiles: 'off' },
      file: { approvalFiles: 'ask' },
      counts: { approvalFiles: 'ask' },
    },
    {
      title: 'reports of changed files',
      held: { approvalFiles: 'off' },
      file: { approvalFiles: 'warn' },
      counts: { approvalFiles: 'warn' },
    },
    { title: 'approval of every server', file: { approval: 'all' }, counts: { approval: 'all' } },
    { title: 'plugins only', file: { pluginOnly: true }, counts: { pluginOnly: true } },
    { title: 'a lower limit', file: { limits: { maxDepth: 8 } }, counts: { limits: { maxDepth: 8 } } },
    { title: 'a shorter time-out', file: { timeouts: { callMs: 5 } }, counts: { timeouts: { callMs: 5 } } },
    { title: 'lower sandbox limits', file: { sandbox: { maxCalls: 5 } }, counts: { sandbox: { maxCalls: 5 } } },
    { title: 'a shorter cache', file: { cache: { ttl: 0 } }, counts: { cache: { ttl: 0 } } },
    { title: 'no cache', file: { cache: { enabled: false } }, counts: { cache: { enabled: false } } },
    {
      title: 'a tool rule that disables',
      file: { toolRules: [{ pattern: ['*delete*'], enabled: false, tags: ['risky'] }] },
      counts: { toolRules: [{ pattern: ['*delete*'], enabled: false, tags: ['risky'] }] },
    },
    {
      title: 'a tool rule that only tags',
      file: { toolRules: [{ pattern: ['*'], tags: ['team'] }] },
      counts: { toolRules: [{ pattern: ['*'], tags: ['team'] }] },
    },
    {
      title: 'an allow-list if the user has none',
      file: { toolDefault: 'disabled', toolRules: [{ pattern: ['read*'], enabled: true }] },
      counts: { toolDefault: 'disabled', toolRules: [{ pattern: ['read*'], enabled: true }] },
    },
  ])('lets a project set without approval: $title', ({ held = {}, file, counts }) => {
    expect(narrowToRestrictions(file, complete(held))).toEqual({ counts, waiting: [] });
  });

  it.each<{ title: string; file: SettingsFile; waiting: string[]; counts?: SettingsFile }>([
    { title: 'sources', file: { sources: [{ path: 'a.json' }] }, waiting: ['sources'] },
    { title: 'connectors', file: { connectors: [{ name: 'a', url: 'https://a/', id: 'a' }] }, waiting: ['connectors'] },
    { title: 'a URL of connectors', file: { connectorsUrl: 'https://evil/' }, waiting: ['connectorsUrl'] },
    { title: 'an allow list', file: { allowedMcpServers: deny }, waiting: ['allowedMcpServers'] },
    { title: 'an empty allow list', file: { allowedMcpServers: [] }, waiting: ['allowedMcpServers'] },
    {
      title: 'managed lists only',
      file: { allowManagedMcpServersOnly: true },
      waiting: ['allowManagedMcpServersOnly'],
    },
    { title: 'the socket', file: { mcpBridge: { socketPath: '/tmp/x' } }, waiting: ['mcpBridge.socketPath'] },
    {
      title: 'reconnecting',
      file: { mcpBridge: { reconnect: { maxAttempts: 99 } } },
      waiting: ['mcpBridge.reconnect.maxAttempts'],
    },
    { title: 'start timeouts', file: { startTimeouts: { a: 1 } }, waiting: ['startTimeouts.a'] },
    { title: 'sharing', file: { share: { a: 'machine' } }, waiting: ['share.a'] },
    { title: 'hosts', file: { http: { allowedHosts: ['evil'] } }, waiting: ['http.allowedHosts'] },
    {
      title: 'higher sandbox limits',
      file: { sandbox: { maxTimeoutMs: 999_999, image: 'evil' } },
      waiting: ['sandbox.maxTimeoutMs', 'sandbox.image'],
    },
    { title: 'the sandbox', file: { sandbox: { engine: 'off' } }, waiting: ['sandbox.engine'] },
    { title: 'variables of servers', file: { passEnv: ['AWS_SECRET'] }, waiting: ['passEnv'] },
    { title: 'a client identity', file: { client: { id: 'me' } }, waiting: ['client.id'] },
    { title: 'a higher limit', file: { limits: { queue: 9_999_999 } }, waiting: ['limits.queue'] },
    {
      title: 'a longer time-out than the user has',
      file: { timeouts: { callMs: 20_000 } },
      waiting: ['timeouts.callMs'],
    },
    { title: 'a longer cache', file: { cache: { ttl: 61 } }, waiting: ['cache.ttl'] },
    {
      title: 'a cache although the user switched it off',
      file: { cache: { enabled: true } },
      waiting: ['cache.enabled'],
    },
    { title: 'being enabled although the user disabled it', file: { enabled: true }, waiting: ['enabled'] },
    { title: 'more than plugins', file: { pluginOnly: false }, waiting: ['pluginOnly'] },
    { title: 'approval of fewer files', file: { approvalFiles: 'warn' }, waiting: ['approvalFiles'] },
    { title: 'no approval of files', file: { approvalFiles: 'off' }, waiting: ['approvalFiles'] },
    { title: 'approval of fewer servers', file: { approval: 'project' }, waiting: ['approval'] },
    { title: 'no allow-list of tools', file: { toolDefault: 'enabled' }, waiting: ['toolDefault'] },
    {
      title: 'a tool rule that extends the user’s allow-list, except for its tags',
      file: { toolRules: [{ pattern: ['*'], server: 's', enabled: true, tags: ['t'] }] },
      waiting: ['toolRules'],
      counts: { toolRules: [{ pattern: ['*'], server: 's', tags: ['t'] }] },
    },
  ])('requires approval for: $title', ({ file, waiting, counts = {} }) => {
    const narrowed = narrowToRestrictions(file, complete(user));
    expect(narrowed.waiting).toEqual(waiting);
    expect(narrowed.counts).toEqual(counts);
  });

  it('reports nothing for values that are already effective', () => {
    const file: SettingsFile = { enabled: true, sources: [], cache: { ttl: 3600 }, timeouts: { callMs: 30_000 } };
    expect(narrowToRestrictions(file, complete({}))).toEqual({ counts: {}, waiting: [] });
  });
});
