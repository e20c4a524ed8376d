import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canProbablyRun, installedEngines } from './installed-engine.js';
import { storeProbeResult } from './probe-cache.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-engines-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('canProbablyRun', () => {
  it.each(['off', 'chroot', ''])('reports no engine for the setting %j', (wanted) => {
    expect(canProbablyRun(wanted, folder)).toBe(false);
  });

  // Pyodide is installed as a development dependency.
  it('reports an installed engine until its probe failed, and again when the installed engines change', async () => {
    const verdict = { wanted: 'pyodide', installed: installedEngines('pyodide', folder) };
    expect(verdict.installed).toEqual(['pyodide']);
    expect(canProbablyRun('pyodide', folder)).toBe(true);
    await storeProbeResult(folder, { ...verdict, installed: ['deno', 'pyodide'] }, false);
    expect(canProbablyRun('pyodide', folder)).toBe(true);
    await storeProbeResult(folder, verdict, false);
    expect(canProbablyRun('pyodide', folder)).toBe(false);
    await storeProbeResult(folder, verdict, true);
    expect(canProbablyRun('pyodide', folder)).toBe(true);
  });

  it.each([
    { title: 'an expired result', text: JSON.stringify({ works: false, at: Date.now() - 25 * 60 * 60 * 1000 }) },
    { title: 'a result from the future', text: JSON.stringify({ works: false, at: Date.now() + 25 * 60 * 60 * 1000 }) },
    { title: 'a malformed result', text: '{"works":false}' },
    { title: 'a truncated result', text: '{"works":fal' },
  ])('does not believe $title', async ({ text }) => {
    await storeProbeResult(folder, { wanted: 'pyodide', installed: ['pyodide'] }, false);
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), text);
    expect(canProbablyRun('pyodide', folder)).toBe(true);
  });

  it('writes no file for an engine that works and never failed', async () => {
    await storeProbeResult(folder, { wanted: 'auto', installed: ['bwrap'] }, true);
    expect(readdirSync(folder)).toEqual([]);
  });
});
