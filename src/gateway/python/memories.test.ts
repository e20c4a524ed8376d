import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectMemories } from './memories.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-memories-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));

describe('projectMemories', () => {
  it('keeps, changes and forgets, and says what there is', async () => {
    const memories = projectMemories(folder, '/project');
    await memories.save('b', [1, { deep: true }], undefined);
    await memories.save('a', 'x', { by: 'me' });
    await memories.update('a', 'y', undefined);
    expect(memories.list()).toEqual([
      {
        ...{ key: 'a', metadata: { by: 'me' }, bytes: expect.any(Number) },
        ...{ created: expect.any(String), updated: expect.any(String) },
      },
      { key: 'b', created: expect.any(String), updated: expect.any(String), bytes: expect.any(Number) },
    ]);
    expect([memories.load('a'), memories.load('b'), memories.load('none')]).toEqual(['y', [1, { deep: true }], null]);
    expect([await memories.remove('a'), await memories.remove('a'), memories.exists('a')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('keeps projects apart, in files that nobody else may read and no key can lead out of', async () => {
    await projectMemories(folder, '/one').save('../../../etc/passwd', 1, undefined);
    await projectMemories(folder, '/two').save('', 2, undefined);
    expect(projectMemories(folder, '/two').exists('../../../etc/passwd')).toBe(false);
    expect(files()).toHaveLength(2);
    expect(files().every((path) => /memories.[0-9a-f]{40}.[0-9a-f]{40}\.json$/.test(path))).toBe(true);
    if (process.platform !== 'win32') expect(files().map((path) => statSync(path).mode & 0o77)).toEqual([0, 0]);
  });

  it('loses nothing when several gateways write at once, and of one key one whole value holds', async () => {
    const gateways = Array.from({ length: 8 }, () => projectMemories(folder, '/project'));
    const value = (n: number) => `${n}`.repeat(50_000);
    await Promise.all(
      gateways.flatMap((memories, n) => [
        memories.save(`own ${n}`, n, undefined),
        memories.save('same', value(n), undefined),
      ]),
    );
    const [first] = gateways;
    expect(gateways.map((_, n) => first?.load(`own ${n}`))).toEqual(gateways.map((_, n) => n));
    expect(gateways.map((_, n) => value(n))).toContain(first?.load('same'));
  });

  it.each([
    { title: 'a key that is too long', act: () => save('k'.repeat(201), 1), code: 'LIMIT_EXCEEDED' },
    { title: 'a value that is too large', act: () => save('k', 'x'.repeat(256 * 1024)), code: 'LIMIT_EXCEEDED' },
    { title: 'metadata that are too large', act: () => save('k', 1, 'x'.repeat(9_000)), code: 'LIMIT_EXCEEDED' },
    {
      title: 'a change of nothing',
      act: async () => projectMemories(folder, '/project').update('k', 1, undefined),
      code: 'MEMORY_NOT_FOUND',
    },
  ])('refuses $title and keeps nothing', async ({ act, code }) => {
    await expect(act()).rejects.toMatchObject({ code });
    expect(files()).toEqual([]);
  });

  it('has room for so many and so much, and for a change of what is there', async () => {
    const memories = projectMemories(folder, '/project');
    const large = 'x'.repeat(250 * 1024);
    let kept = 0;
    const fill = async () => {
      for (;;) {
        await memories.save(`k${kept}`, large, undefined);
        kept += 1;
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(kept).toBe(65);
    expect(await memories.save('k0', large, undefined)).toBe(true);
  });

  it.each(['', '{', '[]', 'null', '{"version":1,"key":"other","created":"","updated":"","value":1}', '{"version":2}'])(
    'takes %j in the place of a memory for none',
    async (text) => {
      const memories = projectMemories(folder, '/project');
      await memories.save('k', 1, undefined);
      for (const path of files()) writeFileSync(path, text);
      expect([memories.exists('k'), memories.load('k')]).toEqual([false, null]);
      expect(await memories.save('k', 2, undefined)).toBe(true);
      expect(memories.load('k')).toBe(2);
    },
  );
});

async function save(key: string, value: unknown, metadata?: unknown): Promise<unknown> {
  return projectMemories(folder, '/project').save(key, value, metadata);
}
