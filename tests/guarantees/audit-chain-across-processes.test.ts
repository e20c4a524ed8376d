import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChainVerdict, readAudit } from '../../src/audit/index.js';

describe('the audit log of several processes', { tags: 'S10' }, () => {
  const top = mkdtempSync(join(tmpdir(), 'portolan-s10-'));
  const program = join(top, 'writer.mjs');
  const children = new Set<ReturnType<typeof start>>();

  beforeAll(async () => {
    const entry = join(import.meta.dirname, '../../src/audit/index.ts');
    const code = `
      import { openAuditLog } from ${JSON.stringify(entry)};
      const log = openAuditLog({ folder: process.argv[2], warn: console.error, maxFileBytes: 20_000, keepFiles: 1_000 });
      const call = { client: 'c', server: 's', tool: 't', argumentsText: '{}', outcome: 'ok', durationMs: 1, bytes: 1 };
      let left = Number(process.argv[3]);
      const timer = setInterval(async () => {
        for (let n = 0; n < 40 && left > 0; n += 1, left -= 1) log.record(call);
        if (left > 0) return;
        clearInterval(timer);
        await log[Symbol.asyncDispose]();
      }, 1);`;
    const stdin = { contents: code, resolveDir: top };
    await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: program, logLevel: 'error' });
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(top, { recursive: true, force: true });
  });

  function start(folder: string, count: number) {
    const child = spawn(process.execPath, [program, folder, String(count)], { stdio: ['ignore', 'ignore', 'pipe'] });
    children.add(child);
    child.on('exit', () => children.delete(child));
    return child;
  }

  const broken = (chains: readonly ChainVerdict[]): readonly ChainVerdict[] =>
    chains.filter(({ state }) => state.kind === 'broken');

  it('has one key, and one chain for each process, if they start at the same time', async () => {
    const folder = join(top, 'race');
    const running = Array.from({ length: 6 }, () => start(folder, 100));
    expect(await Promise.all(running.map(async (child) => (await once(child, 'exit'))[0]))).toEqual(Array(6).fill(0));
    const { chains, total } = await readAudit(folder);
    expect({ total, states: chains.map(({ state }) => state) }).toEqual({
      total: 600,
      states: Array(6).fill({ kind: 'ok', unsealed: 0 }),
    });
  });

  it('reports no attack after kill -9', async () => {
    const folder = join(top, 'killed');
    mkdirSync(folder, { mode: 0o700 });
    const left: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const child = start(folder, 1_000_000);
      const ended = once(child, 'exit');
      // The first ones are killed while they start, the others while they write.
      if (n >= 4) await expect.poll(() => readdirSync(folder).join()).toContain(`Z-${child.pid}-`);
      await pause(n < 4 ? 150 + 37 * n : 37 * (n - 4));
      child.kill('SIGKILL');
      await ended;
      const { chains, total } = await readAudit(folder);
      expect(broken(chains)).toEqual([]);
      left.push(total);
    }
    expect(left.at(-1)).toBeGreaterThan(100);
  });
});
