import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Execution, NO_HASH } from './audit-line.js';
import { type AuditLogOptions, MAX_QUEUED, openAuditLog } from './audit-log.js';
import { sealHead } from './chain-head.js';
import { MAX_BATCH_ENTRIES } from './chain-writer.js';
import { readAudit } from './read-audit.js';

const CALL: Execution = {
  client: 'cursor',
  server: 'github',
  tool: 'create_issue',
  argumentsText: '{"password":"hunter2"}',
  outcome: 'ok',
  durationMs: 12.3456,
  bytes: 99,
};

interface Place extends Disposable {
  readonly folder: string;
  readonly warnings: string[];
  readonly options: AuditLogOptions;
}

/** A directory that does not exist yet. */
function place(): Place {
  const top = mkdtempSync(join(tmpdir(), 'portolan-audit-'));
  const folder = join(top, 'state', 'audit');
  const warnings: string[] = [];
  const options = { folder, warn: (message: string) => warnings.push(message) };
  return { folder, warnings, options, [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }) };
}

async function recorded(options: AuditLogOptions, calls: readonly Partial<Execution>[]): Promise<void> {
  await using log = openAuditLog(options);
  for (const call of calls) log.record({ ...CALL, ...call });
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 400 && !(await isTrue()); n += 1) await pause(25);
}

/** Waits until the head seals all written lines. */
const sealed = (folder: string) =>
  until(async () => {
    const { total, chains } = await readAudit(folder);
    return total > 0 && chains.every(({ state }) => state.kind === 'ok' && state.unsealed === 0);
  });

const numbered = (count: number): Partial<Execution>[] => Array.from({ length: count }, (_, n) => ({ tool: `t${n}` }));
const linesOf = (folder: string, ending = '.jsonl'): string[] =>
  readdirSync(folder).filter((name) => name.endsWith(ending));

describe('openAuditLog', () => {
  it('writes all lines, even if a name is not a string', async () => {
    using here = place();
    await recorded(here.options, [{ tool: 'a' }, { tool: undefined as never, server: {} as never }, { tool: 'b' }]);
    const { entries } = await readAudit(here.folder);
    expect(entries.map(({ tool }) => tool)).toEqual(['a', 'undefined', 'b']);
    expect(here.warnings).toEqual([]);
  });

  it('records tool and outcome of each call, in order', async () => {
    using here = place();
    let now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    await recorded({ ...here.options, pid: 77, now: () => now++ }, [
      {},
      { outcome: 'TOOL_NOT_FOUND', durationMs: Number.NaN, bytes: -1, argumentsText: '' },
    ]);
    const { entries, chains } = await readAudit(here.folder);
    const [chain = ''] = chains.map((one) => one.chain);
    expect(chain).toMatch(/^77-[0-9a-f]{12}$/);
    const { argumentsText: _, ...call } = CALL;
    const argumentsHash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(entries).toEqual([
      {
        ...call,
        durationMs: 12.346,
        chain,
        sequence: 1,
        at: '2026-01-02T03:04:05.006Z',
        argumentsHash,
        argumentBytes: 22,
      },
      {
        ...call,
        ...{ outcome: 'TOOL_NOT_FOUND', durationMs: 0, bytes: 0, argumentBytes: 0 },
        ...{ chain, sequence: 2, at: '2026-01-02T03:04:05.007Z', argumentsHash },
      },
    ]);
    const [file = ''] = linesOf(here.folder);
    expect(file).toBe(`20260102T030405008Z-${chain}.jsonl`);
    expect(chains).toEqual([{ chain, files: [file], count: 3, state: { kind: 'ok', unsealed: 0 } }]);
    expect(here.warnings).toEqual([]);
  });

  it('creates no file before the first call', async () => {
    using here = place();
    await recorded(here.options, []);
    expect(existsSync(here.folder)).toBe(false);
    expect(await readAudit(here.folder)).toEqual({ entries: [], total: 0, chains: [] });
  });

  it.skipIf(process.platform === 'win32')('is private, even in a directory that was open to others', async () => {
    using here = place();
    mkdirSync(here.folder, { recursive: true });
    chmodSync(here.folder, 0o777);
    await recorded(here.options, [{}]);
    const modes = readdirSync(here.folder).map((name) => statSync(join(here.folder, name)).mode & 0o777);
    expect([statSync(here.folder).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600, 0o600]);
  });

  it('writes no arguments, only a hash that depends on the key', async () => {
    using here = place();
    using there = place();
    const calls = [{}, {}, { argumentsText: '{"password":"hunter3"}' }];
    for (const { options } of [here, here, there]) await recorded(options, calls);
    const hashes: string[] = [];
    for (const { folder } of [here, there]) {
      for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).not.toContain('hunter');
      hashes.push(...(await readAudit(folder)).entries.map((entry) => entry.argumentsHash));
    }
    const kinds = hashes.map((hash) => hashes.indexOf(hash));
    expect(kinds.toSorted()).toEqual([0, 0, 0, 0, 2, 2, 6, 6, 8]);
  });

  it('truncates names and escapes line breaks in them', async () => {
    using here = place();
    const odd = '"}\n{"sequence":1\u0000\u2028\ud800';
    await recorded(here.options, [{ client: 'c'.repeat(100_000), server: odd, tool: '\u0001'.repeat(5_000) }]);
    const { entries, chains } = await readAudit(here.folder);
    expect(entries.map(({ client, server, tool }) => ({ client, server, tool }))).toEqual([
      { client: `${'c'.repeat(200)}…`, server: odd, tool: `${'\u0001'.repeat(200)}…` },
    ]);
    expect(chains).toMatchObject([{ count: 2, state: { kind: 'ok' } }]);
  });

  it('writes and seals after a short time', async () => {
    using here = place();
    await using log = openAuditLog(here.options);
    for (let n = 0; n < 300; n += 1) {
      log.record(CALL);
      if (n % 100 === 0) await pause(60);
    }
    await until(async () => (await readAudit(here.folder)).total === 300);
    const { total, chains } = await readAudit(here.folder);
    expect([total, chains[0]?.state]).toEqual([300, { kind: 'ok', unsealed: 0 }]);
  });

  it('starts another file when one is full, and deletes the oldest', async () => {
    using here = place();
    let now = 1_700_000_000_000;
    const options = { ...here.options, now: () => now, maxFileBytes: 40_000, keepFiles: 3, flushMs: 10 };
    await using log = openAuditLog(options);
    const reached: number[] = [];
    for (let n = 0; n < 1_500; n += 1) {
      now -= 1; // a clock that goes back must not change the order of files
      log.record({ ...CALL, tool: `t${n}` });
      if (n % 100 === 99) {
        await until(async () => (await readAudit(here.folder)).entries.some((entry) => entry.tool === `t${n}`));
        const { chains, total } = await readAudit(here.folder);
        expect(chains).toMatchObject([{ state: { kind: 'ok' } }]);
        reached.push(total);
      }
    }
    expect(linesOf(here.folder)).toHaveLength(3);
    expect(reached.at(-1)).toBeLessThan(600);
    const { entries } = await readAudit(here.folder);
    const tools = entries.map((entry) => entry.tool).toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
    expect(tools).toEqual(
      numbered(1_500)
        .slice(-tools.length)
        .map(({ tool }) => tool),
    );
  });

  it('deletes files and heads of ended processes, but not of live ones', async () => {
    using here = place();
    let now = 1_700_000_000_000;
    const options = { ...here.options, now: () => now++, keepFiles: 3 };
    for (const pid of [1, 2, 3, 4, 5, 6]) await recorded({ ...options, pid, isAlive: (one) => one === 2 }, [{}]);
    const pids = (names: string[]): string[] => names.map((name) => /(\d+)-[0-9a-f]{12}\./.exec(name)?.[1] ?? '');
    expect(pids(linesOf(here.folder))).toEqual(['2', '5', '6']);
    expect(pids(linesOf(here.folder, '.head'))).toEqual(['2', '5', '6']);
    const { chains } = await readAudit(here.folder);
    expect(chains.map(({ state }) => state)).toEqual(Array(3).fill({ kind: 'ok', unsealed: 0 }));
  });

  it.skipIf(process.platform === 'win32')('starts another file after its own was deleted', async () => {
    using here = place();
    const options = { ...here.options, keepFiles: 1, isAlive: () => false };
    await using log = openAuditLog(options);
    log.record(CALL);
    await until(() => existsSync(here.folder) && linesOf(here.folder).length === 1);
    await sealed(here.folder);
    await recorded({ ...options, pid: 1 }, [{ tool: 'other' }]);
    log.record({ ...CALL, tool: 'later' });
    await until(async () => (await readAudit(here.folder)).entries.some(({ tool }) => tool === 'later'));
    const { entries, chains } = await readAudit(here.folder);
    expect(entries.map(({ tool }) => tool)).toEqual(['later']);
    expect(chains).toMatchObject([{ count: 4, state: { kind: 'ok' } }]);
  });

  it('warns once of a disk error, continues when possible, and counts lost entries', async () => {
    using here = place();
    mkdirSync(join(here.folder, '..'), { recursive: true });
    writeFileSync(here.folder, 'in the way');
    await using log = openAuditLog({ ...here.options, retryMs: 50 });
    for (let n = 0; n < MAX_QUEUED + 5; n += 1) log.record(CALL);
    await until(() => here.warnings.length > 0);
    await pause(300); // several further tries, none of which warns again
    expect(here.warnings).toEqual([expect.stringContaining('the audit log could not be written')]);
    rmSync(here.folder);
    await until(async () => existsSync(here.folder) && (await readAudit(here.folder)).total === MAX_QUEUED);
    const { total, chains } = await readAudit(here.folder);
    expect([total, chains[0]?.count, chains[0]?.state.kind]).toEqual([MAX_QUEUED, MAX_QUEUED + 2, 'ok']);
    const [file = ''] = linesOf(here.folder);
    expect(readFileSync(join(here.folder, file), 'utf8')).toContain('"lost":5,');
    expect(here.warnings).toHaveLength(1);
  });

  it('writes no second batch before a failed head is written', async () => {
    using here = place();
    await using log = openAuditLog(here.options);
    log.record(CALL);
    await sealed(here.folder);
    const head = join(here.folder, linesOf(here.folder, '.head')[0] ?? '');
    const headBytes = readFileSync(head);
    rmSync(head);
    mkdirSync(head);
    const calls = 4 * MAX_BATCH_ENTRIES;
    for (let n = 0; n < calls; n += 1) log.record(CALL);
    await until(() => here.warnings.length > 0);
    // One further try, which must not write another batch. The next try is after the end of the test.
    await pause(1_200);
    rmSync(head, { recursive: true });
    writeFileSync(head, headBytes);
    expect((await readAudit(here.folder)).chains).toMatchObject([
      { count: MAX_BATCH_ENTRIES + 2, state: { kind: 'ok', unsealed: MAX_BATCH_ENTRIES } },
    ]);
    await until(async () => (await readAudit(here.folder)).total === calls + 1);
    await log[Symbol.asyncDispose]();
    expect((await readAudit(here.folder)).chains).toMatchObject([
      { count: calls + 2, state: { kind: 'ok', unsealed: 0 } },
    ]);
  });

  it('reports unwritten entries on close, and does not wait for them', async () => {
    using here = place();
    mkdirSync(join(here.folder, '..'), { recursive: true });
    writeFileSync(here.folder, 'in the way');
    await recorded(here.options, [{}, {}]);
    expect(here.warnings.at(-1)).toBe('the audit log is missing the last 2 executions');
  });

  it.skipIf(process.platform === 'win32').each([
    { title: 'a link instead of the folder', make: (at: string, other: string) => symlinkSync(other, at) },
    {
      title: 'a link instead of the key',
      make: (at: string, other: string) => {
        mkdirSync(at);
        writeFileSync(join(other, 'mine'), 'a'.repeat(64));
        symlinkSync(join(other, 'mine'), join(at, 'key'));
      },
    },
    {
      title: 'a pipe instead of the key',
      make: (at: string) => {
        mkdirSync(at);
        spawnSync('mkfifo', [join(at, 'key')]);
      },
    },
  ])('rejects $title', async ({ make }) => {
    using here = place();
    const other = join(here.folder, '..', 'other');
    mkdirSync(other, { recursive: true });
    make(here.folder, other);
    await recorded(here.options, [{}]);
    expect(here.warnings).toHaveLength(2);
    expect([...readdirSync(here.folder), ...readdirSync(other)].filter((name) => name.includes('.'))).toEqual([]);
  });

  it('reports no fault while it is read and written at the same time', async () => {
    using here = place();
    const options = { ...here.options, maxFileBytes: 30_000, keepFiles: 4 };
    const logs = [1, 2, 3].map((pid) => openAuditLog({ ...options, pid, isAlive: () => true }));
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; n < 60; n += 1) {
        for (const log of logs) for (let k = 0; k < 30; k += 1) log.record(CALL);
        await pause(10);
      }
      isOver = true;
    })();
    const broken: unknown[] = [];
    let readings = 0;
    for (; !isOver; readings += 1) {
      const { chains } = await readAudit(here.folder);
      broken.push(...chains.filter(({ state }) => state.kind === 'broken'));
    }
    await writing;
    for (const log of logs) await log[Symbol.asyncDispose]();
    expect(readings).toBeGreaterThan(3);
    expect(broken).toEqual([]);
  });
});

describe('readAudit', () => {
  it('returns the newest entries of all chains in order, optionally of one server', async () => {
    using here = place();
    const clock = { now: 1_700_000_000_000 };
    const options = { ...here.options, now: () => clock.now };
    const logs = ['a', 'b'].map((client) => ({ client, log: openAuditLog(options) }));
    for (let n = 0; n < 10; n += 1) {
      for (const { client, log } of logs) {
        clock.now += 1;
        log.record({ ...CALL, client, tool: `${client}${n}`, server: n % 2 === 0 ? 'even' : 'odd' });
      }
    }
    for (const { log } of logs) await log[Symbol.asyncDispose]();
    const tools = async (asked: object) => {
      const { entries, total, chains } = await readAudit(here.folder, { verify: false, ...asked });
      return [entries.map(({ tool }) => tool).join(' '), total, chains.length];
    };
    expect(await tools({ last: 3 })).toEqual(['b8 a9 b9', 20, 0]);
    expect(await tools({ last: 3, servers: new Set(['even']), verify: true })).toEqual(['b6 a8 b8', 10, 2]);
    expect(await tools({ servers: new Set(['none']) })).toEqual(['', 0, 0]);
  });

  it.each([
    { title: 'before the first line', makeFile: true, chains: [{ count: 0, state: { kind: 'ok', unsealed: 0 } }] },
    { title: 'before the first file', makeFile: false, chains: [] },
  ])('reports no fault for a process killed $title', async ({ makeFile, chains }) => {
    using here = place();
    await recorded(here.options, [{}]);
    const key = readFileSync(join(here.folder, 'key'), 'utf8').trim();
    const [chain, file] = ['9-aaaaaaaaaaaa', '20300101T000000000Z-9-aaaaaaaaaaaa.jsonl'];
    writeFileSync(
      join(here.folder, `${chain}.head`),
      sealHead({ chain, count: 0, hash: NO_HASH, file, floor: '' }, key),
    );
    if (makeFile) writeFileSync(join(here.folder, file), '');
    const reading = await readAudit(here.folder);
    expect(reading.chains.filter((one) => one.chain === chain)).toMatchObject(chains);
  });

  it('ignores files whose name is not that of a chain', async () => {
    using here = place();
    await recorded(here.options, [{}]);
    for (const name of ['notes.jsonl', '99999999T999999999Z-1-aaaaaaaaaaaa.jsonl', 'x.head', '1-aaaaaaaaaaaa.head.old'])
      writeFileSync(join(here.folder, name), '{}\n');
    expect((await readAudit(here.folder)).chains).toMatchObject([{ count: 2, state: { kind: 'ok' } }]);
  });
});
