import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../base/index.js';
import { snapshotFile } from './pyodide-snapshot.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-snapshot-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A plan whose build command is this script. */
const plan = (script: string, key = 'k') => ({
  folder,
  name: 'pyodide',
  key,
  maker: { command: process.execPath, args: ['-e', script] },
  log: silentLog,
});
const content = (path: string | undefined) => (path === undefined ? undefined : readFileSync(path, 'utf8'));

describe('snapshotFile', () => {
  it('creates a snapshot once', async () => {
    const first = await snapshotFile(plan('process.stdout.write("memory")'));
    const second = await snapshotFile(plan('process.exit(1)'));
    expect({ first: content(first), same: second === first }).toEqual({ first: 'memory', same: true });
  });

  it('ignores a file that was changed', async () => {
    const first = await snapshotFile(plan('process.stdout.write("memory")'));
    writeFileSync(first ?? '', 'memor');
    expect(content(await snapshotFile(plan('process.stdout.write("memory")')))).toBe('memory');
  });

  it('replaces the snapshot of another version and keeps other files', async () => {
    writeFileSync(join(folder, 'deno-x.snapshot'), '');
    await snapshotFile(plan('process.stdout.write("old")', 'old'));
    await snapshotFile(plan('process.stdout.write("new")', 'new'));
    const names = readdirSync(folder).sort();
    expect(names).toEqual(['deno-x.snapshot', expect.stringMatching(/^pyodide-/)]);
  });

  it('returns nothing if no snapshot can be created', async () => {
    expect(await snapshotFile(plan('process.stdout.write("half"); process.exitCode = 3'))).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });
});
