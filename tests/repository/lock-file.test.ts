import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-lock-'));
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, name), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface LockedPackage {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

describe('package-lock.json', () => {
  const packages: Readonly<Record<string, LockedPackage>> = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ).packages;

  it('agrees with package.json, so that npm ci installs it', { timeout: 120_000 }, () => {
    // Without the local cache, npm would request each package from the registry.
    const args = ['ci', '--dry-run', '--prefer-offline', '--ignore-scripts', '--json'];
    const { status, stderr } = spawnSync('npm', args, {
      cwd: folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('lists the packages of every platform', () => {
    const names = Object.keys(packages);
    const missing = Object.entries(packages).flatMap(([name, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((wanted) => !names.some((one) => one.endsWith(`node_modules/${wanted}`)))
        .map((wanted) => `${name} -> ${wanted}`),
    );
    expect(missing).toEqual([]);
  });

  it('names no download host', () => {
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
