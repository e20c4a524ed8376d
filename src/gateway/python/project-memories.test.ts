import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../base/index.js';
import { DEFAULT_LIMITS } from '../../sandbox/index.js';
import { HostCalls } from '../../sandbox/run/host-calls.js';
import { projectMemories } from './project-memories.js';
import { runtimeFunction } from './runtime-functions.js';

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
  it('saves, updates, removes and lists memories', async () => {
    const memories = projectMemories(folder, '/project');
    await memories.save('b', [1, { deep: true }], undefined);
    await memories.save('a', 'x', { by: 'me' });
    await memories.update('a', 'y', undefined);
    expect(await memories.list()).toEqual([
      {
        ...{ key: 'a', metadata: { by: 'me' }, bytes: expect.any(Number) },
        ...{ created: expect.any(String), updated: expect.any(String) },
      },
      { key: 'b', created: expect.any(String), updated: expect.any(String), bytes: expect.any(Number) },
    ]);
    const loaded = await Promise.all(['a', 'b', 'none'].map((key) => memories.load(key)));
    expect(loaded).toEqual(['y', [1, { deep: true }], null]);
    expect([await memories.remove('a'), await memories.remove('a'), await memories.exists('a')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('keeps projects apart, in private files whose names no key can influence', async () => {
    await projectMemories(folder, '/one').save('../../../etc/passwd', 1, undefined);
    await projectMemories(folder, '/two').save('', 2, undefined);
    expect(await projectMemories(folder, '/two').exists('../../../etc/passwd')).toBe(false);
    expect(files()).toHaveLength(2);
    expect(files().every((path) => /memories.[0-9a-f]{40}.[0-9a-f]{40}\.json$/.test(path))).toBe(true);
    if (process.platform !== 'win32') expect(files().map((path) => statSync(path).mode & 0o77)).toEqual([0, 0]);
  });

  it('loses nothing when several gateways write at once, and keeps one complete value per key', async () => {
    const gateways = Array.from({ length: 8 }, () => projectMemories(folder, '/project'));
    const value = (n: number) => `${n}`.repeat(50_000);
    await Promise.all(
      gateways.flatMap((memories, n) => [
        memories.save(`own ${n}`, n, undefined),
        memories.save('same', value(n), undefined),
      ]),
    );
    const [first] = gateways;
    const own = await Promise.all(gateways.map((_, n) => first?.load(`own ${n}`)));
    expect(own).toEqual(gateways.map((_, n) => n));
    expect(gateways.map((_, n) => value(n))).toContain(await first?.load('same'));
  });

  it.each([
    { title: 'a key that is too long', act: () => save('k'.repeat(201), 1), code: 'LIMIT_EXCEEDED' },
    { title: 'a value that is too large', act: () => save('k', 'x'.repeat(256 * 1024)), code: 'LIMIT_EXCEEDED' },
    { title: 'metadata that is too large', act: () => save('k', 1, 'x'.repeat(9_000)), code: 'LIMIT_EXCEEDED' },
    {
      title: 'an update of a missing memory',
      act: async () => projectMemories(folder, '/project').update('k', 1, undefined),
      code: 'MEMORY_NOT_FOUND',
    },
  ])('refuses $title and saves nothing', async ({ act, code }) => {
    await expect(act()).rejects.toMatchObject({ code });
    expect(files()).toEqual([]);
  });

  it('limits the number and total size of memories, and still updates existing ones', async () => {
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
    'treats a file with %j as no memory',
    async (text) => {
      const memories = projectMemories(folder, '/project');
      await memories.save('k', 1, undefined);
      for (const path of files()) writeFileSync(path, text);
      expect([await memories.exists('k'), await memories.load('k')]).toEqual([false, null]);
      expect(await memories.save('k', 2, undefined)).toBe(true);
      expect(await memories.load('k')).toBe(2);
    },
  );

  it('lists without reading values, for any key and metadata', async () => {
    const memories = projectMemories(folder, '/project');
    const key = '\u0001'.repeat(200);
    const metadata = { value: 1, text: `\n,"value":${'é'.repeat(4_000)}` };
    await memories.save(key, ['x'.repeat(200_000)], metadata);
    const [path = ''] = files();
    const text = readFileSync(path, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ key, metadata, value: ['x'.repeat(200_000)] });
    // The truncated file is invalid JSON, so only a reader of the head alone finds the memory.
    writeFileSync(path, text.slice(0, -2));
    expect(await memories.list()).toEqual([
      { key, metadata, created: expect.any(String), updated: expect.any(String), bytes: Buffer.byteLength(text) - 2 },
    ]);
    expect(await memories.load(key)).toBe(null);
  });

  it.each([
    { title: 'on one line, the older format', indent: 0 },
    { title: 'on many lines', indent: 2 },
  ])('reads a memory $title', async ({ indent }) => {
    const memories = projectMemories(folder, '/project');
    await memories.save('k', 1, undefined);
    const kept = { version: 1, key: 'k', created: 'c', updated: 'u', value: 'x'.repeat(20_000), metadata: 'm' };
    const text = JSON.stringify(kept, undefined, indent);
    for (const path of files()) writeFileSync(path, text);
    expect(await memories.list()).toEqual([
      { key: 'k', created: 'c', updated: 'u', metadata: 'm', bytes: text.length },
    ]);
    expect(await memories.load('k')).toBe(kept.value);
  });

  it('lets timers run while a program lists many memories many times', async () => {
    const memories = projectMemories(folder, '/project');
    await memories.save(
      'k0',
      Array.from({ length: 1_600 }, (_, n) => ({ a: n, b: 'x' })),
      undefined,
    );
    const [first = ''] = files();
    // Copied, because saving hundreds of memories takes longer than listing them.
    const text = readFileSync(first, 'utf8');
    for (let n = 1; n < 490; n += 1) writeFileSync(join(dirname(first), `${n}.json`), text.replace('"k0"', `"k${n}"`));
    expect(await memories.list()).toHaveLength(490);
    let answers = 0;
    const calls = new HostCalls(
      async (request) => (request.kind === 'runtime' ? runtimeFunction(request, [], unasked, memories) : undefined),
      DEFAULT_LIMITS,
      () => {
        answers += 1;
      },
      silentLog,
    );
    const began = performance.now();
    const fired = new Promise<{ ms: number; answers: number }>((resolve) => {
      setTimeout(() => resolve({ ms: performance.now() - began, answers }), 10);
    });
    for (let id = 0; id < 130; id += 1) calls.take(id, { kind: 'runtime', name: 'list_memories', arguments: {} });
    const then = await fired;
    calls.close();
    expect(then.answers).toBeLessThan(130);
    expect(then.ms).toBeLessThan(1_000);
  });
});

async function nothing(): Promise<never> {
  throw new Error('unexpected call');
}

const unasked = { listServers: nothing, searchTools: nothing, getToolDetails: nothing };

async function save(key: string, value: unknown, metadata?: unknown): Promise<unknown> {
  return projectMemories(folder, '/project').save(key, value, metadata);
}
