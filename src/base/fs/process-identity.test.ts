import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { allProcesses, currentBoot, entryOf, identityOf, isAlive, parsePs, parseStat } from './process-identity.js';

const tail = `1 77 70 0 -1 4194304 101 0 0 0 0 0 0 0 20 0 1 0 1044694 3133440 412`;
const parsed = { pid: 57, parent: 1, group: 77, session: 70, start: '1044694', isDead: false };

describe('parseStat', () => {
  it.each([
    { title: 'a plain name', text: `57 (cat) R ${tail}`, expected: parsed },
    { title: 'a name with brackets and spaces', text: `57 (a) Z 9 (b) c) S ${tail}`, expected: parsed },
    { title: 'a name with a line break', text: `57 (a\n) Z 1 1) S ${tail}`, expected: parsed },
    { title: 'a zombie', text: `57 (cat) Z ${tail}`, expected: { ...parsed, isDead: true } },
    { title: 'an exiting process', text: `57 (cat) X ${tail}`, expected: { ...parsed, isDead: true } },
    { title: 'an empty text', text: '', expected: undefined },
    { title: 'an incomplete line', text: '57 (cat) R 1 77', expected: undefined },
  ])('parses $title', ({ text, expected }) => {
    expect(parseStat(text)).toEqual(expected);
  });
});

describe('parsePs', () => {
  it('reads the requested columns and skips other lines', () => {
    const text = [
      '    1     0     1 Ss   Mon Nov 16 04:38:14 2026',
      ' 4321     1  4300 Z+   Tue Dec  1 00:00:00 2026    ',
      'ps: no such column',
      '',
    ].join('\n');
    expect(parsePs(text)).toEqual([
      { pid: 1, parent: 0, group: 1, session: 0, start: '1794803894', isDead: false },
      { pid: 4321, parent: 1, group: 4300, session: 0, start: '1796083200', isDead: true },
    ]);
  });
});

describe.skipIf(process.platform === 'win32')('the identity of a process', () => {
  it('stays the same as long as the process runs', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => 0, 60_000)'], { stdio: 'ignore' });
    const identity = identityOf(child.pid ?? 0);
    if (identity === undefined) throw new Error('a running process has an identity');
    expect(identityOf(identity.pid)).toEqual(identity);
    expect(isAlive(identity)).toBe(true);
    expect((await allProcesses())?.find(({ pid }) => pid === identity.pid)).toMatchObject({
      parent: process.pid,
      start: identity.start,
      isDead: false,
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(identity)).toBe(false);
    expect(identityOf(identity.pid)).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('is read for all processes without allocating a buffer for each', async () => {
    await allProcesses();
    const before = process.memoryUsage().arrayBuffers;
    for (let look = 0; look < 5; look += 1) await allProcesses();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024);
  });

  it('differs from another process with the same pid, start time or machine', () => {
    const mine = identityOf(process.pid);
    if (mine === undefined) throw new Error('we have an identity');
    expect(mine.boot).toBe(currentBoot());
    expect(isAlive(mine)).toBe(true);
    expect(isAlive({ ...mine, start: `${mine.start}0` })).toBe(false);
    expect(isAlive({ ...mine, boot: 'other' })).toBe(false);
  });

  it('treats a zombie as dead', async () => {
    // The shell replaces itself with a program that never reaps its child.
    const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [text] = await once(parent.stdout, 'data');
    const pid = Number(text);
    const deadline = performance.now() + 10_000;
    while (entryOf(pid)?.isDead === false && performance.now() < deadline)
      await new Promise((go) => setTimeout(go, 20));
    expect({ entry: entryOf(pid)?.isDead, identity: identityOf(pid) }).toEqual({ entry: true, identity: undefined });
    parent.kill('SIGKILL');
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31 - 1])('is undefined for pid %d', (pid) => {
    expect(identityOf(pid)).toBeUndefined();
  });
});
