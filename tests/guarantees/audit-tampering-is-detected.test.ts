import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readAudit } from '../../src/audit/index.js';
import { ATTACKS } from './support/audit-attacks.js';
import { CHAINS, Copy, open, record, top } from './support/audit-chains.js';

describe('the audit log is a hash chain', { tags: 'S10' }, () => {
  it('has three valid chains before the attacks', async () => {
    using copy = new Copy();
    const { chains, total } = await readAudit(copy.folder);
    expect(total).toBe(60 + 150 + 150 + 5);
    const [a = 0, b = 0, c] = CHAINS.map((chain) => copy.files(chain).length);
    expect([a >= 3, b >= 2, c]).toEqual([true, true, 1]);
    expect(chains.map(({ state }) => state)).toEqual(CHAINS.map(() => ({ kind: 'ok', unsealed: 0 })));
  });

  it.each(ATTACKS)('detects $title', async ({ attack, broken }) => {
    using copy = new Copy();
    attack(copy);
    expect(await copy.broken()).toEqual(broken);
  });

  it('names the changed line', async () => {
    using copy = new Copy();
    const path = copy.file('a', 1);
    copy.edit(path, (lines) => lines.with(5, lines[5]?.replace('"ok"', '"no"') ?? ''));
    const { chains } = await readAudit(copy.folder);
    expect(chains[0]?.state).toMatchObject({ kind: 'broken', file: path.slice(copy.folder.length + 1), line: 6 });
  });

  it('detects a change of any byte of the lines and of the head', async () => {
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

  it('reports lines after the last sealed head as valid and unsealed', async () => {
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
