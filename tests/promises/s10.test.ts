import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditLog, type ChainVerdict, openAuditLog, readAudit } from '../../src/gateway/audit/index.js';

const top = mkdtempSync(join(tmpdir(), 'portolan-s10-'));
const ORIGINAL = join(top, 'original');
const EARLIER = join(top, 'earlier');
afterAll(() => rmSync(top, { recursive: true, force: true }));

const CHAINS = ['a', 'b', 'c'] as const;
type Name = (typeof CHAINS)[number];
const clock = { now: Date.UTC(2026, 0, 1) };

function open(pid: number, folder = ORIGINAL): AuditLog {
  const warn = (message: string) => expect.unreachable(message);
  return openAuditLog({ folder, warn, pid, now: () => clock.now++, maxFileBytes: 10_000, isAlive: () => true });
}

async function record(log: AuditLog, tool: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const call = { client: 'client', server: 'server', argumentsText: `{"n":${n}}`, outcome: 'ok' } as const;
    log.record({ ...call, tool: `${tool}${n}`, durationMs: 1, bytes: n });
    if (n % 50 === 49) await pause(60);
  }
}

/** Chains `a` and `b` with several files each, and `c` that began when both were done. */
beforeAll(async () => {
  const [a, b] = [open(1), open(2)];
  await record(a, 'a', 60);
  for (let n = 0; n < 100 && (await readAudit(ORIGINAL)).total < 60; n += 1) await pause(50);
  cpSync(ORIGINAL, EARLIER, { recursive: true });
  await record(a, 'a', 150);
  await record(b, 'b', 150);
  for (const log of [a, b]) await log[Symbol.asyncDispose]();
  await using c = open(3);
  await record(c, 'c', 5);
});

/** A copy of the folder, and what an attacker without the key can do to it. */
class Copy implements Disposable {
  readonly folder = mkdtempSync(join(top, 'copy-'));

  constructor() {
    cpSync(ORIGINAL, this.folder, { recursive: true });
  }

  files(chain: Name, folder = this.folder): string[] {
    const mark = `-${CHAINS.indexOf(chain) + 1}-`;
    const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl') && name.includes(mark));
    return names.toSorted().map((name) => join(folder, name));
  }

  file(chain: Name, place = 0): string {
    return this.files(chain).at(place) ?? expect.unreachable('no such file');
  }

  head(chain: Name, folder = this.folder): string {
    const name = readdirSync(folder).find((one) => one.startsWith(`${CHAINS.indexOf(chain) + 1}-`));
    return join(folder, name ?? expect.unreachable('no such head'));
  }

  lines(path: string): string[] {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  }

  /** Writes the file again with its lines changed. */
  edit(path: string, change: (lines: string[]) => readonly string[]): void {
    writeFileSync(
      path,
      change(this.lines(path))
        .map((line) => `${line}\n`)
        .join(''),
    );
  }

  /** All chains that do not hold, by the names above. */
  async broken(): Promise<Partial<Record<Name, string>>> {
    const { chains } = await readAudit(this.folder);
    return Object.fromEntries(
      chains.flatMap(({ chain, state }) => {
        const name = CHAINS[Number(chain.split('-')[0]) - 1];
        return state.kind === 'broken' && name ? [[name, state.because]] : [];
      }),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const swap = (lines: string[], n: number): string[] => lines.with(n, lines[n + 1] ?? '').with(n + 1, lines[n] ?? '');

interface Attack {
  readonly title: string;
  readonly attack: (copy: Copy) => void;
  readonly broken: Partial<Record<Name, string>>;
}

const ATTACKS: readonly Attack[] = [
  { title: 'nothing at all', attack: () => undefined, broken: {} },
  {
    title: 'an edited outcome',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.with(5, lines[5]?.replace('"ok"', '"no"') ?? '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a space that changes no value',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.with(5, lines[5]?.replace(',', ', ') ?? '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'an edited first line',
    attack: (copy) =>
      copy.edit(copy.file('a', 1), (lines) => lines.with(0, lines[0]?.replace('"seen":{', '"seen":{ ') ?? '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a line whose number follows, with no hash that fits',
    attack: (copy) =>
      copy.edit(copy.file('a'), (lines) => lines.with(5, (lines[4] ?? '').replace('"sequence":4', '"sequence":5'))),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a dropped line',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.toSpliced(7, 1)),
    broken: { a: 'line-missing' },
  },
  {
    title: 'a dropped first line',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.slice(1)),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a line twice',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.toSpliced(7, 0, lines[6] ?? '')),
    broken: { a: 'line-missing' },
  },
  {
    title: 'two lines in the other order',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => swap(lines, 7)),
    broken: { a: 'line-missing' },
  },
  {
    title: 'an empty line',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.toSpliced(7, 0, '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'its last line cut off',
    attack: (copy) => copy.edit(copy.file('a', -1), (lines) => lines.slice(0, -1)),
    broken: { a: 'line-missing' },
  },
  {
    title: 'the last byte cut off',
    attack: (copy) => truncateSync(copy.file('a', -1), readFileSync(copy.file('a', -1)).length - 1),
    broken: { a: 'line-missing' },
  },
  {
    title: 'the end of an earlier file cut off',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.slice(0, -1)),
    broken: { a: 'line-missing' },
  },
  { title: 'an emptied file', attack: (copy) => truncateSync(copy.file('a', 1)), broken: { a: 'file-missing' } },
  { title: 'an emptied last file', attack: (copy) => truncateSync(copy.file('a', -1)), broken: { a: 'line-missing' } },
  { title: 'the first file removed', attack: (copy) => rmSync(copy.file('a')), broken: { a: 'file-missing' } },
  { title: 'a file in the middle removed', attack: (copy) => rmSync(copy.file('a', 1)), broken: { a: 'file-missing' } },
  { title: 'the last file removed', attack: (copy) => rmSync(copy.file('a', -1)), broken: { a: 'line-missing' } },
  {
    title: 'all files removed',
    attack: (copy) => copy.files('a').forEach((path) => void rmSync(path)),
    broken: { a: 'line-missing' },
  },
  {
    title: 'a line out of another chain',
    attack: (copy) => copy.edit(copy.file('a'), (lines) => lines.with(7, copy.lines(copy.file('b'))[7] ?? '')),
    broken: { a: 'line-changed' },
  },
  {
    title: 'the lines of another chain after its own',
    attack: (copy) => appendFileSync(copy.file('a', -1), readFileSync(copy.file('b', -1))),
    broken: { a: 'line-missing' },
  },
  {
    title: 'a line with a hash of its own',
    attack: (copy) => {
      const [first = ''] = copy.lines(copy.file('a', -1));
      const next = copy
        .lines(copy.file('a', -1))
        .at(-1)
        ?.match(/"sequence":(\d+)/)?.[1];
      appendFileSync(copy.file('a', -1), `${first.replace(/"sequence":\d+/, `"sequence":${Number(next) + 1}`)}\n`);
    },
    broken: { a: 'line-changed' },
  },
  {
    title: 'words after its last line',
    attack: (copy) => appendFileSync(copy.file('a', -1), 'x'),
    broken: { a: 'line-changed' },
  },
  {
    title: 'the beginning of the next line after an earlier file',
    attack: (copy) => {
      const [next = ''] = copy.lines(copy.file('a', 1));
      appendFileSync(copy.file('a'), next.slice(0, 20));
    },
    broken: { a: 'line-missing' },
  },
  {
    title: 'a line that does not end',
    attack: (copy) => appendFileSync(copy.file('a', -1), 'x'.repeat(1_000_000)),
    broken: { a: 'line-changed' },
  },
  {
    title: 'a file in the place of another of its chain',
    attack: (copy) => copyFileSync(copy.file('a'), copy.file('a', 1)),
    broken: { a: 'file-moved' },
  },
  {
    title: 'a file in the place of another chain',
    attack: (copy) => copyFileSync(copy.file('b'), copy.file('a')),
    broken: { a: 'file-moved' },
  },
  {
    title: 'a file under another time',
    attack: (copy) => renameSync(copy.file('a'), copy.file('a').replace('20260101T', '20250101T')),
    broken: { a: 'file-moved' },
  },
  { title: 'a head removed', attack: (copy) => rmSync(copy.head('a')), broken: { a: 'head-missing' } },
  {
    title: 'an edited head',
    attack: (copy) => copy.edit(copy.head('a'), ([line = '']) => [line.replace(/"count":\d+/, '"count":3')]),
    broken: { a: 'head-missing' },
  },
  {
    title: 'the head of another chain',
    attack: (copy) => copyFileSync(copy.head('b'), copy.head('a')),
    broken: { a: 'head-missing' },
  },
  {
    title: 'an older head',
    attack: (copy) => copyFileSync(copy.head('a', EARLIER), copy.head('a')),
    broken: { a: 'head-outdated' },
  },
  {
    title: 'older lines',
    attack: (copy) => {
      for (const path of copy.files('a')) rmSync(path);
      for (const path of copy.files('a', EARLIER)) cpSync(path, path.replace(EARLIER, copy.folder));
    },
    broken: { a: 'line-missing' },
  },
  {
    title: 'older lines with the head that they had, which a later chain has seen otherwise',
    attack: (copy) => {
      for (const path of copy.files('a')) rmSync(path);
      for (const path of copy.files('a', EARLIER)) cpSync(path, path.replace(EARLIER, copy.folder));
      copyFileSync(copy.head('a', EARLIER), copy.head('a'));
    },
    broken: { a: 'line-missing' },
  },
  {
    title: 'a chain removed with its head, which a later chain has seen',
    attack: (copy) => [...copy.files('a'), copy.head('a')].forEach((path) => void rmSync(path)),
    broken: { a: 'chain-missing' },
  },
  {
    title: 'the key removed',
    attack: (copy) => rmSync(join(copy.folder, 'key')),
    broken: { a: 'key-missing', b: 'key-missing', c: 'key-missing' },
  },
  {
    title: 'another key',
    attack: (copy) => writeFileSync(join(copy.folder, 'key'), '0'.repeat(64)),
    broken: { a: 'line-changed', b: 'line-changed', c: 'line-changed' },
  },
  {
    title: 'a folder in the place of a file',
    attack: (copy) => {
      const path = copy.file('a', 1);
      rmSync(path);
      mkdirSync(path);
    },
    broken: { a: 'file-unreadable' },
  },
];

describe('S10 the audit log is a hash chain', () => {
  it('S10 has the chains that are attacked below', async () => {
    using copy = new Copy();
    const { chains, total } = await readAudit(copy.folder);
    expect(total).toBe(60 + 150 + 150 + 5);
    const [a = 0, b = 0, c] = CHAINS.map((chain) => copy.files(chain).length);
    expect([a >= 3, b >= 2, c]).toEqual([true, true, 1]);
    expect(chains.map(({ state }) => state)).toEqual(CHAINS.map(() => ({ kind: 'ok', unsealed: 0 })));
  });

  it.each(ATTACKS)('S10 detects $title', async ({ attack, broken }) => {
    using copy = new Copy();
    attack(copy);
    expect(await copy.broken()).toEqual(broken);
  });

  it('S10 says which line it was', async () => {
    using copy = new Copy();
    const path = copy.file('a', 1);
    copy.edit(path, (lines) => lines.with(5, lines[5]?.replace('"ok"', '"no"') ?? ''));
    const { chains } = await readAudit(copy.folder);
    expect(chains[0]?.state).toMatchObject({ kind: 'broken', file: path.slice(copy.folder.length + 1), line: 6 });
  });

  it('S10 detects a change of any byte, of lines and of the head', async () => {
    const folder = join(top, 'small');
    {
      await using log = open(1, folder);
      await record(log, 't', 2);
    }
    const missed: string[] = [];
    for (const name of readdirSync(folder).filter((one) => one !== 'key')) {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      for (let at = 0; at < bytes.length; at += 1) {
        writeFileSync(path, bytes.with(at, (bytes[at] ?? 0) ^ 1));
        const { chains } = await readAudit(folder);
        if (!chains.some(({ state }) => state.kind === 'broken')) missed.push(`${name} ${at}`);
      }
      writeFileSync(path, bytes);
    }
    expect(missed).toEqual([]);
  });

  it('S10 takes lines after the last sealed head for what they are: genuine, and not sealed', async () => {
    const folder = join(top, 'tail');
    await using log = open(1, folder);
    await record(log, 't', 10);
    await pause(300);
    const head = join(folder, readdirSync(folder).find((name) => name.endsWith('.head')) ?? '');
    const sealed = readFileSync(head);
    await record(log, 't', 20);
    await log[Symbol.asyncDispose]();
    writeFileSync(head, sealed);
    const states = async () => (await readAudit(folder)).chains.map(({ state }) => state);
    expect(await states()).toEqual([{ kind: 'ok', unsealed: 20 }]);
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.jsonl')) ?? '');
    truncateSync(file, readFileSync(file).length - 30);
    expect(await states()).toEqual([{ kind: 'ok', unsealed: 19 }]);
    appendFileSync(file, '\n');
    expect(await states()).toMatchObject([{ because: 'line-changed' }]);
  });
});

describe('S10 with real processes', () => {
  const program = join(top, 'writer.mjs');
  const children = new Set<ReturnType<typeof start>>();

  beforeAll(async () => {
    const entry = join(import.meta.dirname, '../../src/gateway/audit/index.ts');
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
  });

  function start(folder: string, count: number) {
    const child = spawn(process.execPath, [program, folder, String(count)], { stdio: ['ignore', 'ignore', 'pipe'] });
    children.add(child);
    child.on('exit', () => children.delete(child));
    return child;
  }

  const broken = (chains: readonly ChainVerdict[]): readonly ChainVerdict[] =>
    chains.filter(({ state }) => state.kind === 'broken');

  it('S10 has one key and one chain for each of several processes that begin at once', async () => {
    const folder = join(top, 'race');
    const running = Array.from({ length: 6 }, () => start(folder, 100));
    expect(await Promise.all(running.map(async (child) => (await once(child, 'exit'))[0]))).toEqual(Array(6).fill(0));
    const { chains, total } = await readAudit(folder);
    expect({ total, states: chains.map(({ state }) => state) }).toEqual({
      total: 600,
      states: Array(6).fill({ kind: 'ok', unsealed: 0 }),
    });
  });

  it('S10 does not take kill -9 for an attack', async () => {
    const folder = join(top, 'killed');
    const left: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const child = start(folder, 1_000_000);
      const ended = once(child, 'exit');
      await pause(150 + 37 * n);
      child.kill('SIGKILL');
      await ended;
      const { chains, total } = await readAudit(folder);
      expect(broken(chains)).toEqual([]);
      left.push(total);
    }
    expect(left.at(-1)).toBeGreaterThan(100);
  });
});
