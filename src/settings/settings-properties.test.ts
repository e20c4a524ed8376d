import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../tests/fakes/memory-files.js';
import { PortolanError } from '../base/index.js';
import type { Settings } from './default-settings.js';
import { inspectSettings, loadSettings, type SettingsOptions } from './load-settings.js';
import { KNOWN_KEYS } from './settings-schema.js';

const USER = '/h/.config/portolan/portolan.config.json';
const PROJECT = '/p/portolan.config.json';
const SHARED = '/p/anygpt.config.json';
const MANAGED = '/etc/portolan/managed-settings.json';

function on(texts: Readonly<Record<string, string>>, more: Partial<SettingsOptions> = {}): SettingsOptions {
  return { platform: 'linux', home: '/h', cwd: '/p', env: {}, root: '', files: memoryFiles(texts), ...more };
}

const text = fc.constantFrom('a', 'b', '*', '/x/i');
const number = fc.nat(50_000);
const group = (key: string, value: fc.Arbitrary<unknown>) =>
  fc.record(Object.fromEntries((KNOWN_KEYS[key] ?? []).map((name) => [name, value])), { requiredKeys: [] });
const entries = fc.array(fc.oneof(fc.record({ serverName: text }), fc.record({ serverCommand: fc.constant(['a']) })), {
  maxLength: 3,
});

/** Realistic settings: most keys are valid, so that most files are. */
const settings = fc.record(
  {
    enabled: fc.boolean(),
    cache: fc.record({ enabled: fc.boolean(), ttl: number }, { requiredKeys: [] }),
    sources: fc.array(fc.record({ path: text }), { maxLength: 2 }),
    toolRules: fc.array(
      fc.record(
        { pattern: fc.constant(['*']), server: text, enabled: fc.boolean(), tags: fc.constant(['t']) },
        { requiredKeys: ['pattern'] },
      ),
      { maxLength: 3 },
    ),
    toolDefault: fc.constantFrom('enabled', 'disabled'),
    approval: fc.constantFrom('project', 'all'),
    approvalFiles: fc.constantFrom('ask', 'warn', 'off'),
    allowedMcpServers: entries,
    deniedMcpServers: entries,
    allowManagedMcpServersOnly: fc.boolean(),
    pluginOnly: fc.boolean(),
    connectors: fc.array(fc.record({ name: text, url: fc.constant('https://a/'), id: text }), { maxLength: 2 }),
    connectorsUrl: fc.constantFrom('https://a/', 'https://b/'),
    timeouts: group(
      'timeouts',
      number.map((value) => value + 1),
    ),
    limits: group(
      'limits',
      number.map((value) => value + 1),
    ),
    startTimeouts: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom(1, 2)),
    share: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom('machine', 'session')),
    mcpBridge: fc.record({ socketPath: text, autoConnect: fc.boolean() }, { requiredKeys: [] }),
    client: fc.record({ id: text }),
    http: fc.record({ allowedHosts: fc.array(text) }),
    sandbox: fc.record({ engine: fc.constantFrom('off', 'auto') }),
    passEnv: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const anything = fc.oneof(
  { weight: 4, arbitrary: settings.map((value) => JSON.stringify(value)) },
  fc.json(),
  fc.string(),
  fc
    .dictionary(fc.constantFrom(...Object.values(KNOWN_KEYS).flat()), fc.jsonValue())
    .map((value) => JSON.stringify(value)),
);

const projectText = fc.oneof(
  { weight: 2, arbitrary: anything },
  settings.map(({ enabled, cache, toolRules, sources, ...outside }) =>
    JSON.stringify({ ...outside, discovery: { enabled, cache, toolRules, sources } }),
  ),
);

const GIVING = [
  ...['sources', 'allowedMcpServers', 'allowManagedMcpServersOnly', 'connectors', 'connectorsUrl', 'share'],
  'startTimeouts',
  ...['mcpBridge', 'client', 'http', 'sandbox', 'passEnv'],
] as const satisfies readonly (keyof Settings)[];

function expectNarrower(after: Settings, before: Settings): void {
  for (const key of GIVING) expect(after[key]).toEqual(before[key]);
  expect(after.enabled && !before.enabled).toBe(false);
  expect(before.pluginOnly && !after.pluginOnly).toBe(false);
  expect(before.approval === 'all' && after.approval !== 'all').toBe(false);
  expect(after.cache.enabled && !before.cache.enabled).toBe(false);
  for (const [lower, upper] of [
    [after.timeouts, before.timeouts],
    [after.limits, before.limits],
    [{ ttl: after.cache.ttl }, { ttl: before.cache.ttl }],
  ] as const) {
    const limits = new Map(Object.entries(upper));
    for (const [key, value] of Object.entries(lower)) expect(value).toBeLessThanOrEqual(limits.get(key) ?? -1);
  }
  expect(after.deniedMcpServers).toEqual(expect.arrayContaining([...before.deniedMcpServers]));
  const added = after.toolRules.length - before.toolRules.length;
  expect(after.toolRules.slice(added)).toEqual(before.toolRules);
  if (before.toolDefault === 'disabled') {
    expect(after.toolDefault).toBe('disabled');
    expect(after.toolRules.slice(0, added).filter(({ enabled }) => enabled === true)).toEqual([]);
  }
}

describe('for any content of the files', () => {
  it('inspection never fails, and loading fails only with a message', async () => {
    await fc.assert(
      fc.asyncProperty(anything, anything, anything, async (user, project, managed) => {
        const options = on({ [USER]: user, [PROJECT]: project, [MANAGED]: managed });
        const { problems } = await inspectSettings(options);
        const isWrong = problems.some(({ severity }) => severity === 'error');
        const failure: unknown = await loadSettings(options).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(failure instanceof PortolanError).toBe(isWrong);
        expect(Object.hasOwn(Object.prototype, 'enabled')).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('a project file without approval widens nothing', async () => {
    await fc.assert(
      fc.asyncProperty(settings, projectText, fc.constantFrom(PROJECT, SHARED), async (user, project, path) => {
        const texts = { [USER]: JSON.stringify(user) };
        const before = await inspectSettings(on(texts));
        const after = await inspectSettings(on({ ...texts, [path]: project }));
        expectNarrower(after.settings, before.settings);
      }),
      { numRuns: 500 },
    );
  });

  it('nothing widens the managed settings', async () => {
    await fc.assert(
      fc.asyncProperty(settings, settings, settings, async (user, project, managed) => {
        const texts = { [MANAGED]: JSON.stringify(managed) };
        const alone = (await inspectSettings(on(texts))).settings;
        const below = { ...texts, [USER]: JSON.stringify(user), [PROJECT]: JSON.stringify(project) };
        const all = (await inspectSettings(on(below, { isApproved: () => true }))).settings;
        if (managed.enabled === false) expect(all.enabled).toBe(false);
        if (managed.pluginOnly === true) expect(all.pluginOnly).toBe(true);
        if (managed.approval === 'all') expect(all.approval).toBe('all');
        if (managed.allowedMcpServers) expect(all.allowedMcpServers).toEqual(managed.allowedMcpServers);
        if (managed.passEnv?.length === 0) expect(all.passEnv).toEqual([]);
        expect(all.allowManagedMcpServersOnly).toBe(alone.allowManagedMcpServersOnly);
        expect(all.deniedMcpServers.slice(0, alone.deniedMcpServers.length)).toEqual(alone.deniedMcpServers);
        expect(all.toolRules.slice(0, alone.toolRules.length)).toEqual(alone.toolRules);
        if (managed.toolDefault === 'disabled') {
          expect(all.toolDefault).toBe('disabled');
          const below = all.toolRules.slice(alone.toolRules.length);
          expect(below.filter(({ enabled }) => enabled === true)).toEqual([]);
        }
        for (const key of ['timeouts', 'limits'] as const) {
          const limits = new Map(Object.entries(all[key]));
          for (const [name, limit] of Object.entries(managed[key] ?? {}))
            expect(limits.get(name)).toBeLessThanOrEqual(Number(limit));
        }
      }),
      { numRuns: 300 },
    );
  });
});
