import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Machine, makeMachine } from '../../tests/support/machine.js';
import { diskFiles } from '../base/index.js';
import { inspectSettings, loadSettings, type SettingsOptions } from './load-settings.js';

function on({ home, project, root }: Machine, more: Partial<SettingsOptions> = {}): SettingsOptions {
  return { platform: 'linux', home, cwd: project, env: {}, root, files: diskFiles, ...more };
}

const TYPED = `import type { Anything } from 'nowhere';
import { tmpdir } from 'node:os';
enum Engine { Off = 'off' }
const ttl: number = await Promise.resolve(tmpdir().length > 0 ? 7 : 8);
export default { cache: { ttl }, sandbox: { engine: Engine.Off }, toolRules: [{ pattern: [/issue/i] }] } satisfies Anything;
`;

describe('settings that are code', () => {
  it.each([
    { title: 'TypeScript', name: 'portolan.config.ts', text: TYPED },
    { title: 'a TypeScript module', name: 'portolan.config.mts', text: TYPED },
    {
      title: 'JavaScript with import',
      name: 'portolan.config.js',
      text: `export default async () => ({ cache: { ttl: 7 }, sandbox: { engine: 'off' }, toolRules: [{ pattern: ['/issue/i'] }] });`,
    },
    {
      title: 'JavaScript with require',
      name: 'portolan.config.js',
      text: `const { ttl } = require('./ttl.json'); module.exports = { cache: { ttl }, sandbox: { engine: 'off' }, toolRules: [{ pattern: ['/issue/i'] }] };`,
    },
    {
      title: 'several files',
      name: 'portolan.config.mjs',
      text: `import { ttl } from './ttl.ts'; export default { cache: { ttl }, sandbox: { engine: 'off' }, toolRules: [{ pattern: ['/issue/i'] }] };`,
    },
  ])('run from the folder of the user if written as $title', async ({ name, text }) => {
    using machine = makeMachine();
    machine.write({
      [`~/.config/portolan/${name}`]: text,
      '~/.config/portolan/ttl.ts': 'export const ttl: number = 7;',
      '~/.config/portolan/ttl.json': '{"ttl": 7}',
    });
    const { settings, problems } = await loadSettings(on(machine));
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      cache: { enabled: true, ttl: 7 },
      sandbox: { engine: 'off' },
      toolRules: [{ pattern: ['/issue/i'] }],
    });
  });

  it.each([
    'portolan.config.ts',
    'portolan.config.mts',
    'portolan.config.js',
    'portolan.config.mjs',
    'anygpt.config.ts',
  ])('CVE-2025-59536: %s of a project does not run before its text is approved', { tags: 'S14' }, async (name) => {
    using machine = makeMachine();
    const [path, canary] = [machine.path(`<project>/${name}`), machine.path('<project>/canary')];
    const settings = name.startsWith('anygpt') ? '{ discovery: { enabled: false } }' : '{ enabled: false }';
    const text = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(canary)}, ''); export default ${settings};`;
    machine.write({ [`<project>/${name}`]: text });
    const before = await loadSettings(on(machine));
    expect([before.settings.enabled, before.waiting, existsSync(canary)]).toEqual([true, [{ path, text }], false]);
    expect(before.problems).toMatchObject([{ code: 'settings-unapproved', source: path }]);

    const isApproved = (file: string, approved: string) => file === path && approved === text;
    writeFileSync(path, `${text} `);
    expect((await loadSettings(on(machine, { isApproved }))).settings.enabled).toBe(true);
    expect(existsSync(canary)).toBe(false);

    writeFileSync(path, text);
    expect((await loadSettings(on(machine, { isApproved }))).settings.enabled).toBe(false);
    expect(existsSync(canary)).toBe(true);
  });

  it('runs the approved text, not a later version of the file', async () => {
    using machine = makeMachine();
    const path = machine.path('<project>/portolan.config.js');
    machine.write({ '<project>/portolan.config.js': 'export default { cache: { ttl: 1 } };' });
    const isApproved = () => {
      writeFileSync(path, 'export default { cache: { ttl: 666 } };');
      return true;
    };
    expect((await loadSettings(on(machine, { isApproved }))).settings.cache.ttl).toBe(1);
  });

  it.each(['import "./more.ts";', 'require("./more.ts");', 'await import("./more.ts");', 'export * from "evil";'])(
    'are limited to one file in a project, even if approved: %s',
    async (line) => {
      using machine = makeMachine();
      const canary = machine.path('<project>/canary');
      const write = `require('node:fs').writeFileSync(${JSON.stringify(canary)}, '');`;
      machine.write({
        '<project>/portolan.config.ts': `${line}\nexport default {};`,
        '<project>/more.ts': write,
        '<project>/node_modules/evil/index.js': write,
        '<project>/node_modules/jiti/index.js': write,
      });
      const { problems } = await inspectSettings(on(machine, { isApproved: () => true }));
      expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('this one file only') }]);
      expect(existsSync(canary)).toBe(false);
    },
  );

  it.each([
    { title: 'has a syntax error', text: 'export default {\n  a: ,\n};', message: 'Unexpected token', line: 2 },
    { title: 'throws', text: '\n\nthrow new Error("no luck");', message: 'no luck', line: 3 },
    { title: 'throws a value that is not an Error', text: 'throw 7;', message: '7' },
    { title: 'imports a missing module', text: 'import "./none.ts"; export default {};', message: 'none.ts' },
    { title: 'ends the process', text: 'process.exit(0);', message: 'ended the process' },
    { title: 'runs forever', text: 'for (;;) {}', message: 'did not finish within 1.5 s' },
    {
      title: 'waits forever',
      text: 'await new Promise(() => setInterval(() => {}, 1000));',
      message: 'did not finish',
    },
    {
      title: 'exports a function in its settings',
      text: 'export default { share: { a() {} } };',
      message: '"a" is a function',
    },
    {
      title: 'exports a circular value',
      text: 'const a: any = {}; a.cache = a; export default a;',
      message: 'circular',
    },
    { title: 'exports a list', text: 'export default [];', message: 'the top level is not a map' },
    {
      title: 'sends invalid messages',
      text: `require('node:worker_threads').parentPort.postMessage({ json: '{' });`,
      message: 'invalid message',
    },
    { title: 'sets an unknown key', text: 'export default { nope: 1 };', message: '"nope" is not a known setting' },
  ])('are reported with file and line if the code $title', async ({ title, text, message, line }) => {
    using machine = makeMachine();
    machine.write({ '~/.config/portolan/portolan.config.ts': text });
    const source = machine.path('~/.config/portolan/portolan.config.ts');
    const codeTimeoutMs = title.includes('ever') ? 1500 : 20_000;
    const { problems } = await inspectSettings(on(machine, { codeTimeoutMs }));
    expect(problems).toMatchObject([
      { code: 'settings-invalid', severity: 'error', source, message: expect.stringContaining(message) },
    ]);
    if (line !== undefined) expect(problems[0]?.line).toBe(line);
  });

  it('get only the variables passed to them', async () => {
    using machine = makeMachine();
    const text = 'export default { client: { id: String(process.env.WHO) + String(process.env.PATH) } };';
    machine.write({ '~/.config/portolan/portolan.config.ts': text });
    const { settings } = await loadSettings(on(machine, { env: { WHO: 'me' } }));
    expect(settings.client.id).toBe('meundefined');
  });
});

describe('anygpt.config.ts', () => {
  it('uses only the discovery section, whatever else it contains', async () => {
    using machine = makeMachine();
    const discovery = `{ enabled: true, cache: { enabled: false, ttl: 9, size: 3 }, sources: [{ path: 'a', type: 'file' }], toolRules: [{ pattern: ['a'] }], extra: 1 }`;
    machine.write({
      '~/.config/portolan/anygpt.config.ts': `export default { providers: { x: () => 1 }, discovery: ${discovery} };`,
    });
    const { settings, problems } = await loadSettings(on(machine));
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      enabled: true,
      cache: { enabled: false, ttl: 9 },
      sources: [{ path: 'a' }],
      toolRules: [{ pattern: ['a'] }],
    });
  });

  it.each([
    { title: 'no section', text: 'export default { providers: {} };', problems: [] },
    {
      title: 'a circular value in another section',
      text: 'const a = {}; a.a = a; export default { providers: a };',
      problems: [],
    },
    {
      title: 'a wrong type in the section',
      text: 'export default { discovery: { cache: { ttl: "1h" } } };',
      problems: [{ severity: 'error', message: '"discovery.cache.ttl" is not a number' }],
    },
  ])('may contain $title', async ({ text, problems }) => {
    using machine = makeMachine();
    machine.write({ '~/.config/portolan/anygpt.config.ts': text });
    expect((await inspectSettings(on(machine))).problems).toMatchObject(problems);
  });
});
