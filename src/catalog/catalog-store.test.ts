import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { definition } from '../../tests/fakes/definition.js';
import { sha256, silentLog } from '../base/index.js';
import { type AdmittedServer, admit, fingerprint } from '../policy/index.js';
import { diskStore, type Knowledge, withoutCache } from './catalog-store.js';

let top = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'portolan-store-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const folders = () => ({ cache: join(top, 'cache'), state: join(top, 'state') });
const cached = () => readdirSync(join(top, 'cache', 'catalog')).map((name) => join(top, 'cache', 'catalog', name));

function server(command = 'tool', env: Record<string, string> = {}): AdmittedServer {
  const admitted = admit('a', definition({ command, env }), { kind: 'allowed' });
  if (!admitted) throw new Error('not admitted');
  return admitted;
}

const KNOWN: Knowledge = {
  handshake: { name: 's', version: '1', protocolVersion: '2025-11-25', capabilities: { tools: {} } },
  tools: [{ tool: { name: 't', inputSchema: { type: 'object' } }, hash: 'h', faults: ['bidi'] }],
  readAt: 5,
  error: { message: 'no', at: 6 },
  asksForRoots: true,
  asksClient: true,
  eras: { legacy: { supported: true, at: 5 }, modern: { supported: false, at: 4 } },
};

describe('diskStore', () => {
  it('shares facts with another process, for the same launch only', async () => {
    const store = diskStore(folders(), silentLog);
    await store.write(server(), KNOWN);
    await store.writePins(server(), { t: 'h' });
    const other = diskStore(folders(), silentLog);
    expect([other.read(server()), other.readPins(server())]).toEqual([KNOWN, { t: 'h' }]);
    expect([other.read(server('other')), other.readPins(server('other'))]).toEqual([{}, undefined]);
  });

  it('returns nothing for an empty disk, and writes nothing', () => {
    const store = diskStore(folders(), silentLog);
    expect([store.read(server()), store.readPins(server())]).toEqual([{}, undefined]);
    expect(readdirSync(top)).toEqual([]);
  });

  it('reveals nothing about a launch by a file name, not even to someone who guesses it', async () => {
    const secret = server('tool', { TOKEN: 'hunter22' });
    await diskStore(folders(), silentLog).write(secret, KNOWN);
    const print = fingerprint(secret.definition);
    const [name = ''] = cached();
    expect([print, sha256(print)].filter((guess) => name.includes(guess.slice(0, 12)))).toEqual([]);
    expect(readFileSync(name, 'utf8')).not.toContain('hunter22');
  });

  it.skipIf(process.platform === 'win32')('keeps its files private', async () => {
    await diskStore(folders(), silentLog).write(server(), KNOWN);
    const [name = ''] = cached();
    expect([name, join(top, 'state', 'catalog.key')].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0]);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"version":2}',
    '\0',
    '{"version":1,"tools":7,"readAt":"x","handshake":[],"error":"no"}',
    '{"version":1,"tools":[{"tool":{"name":"t"},"hash":"h","faults":[]}],"readAt":1}',
    '{"version":1,"asksClient":"yes","eras":{"legacy":{"supported":true,"at":"x"}}}',
    '{"version":1,"eras":{"legacy":{"supported":true,"at":1},"future":{"supported":true,"at":1}}}',
    '{"version":1,"eras":[]}',
    '{"version":1,"tools":[{"tool":{"name":"t","inputSchema":{}},"hash":"h","faults":[7]}],"readAt":1}',
  ])('ignores a file with %j, and logs that once', async (text) => {
    const logged: unknown[] = [];
    const store = diskStore(folders(), (level, message, facts) => logged.push([level, message, facts]));
    await store.write(server(), KNOWN);
    const [path = ''] = cached();
    writeFileSync(path, text);
    expect(store.read(server())).toEqual({});
    expect(logged).toEqual([['warn', 'a catalog file is not usable and is created again', { path }]]);
  });

  it('ignores __proto__ in a file', async () => {
    const store = diskStore(folders(), silentLog);
    await store.write(server(), KNOWN);
    for (const path of cached()) writeFileSync(path, '{"version":1,"__proto__":{"tools":[],"readAt":1}}');
    expect(store.read(server())).toEqual({});
  });

  it.each([{}, { error: { message: 'no', at: 6 } }, KNOWN])(
    'accepts a file with %j without a warning',
    async (known) => {
      const store = diskStore(folders(), expect.unreachable);
      await store.write(server(), known);
      expect(store.read(server())).toEqual(known);
    },
  );

  it.each(['', '{"version":1,"pins":7}', '{"version":1,"pins":{"t":7}}', '{"version":1}'])(
    'treats a file with %j as lost pins, not as a first reading: every tool is new',
    { tags: 'S7' },
    async (text) => {
      const logged: unknown[] = [];
      const store = diskStore(folders(), (level) => logged.push(level));
      await store.writePins(server(), { t: 'h' });
      const folder = join(top, 'state', 'pins');
      for (const name of readdirSync(folder)) writeFileSync(join(folder, name), text);
      expect([store.readPins(server()), logged]).toEqual([{}, ['warn']]);
    },
  );

  it('detects pins written by another process, once the file time is certain', async () => {
    const store = diskStore(folders(), silentLog);
    const nothing = store.pinsStamp();
    expect(store.pinsStamp()).toBe(nothing);
    await store.writePins(server(), { t: 'h' });
    expect(store.pinsStamp()).toBeUndefined();
    const folder = join(top, 'state', 'pins');
    utimesSync(folder, 1_000_000, 1_000_000);
    expect(store.pinsStamp()).toBe(1_000_000_000);
    await diskStore(folders(), silentLog).writePins(server(), { t: 'other' });
    expect(store.pinsStamp()).toBeUndefined();
  });

  it('uses one key if several processes start at once', async () => {
    const stores = Array.from({ length: 8 }, () => diskStore(folders(), silentLog));
    await Promise.all(stores.map((store, n) => store.write(server(`tool ${n}`), KNOWN)));
    const reader = diskStore(folders(), silentLog);
    expect(stores.map((_, n) => reader.read(server(`tool ${n}`)))).toEqual(stores.map(() => KNOWN));
  });

  it('keeps only the pins if the cache is off', async () => {
    const store = withoutCache(diskStore(folders(), silentLog));
    await store.write(server(), KNOWN);
    await store.writePins(server(), { t: 'h' });
    expect([store.read(server()), store.readPins(server())]).toEqual([{}, { t: 'h' }]);
  });
});
