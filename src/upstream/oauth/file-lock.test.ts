import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from './file-lock.js';

let folder = '';
let path = '';
const LIMITS = { waitMs: 10_000, heldMs: 60_000 };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-lock-'));
  path = join(folder, 'x.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The pid of a killed process. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => 0, 60_000)'], { stdio: 'ignore' });
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await over;
  return child.pid ?? 0;
}

describe('withFileLock', () => {
  it('runs one action at a time and removes its files', async () => {
    let inside = 0;
    let most = 0;
    const act = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => withFileLock(path, LIMITS, act)));
    expect([most, readdirSync(folder)]).toEqual([1, []]);
  });

  it('is released after a failed action', async () => {
    await expect(withFileLock(path, LIMITS, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withFileLock(path, LIMITS, async () => 'yes')).toBe('yes');
  });

  it('is taken over from a killed process', async () => {
    writeFileSync(path, `${await deadPid()} abc`);
    expect(await withFileLock(path, LIMITS, async () => 'yes')).toBe('yes');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    { title: 'by a process whose pid is in use again', holder: `${process.pid} abc` },
    { title: 'by a process that was killed before it wrote its name', holder: '' },
    { title: 'with text that is not a pid', holder: 'hello' },
  ])('is taken over if it was left long ago $title', async ({ holder }) => {
    writeFileSync(path, holder);
    utimesSync(path, new Date(), new Date(Date.now() - 2 * LIMITS.heldMs));
    expect(await withFileLock(path, LIMITS, async () => 'yes')).toBe('yes');
  });

  it('is not taken over from a living process, and the wait times out', async () => {
    writeFileSync(path, `${process.pid} abc`);
    const waiting = withFileLock(path, { ...LIMITS, waitMs: 200 }, async () => 'yes');
    await expect(waiting).rejects.toMatchObject({ code: 'WRITE_FAILED', message: expect.stringContaining('x.lock') });
    expect(readdirSync(folder)).toEqual(['x.lock']);
  });

  it('is taken over by only one of many waiting processes', async () => {
    const dead = await deadPid();
    let inside = 0;
    let most = 0;
    const act = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 2));
      inside -= 1;
    };
    for (let round = 0; round < 5; round += 1) {
      writeFileSync(path, `${dead} abc`);
      await Promise.all(Array.from({ length: 12 }, () => withFileLock(path, LIMITS, act)));
    }
    expect([most, readdirSync(folder)]).toEqual([1, []]);
  });
});
