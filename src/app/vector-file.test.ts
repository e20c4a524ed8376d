import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../base/index.js';
import { VectorFile } from './vector-file.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const newPath = () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-vectors-'));
  folders.push(folder);
  return join(folder, 'cache', 'model.bin');
};
const vector = (value: number) => new Int8Array(512).fill(value);

async function store(path: string, entries: Readonly<Record<string, number>>): Promise<void> {
  await using file = new VectorFile(path, silentLog);
  for (const [text, value] of Object.entries(entries)) file.put(text, vector(value));
}

describe('VectorFile', () => {
  it('returns stored vectors after a restart, and appends new ones', async () => {
    const path = newPath();
    await store(path, { one: 1, two: -2 });
    const before = statSync(path).size;
    await store(path, { one: 9, three: 3 });
    const file = new VectorFile(path, silentLog);
    expect(['one', 'two', 'three', 'four'].map((text) => file.get(text)?.[0])).toEqual([1, -2, 3, undefined]);
    expect(statSync(path).size).toBe(before * 1.5);
  });

  it('keeps the vectors of two processes that write at the same time', async () => {
    const path = newPath();
    await store(path, { first: 1 });
    const [a, b] = [new VectorFile(path, silentLog), new VectorFile(path, silentLog)];
    a.put('a', vector(2));
    b.put('b', vector(3));
    await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()]);
    const file = new VectorFile(path, silentLog);
    expect(['first', 'a', 'b'].map((text) => file.get(text)?.[0])).toEqual([1, 2, 3]);
  });

  it.each([
    { title: 'cut off', damage: (bytes: Buffer) => bytes.subarray(0, -1) },
    { title: 'changed', damage: (bytes: Buffer) => Buffer.from(bytes).fill(7, 100, 110) },
    { title: 'of another kind', damage: () => Buffer.from('{}') },
  ])('replaces a file that was $title', async ({ damage }) => {
    const path = newPath();
    await store(path, { one: 1 });
    writeFileSync(path, damage(readFileSync(path)));
    expect(new VectorFile(path, silentLog).get('one')).toBeUndefined();
    await store(path, { two: 2 });
    expect(new VectorFile(path, silentLog).get('two')?.[0]).toBe(2);
  });

  it('ignores a vector of another length', async () => {
    const file = new VectorFile(newPath(), silentLog);
    file.put('one', new Int8Array(3));
    expect(file.get('one')).toBeUndefined();
  });
});
