import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listed } from '../../../tests/fixtures/children/marked-processes.js';
import { entryOf, identityOf } from '../../base/index.js';
import { startGuardian } from './guardian.js';
import { ALL_STARTS_REPORTED, GUARDIAN_LIMITS, guardianScript } from './guardian-script.js';
import { openLaunchMark } from './launch-mark.js';

const server = join(dirname(fileURLToPath(import.meta.url)), '../../../tests/fixtures/children/server.mjs');
const LIMIT_MS = 20_000;
/** Fewer checks than in production, to save time. */
const QUICK = { ...GUARDIAN_LIMITS, checksBeforeKill: 3, minChecks: 3 };
/** Linux lets root choose the pid of the next process here. */
const LAST_NUMBER = '/proc/sys/kernel/ns_last_pid';

let folder = '';
const started: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portolan-guardian-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

interface Orphan {
  readonly pid: number;
  readonly pids: readonly number[];
  readonly gone: Promise<unknown>;
}

/** A server in its own session, and the pid of the process that it started in another session. */
const orphan = (...words: string[]): Promise<Orphan> => orphanWith('ignore', ...words);

async function orphanWith(mark: number | 'ignore', ...words: string[]): Promise<Orphan> {
  const options = { detached: true, stdio: ['ignore', 'pipe', 'ignore', mark] } satisfies SpawnOptions;
  const child = spawn(process.execPath, [server, ...words], options);
  started.push(child);
  const { stdout } = child;
  if (stdout === null) throw new Error('there is no stdout');
  const count = words.includes('detaches') ? 2 : 1;
  let text = '';
  while (text.split('\n').length <= count) text += (await once(stdout, 'data'))[0];
  const pids = [...text.matchAll(/ready (\d+)/g)].map(([, pid]) => Number(pid));
  return { pid: child.pid ?? 0, pids, gone: once(child, 'exit') };
}

const living = (pids: readonly number[]): number[] => pids.filter((pid) => identityOf(pid) !== undefined);

async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not so after ${LIMIT_MS} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const guardians = async (): Promise<number[]> =>
  (await listed())
    .filter(
      ({ parent, line, state }) =>
        parent === process.pid && line.includes('portolan-guardian') && !state.startsWith('Z'),
    )
    .map(({ pid }) => pid);

/** Gives the next process this pid, unless another process starts first. False without permission. */
function choseNext(pid: number): boolean {
  try {
    writeFileSync(LAST_NUMBER, String(pid - 1));
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('the script of the guardian', () => {
  const installed = ['/bin/sh', '/bin/bash', '/bin/ksh', '/bin/zsh', '/bin/busybox'].filter((one) => existsSync(one));
  const shells = [...new Map(installed.map((shell) => [realpathSync(shell), shell])).values()];
  const run = async (
    shell: string,
    list: string,
    text: string,
    mark: number | 'ignore' = 'ignore',
    limits = QUICK,
  ): Promise<void> => {
    const before = shell.endsWith('busybox') ? ['sh'] : [];
    const guardian = spawn(shell, [...before, '-c', guardianScript(limits), 'guardian-in-test', list], {
      detached: true,
      // Under the name `sh`, zsh behaves like sh; under its own name it does not split words.
      ...(shell.endsWith('zsh') && { argv0: 'sh' }),
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore', mark],
    });
    guardian.stdin?.end(text);
    await once(guardian, 'exit');
  };

  it.each(shells.flatMap((shell) => ['/proc', '/nowhere'].map((list) => ({ shell, list }))))(
    'ends the remaining processes of a group with $shell and $list, and none that was released or never named',
    async ({ shell, list }) => {
      const [watched, stubborn, released, other] = await Promise.all([
        orphan('background', 'detaches'),
        orphan('background', 'stubborn'),
        orphan('background'),
        orphan('background'),
      ]);
      const wrong = ['+', '-', '+0', '+1', '-1', '+-1', `+${other.pid}x`, `+x${other.pid}`, `${other.pid}`, '*', ''];
      const lines = [`+${released.pid}`, ...wrong, `+${watched.pid}`, `+${stubborn.pid}`, `-${released.pid}`, '-77'];
      // The last line has no line end, so its number may be incomplete.
      await run(shell, list, `${lines.join('\n')}\n+${other.pid}`);
      expect(living([...watched.pids, ...stubborn.pids])).toEqual([]);
      expect(living([released.pid, other.pid])).toEqual([released.pid, other.pid]);
    },
  );

  it.each(process.platform === 'linux' ? shells : [])(
    'ends young processes with our mark that were never named (%s)',
    async (shell) => {
      const marks = [openLaunchMark(folder) ?? -1, openLaunchMark(folder) ?? -1, openSync('/dev/null', 'r')] as const;
      const [mark, another, common] = marks;
      const [unnamed, second, ...others] = await Promise.all([
        orphanWith(mark, 'background', 'stubborn', 'detaches'),
        orphanWith(mark, 'background'),
        orphanWith(another, 'background'),
        orphanWith(common, 'background'),
        orphan('background'),
      ]);
      await run(shell, '/proc', '', mark);
      expect(living([...unnamed.pids, ...second.pids])).toEqual([]);
      const pids = others.flatMap((one) => one.pids);
      expect(living(pids)).toEqual(pids);
      for (const one of marks) closeSync(one);
    },
  );

  it.runIf(process.platform === 'linux')(
    'ignores the mark after an orderly end, without a mark, and for older processes',
    async () => {
      const mark = openLaunchMark(folder) ?? -1;
      const young = await orphanWith(mark, 'background');
      await run('/bin/sh', '/proc', ALL_STARTS_REPORTED, mark);
      await run('/bin/sh', '/proc', '');
      // A detached process keeps its mark and may outlive us, but it is older than this limit.
      await run('/bin/sh', '/proc', '', mark, { ...QUICK, youngTicks: 1 });
      expect(living(young.pids)).toEqual(young.pids);
      closeSync(mark);
    },
  );

  it('does not end a process that reuses the id of a group that is gone', async ({ skip }) => {
    // With the production limits, so that the script is still checking when the id is reused.
    const guardian = spawn('/bin/sh', ['-c', guardianScript(), 'guardian-in-test', '/proc'], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(guardian, 'exit');
    const gone = spawn('/bin/true', { detached: true, stdio: 'ignore' });
    await once(gone, 'exit');
    guardian.stdin.end(`+${gone.pid}\n`);
    await pause(100); // its first check, which cannot be observed from outside
    if (!choseNext(gone.pid ?? 0)) skip('the number of a process cannot be chosen here');
    const unrelated = spawn('/bin/sleep', ['60'], { detached: true, stdio: 'ignore' });
    started.push(unrelated);
    await ended;
    // If another process took the pid first, this run proves nothing.
    expect(living([unrelated.pid ?? 0])).toEqual([unrelated.pid]);
  });

  it('closes an inherited pipe while it waits', async () => {
    const guardian = spawn('/bin/sh', ['-c', guardianScript(QUICK), 'guardian-in-test', '/proc'], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore', 'ignore', 'pipe'],
    });
    started.push(guardian);
    const pipe = guardian.stdio[4];
    if (!(pipe instanceof Readable)) throw new Error('there is no pipe');
    await once(pipe.resume(), 'end');
    expect(guardian.exitCode).toBe(null);
    guardian.stdin?.end();
    expect(await once(guardian, 'exit')).toEqual([0, null]);
  });
});

/** Whether the process ignores SIGTERM by now. Other platforms do not show this, so wait long enough. */
async function heedsNoTerm(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return pause(500, true);
  const ignored = /^SigIgn:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${ignored}`) & (1n << BigInt(constants.signals.SIGTERM - 1))) !== 0n;
}

describe.skipIf(process.platform === 'win32')('startGuardian', () => {
  it('starts one shell for all children, on demand and without our environment and output', async () => {
    const before = await guardians();
    await using guardian = startGuardian({ folder });
    expect(await guardians()).toEqual(before);
    guardian.prepare();
    guardian.prepare();
    const [pid = 0, ...more] = (await guardians()).filter((one) => !before.includes(one));
    expect(more).toEqual([]);
    expect(entryOf(pid)?.group).toBe(pid);
    if (process.platform !== 'linux') return;
    expect(
      readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .filter((line) => !/^(?:PATH=|$)/.test(line)),
    ).toEqual([]);
    expect([1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))).toEqual(['/dev/null', '/dev/null']);
  });

  it('ends watched groups when it is closed, and removes the record', async () => {
    const one = await orphan('background', 'stubborn');
    {
      await using guardian = startGuardian({ folder: join(folder, 'deep', 'er') });
      guardian.watch(one.pid);
      const [name = ''] = await readdir(join(folder, 'deep', 'er'));
      const record = JSON.parse(readFileSync(join(folder, 'deep', 'er', name), 'utf8'));
      expect(record).toEqual({ owner: identityOf(process.pid), leaders: [identityOf(one.pid)] });
      expect([
        statSync(join(folder, 'deep', 'er', name)).mode & 0o777,
        statSync(join(folder, 'deep', 'er')).mode & 0o777,
      ]).toEqual([0o600, 0o700]);
    }
    expect(living([one.pid])).toEqual([]);
    expect(await readdir(join(folder, 'deep', 'er'))).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'gives every child the mark, ends no marked child on an orderly end and closes the descriptor',
    async () => {
      let mark: number | 'ignore' = 'ignore';
      let one: Orphan;
      {
        await using guardian = startGuardian({ folder });
        mark = guardian.prepare();
        expect(guardian.prepare()).toBe(mark);
        one = await orphanWith(mark, 'background');
        expect(fstatSync(Number(mark))).toMatchObject({ nlink: 0, size: 0 });
        expect(statSync(`/proc/${one.pid}/fd/3`).ino).toBe(fstatSync(Number(mark)).ino);
      }
      expect(living(one.pids)).toEqual(one.pids);
      expect(existsSync(`/proc/self/fd/${mark}`) && readlinkSync(`/proc/self/fd/${mark}`)).not.toContain(folder);
    },
  );

  it('does not end a released group', async () => {
    const one = await orphan('background');
    {
      await using guardian = startGuardian({ folder });
      guardian.watch(one.pid);
      guardian.release(one.pid);
      guardian.release(one.pid);
    }
    expect(living([one.pid])).toEqual([one.pid]);
  });

  it('restarts a killed shell, which still ends the watched groups', async () => {
    const one = await orphan('background');
    const problems: string[] = [];
    const before = await guardians();
    {
      await using guardian = startGuardian({ folder, onProblem: (message) => problems.push(message) });
      guardian.watch(one.pid);
      const [first = 0] = (await guardians()).filter((pid) => !before.includes(pid));
      await eventually(() => heedsNoTerm(first)); // SIGTERM would end a shell that has not run `trap` yet
      process.kill(first, 'SIGTERM');
      process.kill(first, 'SIGKILL');
      await eventually(async () => (await guardians()).some((pid) => pid !== first && !before.includes(pid)));
      expect(problems).toEqual([expect.stringContaining('SIGKILL')]);
      expect(living([one.pid])).toEqual([one.pid]);
    }
    expect(living([one.pid])).toEqual([]);
  });

  it('reports a record that cannot be written, and still watches', async () => {
    const one = await orphan('background');
    const problems: string[] = [];
    {
      await using guardian = startGuardian({ folder: '/dev/null/x', onProblem: (message) => problems.push(message) });
      guardian.watch(one.pid);
    }
    expect(problems).toContainEqual(expect.stringContaining('cannot record'));
    expect(living([one.pid])).toEqual([]);
  });

  it.each([0, 1, -5, 1.5, Number.NaN])('refuses to watch %d', (group) => {
    expect(() => startGuardian({ folder }).watch(group)).toThrow('not a process group');
  });
});
