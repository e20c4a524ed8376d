import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Execution } from './audit-line.js';
import { type AuditLog, openAuditLog } from './audit-log.js';
import { readAudit } from './read-audit.js';

const CALL: Execution = {
  ...{ client: 'cursor', server: 'github', tool: 'create_issue', argumentsText: '{}' },
  ...{ outcome: 'ok', durationMs: 1, bytes: 9 },
};

interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly warnings: string[];
  readonly log: AuditLog;
}

function place(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-bursts-'));
  const warnings: string[] = [];
  const log = openAuditLog({ folder, warn: (message) => warnings.push(message) });
  const leave = async () => {
    await log[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, warnings, log, [Symbol.asyncDispose]: leave };
}

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));
const headOf = (folder: string): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith('.head')) ?? 'none');

describe('the audit log in a burst of calls', () => {
  it('writes nothing during the burst, and everything in order after it', async () => {
    await using here = place();
    for (let n = 0; n < 1_000; n += 1) here.log.record({ ...CALL, tool: `t${n}` });
    await turnOfLoop();
    expect(readdirSync(here.folder)).toEqual([]);
    await expect.poll(async () => (await readAudit(here.folder)).total).toBe(1_000);
    const { entries, chains } = await readAudit(here.folder, { last: 1_000 });
    expect(entries.map(({ tool }) => tool)).toEqual(Array.from({ length: 1_000 }, (_, n) => `t${n}`));
    expect(chains).toMatchObject([{ count: 1_001, state: { kind: 'ok' } }]);
  });

  it('limits the number of pending entries', async () => {
    await using here = place();
    vi.useFakeTimers({ toFake: ['setTimeout'] }); // the timer alone would never fire
    try {
      const wereWritten = async (count: number, withinMs: number) => {
        for (let n = 0; n < count; n += 1) here.log.record(CALL);
        const deadline = performance.now() + withinMs;
        while (performance.now() < deadline && !existsSync(headOf(here.folder))) await turnOfLoop();
        return existsSync(headOf(here.folder));
      };
      expect([await wereWritten(4_000, 500), await wereWritten(100, 30_000)]).toEqual([false, true]);
    } finally {
      vi.useRealTimers();
    }
    await expect.poll(async () => (await readAudit(here.folder)).total).toBe(4_100);
  });

  it('loses no entry of a burst without pauses', async () => {
    await using here = place();
    for (let n = 0; n < 12_000; n += 1) {
      here.log.record(CALL);
      if (n % 40 === 0) await pause(1);
    }
    await expect.poll(async () => (await readAudit(here.folder)).total, { timeout: 60_000 }).toBe(12_000);
    expect(here.warnings).toEqual([]);
  });

  it('overwrites its head in place, and creates it again if it was deleted', async () => {
    await using here = place();
    const written = async (total: number) => {
      here.log.record(CALL);
      const state = async () => {
        const { total: written, chains } = await readAudit(here.folder);
        return { written, states: chains.map((chain) => chain.state) };
      };
      // The head is written after its lines.
      await expect.poll(state).toEqual({ written: total, states: [{ kind: 'ok', unsealed: 0 }] });
      return statSync(headOf(here.folder)).ino;
    };
    const first = await written(1);
    expect(await written(2)).toBe(first);
    unlinkSync(headOf(here.folder));
    await written(3);
    expect((await readAudit(here.folder)).chains).toMatchObject([{ count: 4, state: { kind: 'ok', unsealed: 0 } }]);
  });
});
