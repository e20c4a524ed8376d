import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Execution, toDraft } from './audit-line.js';
import { openAuditLog } from './audit-log.js';
import { ChainWriter } from './chain-writer.js';
import { readAudit } from './read-audit.js';

const CALL: Execution = {
  client: 'c',
  server: 's',
  tool: 't',
  argumentsText: '{}',
  outcome: 'ok',
  durationMs: 1,
  bytes: 1,
};

/** A log with one recorded call, whose directory is then deleted. */
async function takenAway() {
  const top = mkdtempSync(join(tmpdir(), 'portolan-audit-'));
  const folder = join(top, 'audit');
  const open = (pid: number) => openAuditLog({ folder, warn: (warning) => expect.unreachable(warning), pid });
  // Whether the head was written before the directory was deleted depends on timing, so its warnings are ignored.
  const log = openAuditLog({ folder, warn: () => undefined, pid: 1 });
  log.record(CALL);
  const isWritten = () => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.jsonl'));
  while (!isWritten() || (await readAudit(folder)).total < 1) await pause(20);
  rmSync(folder, { recursive: true });
  return { log, folder, open, [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }) };
}

const statesIn = async (folder: string) => (await readAudit(folder)).chains.map(({ state }) => state);

it.skipIf(process.platform === 'win32')('reports the missing lines of a log whose directory was deleted', async () => {
  using here = await takenAway();
  here.log.record(CALL);
  await here.log[Symbol.asyncDispose]();
  await using other = here.open(2);
  other.record(CALL);
  await other[Symbol.asyncDispose]();
  expect(await statesIn(here.folder)).toMatchObject([
    { kind: 'broken', because: 'file-missing' },
    { kind: 'ok', unsealed: 0 },
  ]);
});

it.skipIf(process.platform === 'win32')(
  'begins a new chain if another process created a new key in the meantime',
  async () => {
    using here = await takenAway();
    await using other = here.open(2);
    other.record(CALL);
    await other[Symbol.asyncDispose]();
    here.log.record(CALL);
    await here.log[Symbol.asyncDispose]();
    expect(await statesIn(here.folder)).toEqual(Array(2).fill({ kind: 'ok', unsealed: 0 }));
  },
);

it.skipIf(process.platform === 'win32')('continues if the directory was deleted between lines and head', async () => {
  const top = mkdtempSync(join(tmpdir(), 'portolan-audit-'));
  const folder = join(top, 'audit');
  const options = { pid: 1, isAlive: () => true, now: Date.now, maxFileBytes: 1_000_000, keepFiles: 10 };
  await using writer = new ChainWriter({ folder, ...options });
  const draft = toDraft(CALL, Date.now());
  await expect(writer.append([draft], 0, () => rmSync(folder, { recursive: true }))).rejects.toThrow('ENOENT');
  await writer.append([draft], 0, () => undefined);
  expect(await statesIn(folder)).toMatchObject([{ kind: 'broken', because: 'file-missing' }]);
  rmSync(top, { recursive: true, force: true });
});
