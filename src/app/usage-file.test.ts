import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../base/index.js';
import { createToolIndex } from '../search/index.js';
import { usesFile } from './usage-file.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-uses-'));
  folders.push(folder);
  return folder;
};
const queriesIn = (folder: string): string[] =>
  JSON.parse(readFileSync(join(folder, 'uses.json'), 'utf8')).map(({ query }: { query: string }) => query);

describe('usesFile', () => {
  it('saves the uses of two workspaces of one process', async () => {
    const folder = newFolder();
    await using file = usesFile(folder, silentLog);
    const [a, b] = [createToolIndex(), createToolIndex()];
    const [ofA, ofB] = [file.join(a), file.join(b)];
    a.remember({ server: 's', tool: 't' }, 'what a needs');
    ofA.changed();
    b.remember({ server: 's', tool: 't' }, 'what b needs');
    ofB.changed();
    await ofB.leave();
    await ofA.leave();
    expect(queriesIn(folder).toSorted()).toEqual(['what a needs', 'what b needs']);
  });

  it('merges the uses of two processes, the later one for the same need, and loads them next time', async () => {
    const folder = newFolder();
    const [one, other] = [usesFile(folder, silentLog), usesFile(folder, silentLog)];
    const [a, b] = [createToolIndex(), createToolIndex()];
    const [ofA, ofB] = [one.join(a), other.join(b)];
    a.remember({ server: 's', tool: 't' }, 'both need this');
    a.remember({ server: 's', tool: 't' }, 'what a needs');
    ofA.changed();
    b.remember({ server: 's', tool: 't' }, 'Both need this');
    ofB.changed();
    await ofA.leave();
    await ofB.leave();
    expect(new Set(queriesIn(folder).map((query) => query.toLowerCase()))).toEqual(
      new Set(['both need this', 'what a needs']),
    );
    expect(queriesIn(folder)).toHaveLength(2);
    const next = createToolIndex();
    usesFile(folder, silentLog).join(next);
    expect(next.memory()).toHaveLength(2);
  });

  it('replaces a broken file, and logs that', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'uses.json'), '{');
    const logged: string[] = [];
    const index = createToolIndex();
    usesFile(folder, (_, message) => logged.push(message)).join(index);
    expect([index.memory(), logged]).toEqual([[], ['the search usage file is invalid and is replaced']]);
  });
});
