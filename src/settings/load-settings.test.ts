import { describe, expect, it } from 'vitest';
import { failingOn, memoryFiles } from '../../tests/fakes/memory-files.js';
import { DEFAULTS } from './default-settings.js';
import { inspectSettings, loadSettings, type SettingsOptions } from './load-settings.js';
import { LOADERS } from './read-settings-file.js';

const USER = '/h/.config/portolan/portolan.config.json';
const PROJECT = '/p/portolan.config.json';
const MANAGED = '/etc/portolan/managed-settings.json';

type Texts = Readonly<Record<string, string | object>>;

function on(texts: Texts, more: Partial<SettingsOptions> = {}): SettingsOptions {
  const written = Object.entries(texts).map(([path, text]) => [
    path,
    typeof text === 'string' ? text : JSON.stringify(text),
  ]);
  const files = memoryFiles(Object.fromEntries(written));
  return { platform: 'linux', home: '/h', cwd: '/p', env: {}, root: '', files, ...more };
}

const kinds = (sources: readonly { path: string; kind: string }[]) =>
  Object.fromEntries(sources.filter(({ kind }) => kind !== 'absent').map(({ path, kind }) => [path, kind]));

describe('without any settings', () => {
  it('everything has its default, and neither schemas nor a code loader are loaded', async () => {
    const forbidden = () => Promise.reject(new Error('loaded for nothing'));
    const loaded = await loadSettings(on({}, { loaders: { check: forbidden, runCode: forbidden } }));
    expect(loaded.settings).toBe(DEFAULTS);
    expect(loaded).toMatchObject({ problems: [], layers: [], origins: {}, waiting: [] });
    expect(loaded.sources.map(({ path }) => path)).toEqual([
      ...['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `/h/.config/portolan/portolan.config.${ending}`),
      ...['ts', 'json'].map((ending) => `/h/.config/portolan/anygpt.config.${ending}`),
      ...['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `/p/portolan.config.${ending}`),
      ...['ts', 'json'].map((ending) => `/p/anygpt.config.${ending}`),
      MANAGED,
    ]);
  });

  it.each([
    { platform: 'linux', env: {}, path: '/etc/portolan/managed-settings.json' },
    { platform: 'darwin', env: {}, path: '/Library/Application Support/Portolan/managed-settings.json' },
    { platform: 'win32', env: {}, path: '/ProgramData/Portolan/managed-settings.json' },
    { platform: 'win32', env: { PROGRAMDATA: 'D:\\Data' }, path: '/Data/Portolan/managed-settings.json' },
    { platform: 'win32', env: { PROGRAMDATA: 'D:\\Data' }, path: '/ProgramData/Portolan/managed-settings.json' },
    { platform: 'win32', env: { ProgramData: '.' }, path: '/C/ProgramData/Portolan/managed-settings.json' },
  ] as const)('managed settings on $platform are read from $path', async ({ platform, env, path }) => {
    const { settings } = await loadSettings(
      on({ [`/tree${path}`]: { enabled: false } }, { platform, env, root: '/tree' }),
    );
    expect(settings.enabled).toBe(false);
  });

  it('XDG_CONFIG_HOME determines the directory of the user, unless it is relative', async () => {
    const texts = { '/x/portolan/portolan.config.json': { cache: { ttl: 1 } }, [USER]: { cache: { ttl: 2 } } };
    const ttl = async (env: Record<string, string>) => (await loadSettings(on(texts, { env }))).settings.cache.ttl;
    expect([await ttl({ XDG_CONFIG_HOME: '/x' }), await ttl({ XDG_CONFIG_HOME: 'x' })]).toEqual([1, 2]);
  });
});

describe('precedence of settings', () => {
  it.each<{ title: string; texts: Texts; env?: Record<string, string>; expected: object }>([
    {
      title: 'a project lowers a limit of the user',
      texts: { [USER]: { timeouts: { callMs: 9_000 } }, [PROJECT]: { timeouts: { callMs: 5_000 } } },
      expected: { timeouts: { ...DEFAULTS.timeouts, callMs: 5_000 } },
    },
    {
      title: 'a project cannot raise a limit',
      texts: { [USER]: { timeouts: { callMs: 9_000 } }, [PROJECT]: { timeouts: { callMs: 9_001 } } },
      expected: { timeouts: { ...DEFAULTS.timeouts, callMs: 9_000 } },
    },
    {
      title: 'rules of a project and of the user are combined',
      texts: {
        [USER]: { toolRules: [{ pattern: ['*'], enabled: true }] },
        [PROJECT]: { toolRules: [{ pattern: ['*delete*'], enabled: false }] },
      },
      expected: {
        toolRules: [
          { pattern: ['*delete*'], enabled: false },
          { pattern: ['*'], enabled: true },
        ],
      },
    },
    {
      title: 'a project cannot extend an allow-list of tools set by a variable',
      texts: { [PROJECT]: { toolDefault: 'enabled', toolRules: [{ pattern: ['*'], enabled: true, tags: ['t'] }] } },
      env: { PORTOLAN_TOOL_DEFAULT: 'disabled' },
      expected: { toolDefault: 'disabled', toolRules: [{ pattern: ['*'], tags: ['t'] }] },
    },
    {
      title: 'managed settings override user, project and variables',
      texts: { [USER]: { approval: 'project' }, [MANAGED]: { approval: 'all', limits: { queue: 2 } } },
      env: { PORTOLAN_APPROVAL: 'project', PORTOLAN_LIMITS_QUEUE: '9' },
      expected: { approval: 'all', limits: { ...DEFAULTS.limits, queue: 2 } },
    },
    {
      title: 'a variable overrides the files of the user',
      texts: { [USER]: { cache: { enabled: true, ttl: 5 } } },
      env: { PORTOLAN_CACHE_ENABLED: '0', PORTOLAN_CACHE_TTL: '7', PORTOLAN_ENABLED: '', PORTOLAN_TOKEN: 'x' },
      expected: { cache: { enabled: false, ttl: 7 }, enabled: true },
    },
    {
      title: 'only managed settings can ignore the other lists',
      texts: { [USER]: { allowManagedMcpServersOnly: true, allowedMcpServers: [{ serverName: 'a' }] } },
      expected: { allowManagedMcpServersOnly: false, allowedMcpServers: [{ serverName: 'a' }] },
    },
  ])('$title', async ({ texts, env = {}, expected }) => {
    expect((await loadSettings(on(texts, { env }))).settings).toMatchObject(expected);
  });

  it('reports each ignored key of a project, and applies it after approval of the text', async () => {
    const options = on({ [PROJECT]: { enabled: false, sources: [{ path: 'x.json' }], passEnv: ['KEY'] } });
    const before = await loadSettings(options);
    expect(before.settings).toEqual({ ...DEFAULTS, enabled: false });
    expect(kinds(before.sources)).toEqual({ [PROJECT]: 'partly' });
    expect(before.problems).toMatchObject(
      ['sources', 'passEnv'].map((key) => ({
        code: 'settings-unapproved',
        severity: 'warning',
        source: PROJECT,
        message: expect.stringContaining(`"${key}"`),
      })),
    );
    const [waiting] = before.waiting;
    const isApproved = (path: string, text: string) => path === waiting?.path && text === waiting.text;
    const after = await loadSettings({ ...options, isApproved });
    expect(after.settings).toEqual({ ...DEFAULTS, enabled: false, sources: [{ path: 'x.json' }], passEnv: ['KEY'] });
    expect(after).toMatchObject({ problems: [], waiting: [] });
  });

  it('reads one file of a directory and reports the others', async () => {
    const second = '/h/.config/portolan/portolan.config.json';
    const loaders = {
      ...LOADERS,
      runCode: async () => async () => ({ kind: 'value', value: { enabled: false } }) as const,
    };
    const texts = { '/h/.config/portolan/portolan.config.js': 'export default {}', [second]: { cache: { ttl: 1 } } };
    const { settings, problems, sources } = await loadSettings(on(texts, { loaders }));
    expect([settings.enabled, settings.cache.ttl]).toEqual([false, 3600]);
    expect(kinds(sources)).toMatchObject({ [second]: 'ignored' });
    expect(problems).toMatchObject([{ code: 'settings-ignored', source: second }]);
  });

  it.each([
    { title: 'in the folder of the user', path: '/h/.config/portolan/anygpt.config.json', own: USER },
    { title: 'in the project', path: '/p/anygpt.config.json', own: PROJECT },
  ])('reads anygpt.config.json $title unless portolan.config.* is in the same folder', async ({ path, own }) => {
    const shared = { version: 1, providers: { a: {} }, discovery: { enabled: false, cache: { ttl: 7 }, more: 1 } };
    const alone = await loadSettings(on({ [path]: shared }));
    expect([alone.settings.enabled, alone.settings.cache.ttl, alone.problems]).toEqual([false, 7, []]);
    const both = await loadSettings(on({ [path]: shared, [own]: { cache: { ttl: 8 } } }));
    expect([both.settings.enabled, both.settings.cache.ttl]).toEqual([true, 8]);
    expect(both.problems).toMatchObject([
      { code: 'settings-ignored', severity: 'info', source: path, message: expect.stringContaining(own) },
    ]);
  });

  it('reads anygpt.config.json of the project if portolan.config.json is only in the directory of the user', async () => {
    const texts = { [USER]: { cache: { ttl: 8 } }, '/p/anygpt.config.json': { discovery: { cache: { ttl: 7 } } } };
    expect((await loadSettings(on(texts))).settings.cache.ttl).toBe(7);
  });

  it('applies only restrictions of a project’s anygpt.config.json until its text is approved', async () => {
    const path = '/p/anygpt.config.json';
    const text = JSON.stringify({
      ...{ passEnv: ['KEY'], timeouts: { callMs: 1_000_000 } },
      discovery: { cache: { ttl: 1e6 }, toolRules: [{ pattern: ['a'], enabled: false }] },
    });
    const before = await loadSettings(on({ [path]: text }));
    expect(before.settings).toMatchObject({
      ...{ passEnv: [], timeouts: DEFAULTS.timeouts, cache: DEFAULTS.cache },
      toolRules: [{ pattern: ['a'], enabled: false }],
    });
    expect([kinds(before.sources), before.waiting]).toEqual([{ [path]: 'partly' }, [{ path, text }]]);
    const isApproved = (file: string, approved: string) => file === path && approved === text;
    const after = await loadSettings(on({ [path]: text }, { isApproved }));
    expect(after.settings).toMatchObject({ passEnv: ['KEY'], cache: { ttl: 1e6 } });
    expect((await loadSettings(on({ [path]: `${text} ` }, { isApproved }))).settings.passEnv).toEqual([]);
  });

  it('reads a directory that is both the project and the user’s own once, as the user’s', async () => {
    const { settings, waiting } = await loadSettings(
      on({ [USER]: { passEnv: ['A'] } }, { cwd: '/h/.config/portolan' }),
    );
    expect([settings.passEnv, waiting]).toEqual([['A'], []]);
  });

  it('does not trust a user directory inside the project', async () => {
    const texts = { '/p/.cfg/portolan/portolan.config.json': { passEnv: ['A'] } };
    const env = { XDG_CONFIG_HOME: '/p/.cfg' };
    const [inside, atHome] = await Promise.all([on(texts, { env }), on(texts, { env, home: '/p' })].map(loadSettings));
    expect([inside?.settings.passEnv, atHome?.settings.passEnv]).toEqual([[], ['A']]);
  });

  it('records the source of each value', async () => {
    const texts = { [USER]: { cache: { ttl: 5 } }, [MANAGED]: { pluginOnly: true } };
    const { origins } = await loadSettings(
      on(texts, { env: { PORTOLAN_TIMEOUTS_CALL_MS: '1' }, overrides: { share: { a: 'session' } } }),
    );
    expect(origins).toEqual({
      'cache.ttl': [{ kind: 'file', path: USER, line: 1 }],
      pluginOnly: [{ kind: 'file', path: MANAGED, line: 1 }],
      'timeouts.callMs': [{ kind: 'environment', variable: 'PORTOLAN_TIMEOUTS_CALL_MS' }],
      'share.a': [{ kind: 'options' }],
    });
  });
});

describe('invalid settings', () => {
  it.each<{ title: string; texts: Texts; env?: Record<string, string>; says: string }>([
    { title: 'of the user', texts: { [USER]: '{\n"enabled": 1}' }, says: `${USER}:2: "enabled" is not true or false` },
    { title: 'of the project', texts: { [PROJECT]: { what: 1 } }, says: `${PROJECT}:1: "what" is not a known setting` },
    { title: 'in managed settings', texts: { [MANAGED]: '{' }, says: `${MANAGED}:1: not valid JSON` },
    { title: 'that are a folder', texts: { [`${USER}/x`]: '' }, says: `${USER}: is a folder` },
    {
      title: 'in a variable',
      texts: {},
      env: { PORTOLAN_CACHE_TTL: 'soon' },
      says: '$PORTOLAN_CACHE_TTL: "cache.ttl" is not a number',
    },
  ])('stop the start if they are $title', async ({ texts, env = {}, says }) => {
    await expect(loadSettings(on(texts, { env }))).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining(says),
    });
  });

  it('disable everything for inspection if they are managed settings', async () => {
    const { settings, sources } = await inspectSettings(on({ [MANAGED]: '{', [USER]: { cache: { ttl: 1 } } }));
    expect(settings.enabled).toBe(false);
    expect(kinds(sources)).toEqual({ [USER]: 'used', [MANAGED]: 'broken' });
  });

  it('are never ignored after a disk error in any file', async () => {
    const options = on({
      [USER]: { cache: { ttl: 1 } },
      [PROJECT]: { enabled: false },
      [MANAGED]: { pluginOnly: true },
    });
    for (let n = 1; ; n += 1) {
      const files = failingOn(n, options.files);
      const loaded = await inspectSettings({ ...options, files });
      if (files.asked().length < n) {
        expect(loaded.problems).toEqual([]);
        break; // every read has failed once
      }
      expect(loaded.problems.filter(({ severity }) => severity === 'error')).toHaveLength(1);
    }
  });
});
