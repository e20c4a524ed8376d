import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configure, fixture, isAlive, startsIn, until } from '../support/client-over-stdio.js';
import { type DaemonSetup, makeDaemonSetup } from '../support/daemon-harness.js';

/** A daemon that runs a server, and is then stopped with SIGSTOP. */
async function hungDaemon(setup: DaemonSetup) {
  const starts = join(setup.machine.home, 'starts');
  configure(setup.machine, { one: fixture(['--starts', starts]) });
  await setup.run(['daemon', 'start']);
  {
    // The server keeps running for a while after its client has left.
    await using client = await setup.client({ mode: 'require' });
    await client.execute('one', 'echo', { text: 'x' });
  }
  const pid = (await setup.pid()) ?? 0;
  process.kill(pid, 'SIGSTOP');
  return {
    pid,
    server: startsIn(starts)[0] ?? 0,
    [Symbol.dispose]: () => {
      if (isAlive(pid)) process.kill(pid, 'SIGCONT');
    },
  };
}

/** The text of a run and the time from its start to its exit. */
async function timed(setup: DaemonSetup, args: readonly string[]) {
  const began = performance.now();
  const { status, stdout, stderr } = await setup.run(args);
  return { status, text: `${stdout}${stderr}`, ms: performance.now() - began };
}

// The process identities that a forced stop depends on exist on POSIX systems only.
describe.runIf(process.platform !== 'win32')('a daemon that hangs', () => {
  it.each(['status', 'stop'])('is reported by `daemon %s` within 2 seconds, with its pid', async (word) => {
    await using setup = makeDaemonSetup();
    using hung = await hungDaemon(setup);
    // The start of the program alone, which a busy machine makes slow.
    const { ms: usual } = await timed(setup, ['--version']);
    const { status, text, ms } = await timed(setup, ['daemon', word]);
    expect(text).toContain(`The daemon, process ${hung.pid}, does not respond.`);
    expect(text).toContain('portolan daemon stop --force');
    expect(status).toBe(1);
    expect(ms - usual).toBeLessThan(2_000);
    expect(isAlive(hung.pid)).toBe(true);
    const { stdout } = await setup.run(['daemon', word, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ running: true, responding: false, pid: hung.pid });
  });

  it('is ended with its servers by `daemon stop --force`', async () => {
    await using setup = makeDaemonSetup();
    using hung = await hungDaemon(setup);
    expect(isAlive(hung.server)).toBe(true);
    const { status, text } = await timed(setup, ['daemon', 'stop', '--force']);
    expect(text).toBe(`The daemon, which ran as ${hung.pid}, has ended.\n`);
    expect(status).toBe(0);
    expect(isAlive(hung.pid)).toBe(false);
    await until(
      () => isAlive(hung.server),
      (alive) => !alive,
    );
  });

  it('is named by every command that asks the daemon', async () => {
    await using setup = makeDaemonSetup();
    using _hung = await hungDaemon(setup);
    for (const args of [['ps'], ['clients'], ['daemon', 'start']]) {
      const { status, text } = await timed(setup, args);
      expect([args, status !== 0, text]).toEqual([args, true, expect.stringContaining('portolan daemon stop --force')]);
    }
  });

  it('is not confused with another process that has its pid now', async () => {
    await using setup = makeDaemonSetup();
    using hung = await hungDaemon(setup);
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(other, 'spawn');
    try {
      const record = JSON.parse(readFileSync(`${setup.socket}.pid`, 'utf8'));
      expect(record.pid).toBe(hung.pid);
      // A record of an earlier process whose pid was given to another one: the start time differs.
      writeFileSync(`${setup.socket}.pid`, JSON.stringify({ ...record, pid: other.pid }), { mode: 0o600 });
      const { status, text } = await timed(setup, ['daemon', 'stop', '--force']);
      expect(text).toContain('the process id of the daemon is unknown, so it was not killed');
      expect(status).toBe(1);
      expect(isAlive(other.pid ?? 0)).toBe(true);
      expect(isAlive(hung.pid)).toBe(true);
    } finally {
      other.kill('SIGKILL');
    }
  });
});
