import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { memoryOf } from './process-memory.js';

const FILLED_BYTES = 64 * 2 ** 20;
/** Fills memory itself, or in a child that has left its process group and session. */
const FILL = `const held = Buffer.alloc(${FILLED_BYTES}, 1); process.stdout.write('ready'); setInterval(() => held.length, 1000);`;
const HAVE_FILLED = `const { spawn } = require('node:child_process');
spawn(process.execPath, ['-e', ${JSON.stringify(FILL)}], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] });
setInterval(() => undefined, 1000);`;

describe.skipIf(process.platform === 'win32')('memoryOf', () => {
  it.each([
    { title: 'a process', script: FILL },
    { title: 'a process and its child in another session', script: HAVE_FILLED },
  ])('counts $title', async ({ script }) => {
    const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = child.pid ?? expect.unreachable('it did not start');
    const started: number[] = [pid];
    try {
      await once(child.stdout, 'data');
      const memory = await memoryOf([pid, 2 ** 22 + 7]);
      expect([...memory.keys()]).toEqual([pid]);
      expect(memory.get(pid)).toBeGreaterThan(FILLED_BYTES);
      expect(memory.get(pid)).toBeLessThan(FILLED_BYTES + 200 * 2 ** 20);
      started.push(...(await childrenOf(pid)));
    } finally {
      for (const one of started) process.kill(one, 'SIGKILL');
    }
  });

  it('returns nothing for no processes', async () => {
    expect(await memoryOf([])).toEqual(new Map());
  });
});

async function childrenOf(parent: number): Promise<number[]> {
  const { allProcesses } = await import('../base/index.js');
  return ((await allProcesses()) ?? []).filter((one) => one.parent === parent).map(({ pid }) => pid);
}
