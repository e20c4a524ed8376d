import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { entryName } from './entry-file-names.js';
import { readRegistry } from './read-registry.js';
import { ServerRegistry } from './server-registry.js';

const top = mkdtempSync(join(tmpdir(), 'portolan-read-registry-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
let count = 0;
function place(): string {
  count += 1;
  mkdirSync(join(top, String(count)));
  return join(top, String(count), 'mcp_servers.json');
}

/** A file that a repository could contain: it names process 1 of every machine, without a start time. */
function forged(n: number) {
  const identity = { boot: '', pid: 1, start: '' };
  const id = `forged-${String(n).padStart(4, '0')}`;
  const server = { name: 'forged', pid: 1, start_identity: identity };
  return [entryName(id, identity, identity), JSON.stringify({ id, writer: identity, server })] as const;
}

describe('readRegistry', () => {
  it.each([{ isExact: false }, { isExact: true }])(
    'returns the running servers, exactly: $isExact',
    async ({ isExact }) => {
      const path = place();
      await using registry = new ServerRegistry(path);
      await registry.registerServer('one_1', { transports: [{ type: 'http', url: 'http://127.0.0.1:9/' }] });
      expect(await readRegistry(path, isExact)).toMatchObject({ servers: [{ id: 'one_1' }], problems: [] });
    },
  );

  it('writes nothing, and reports nothing for a missing registry', async () => {
    const path = place();
    expect(await readRegistry(path)).toEqual({ servers: [], problems: [] });
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('limits the number of files it reads, and reports the limit', async () => {
    const path = place();
    const folder = join(path, '..', 'servers.d');
    mkdirSync(folder, { mode: 0o700 });
    for (let n = 0; n < 140; n += 1) {
      const [name, text] = forged(n);
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    }
    const { servers, problems } = await readRegistry(path);
    expect([servers.length, problems]).toEqual([
      128,
      [expect.stringContaining('contains more than 128 servers; the rest is ignored')],
    ]);
  });

  it('reads only the file if another program has no directory', async () => {
    const path = place();
    const server = { name: 'alone', pid: process.pid, started_at: new Date().toISOString() };
    writeFileSync(path, JSON.stringify({ version: '1.0', servers: { alone_1: server } }));
    expect(await readRegistry(path)).toMatchObject({ servers: [{ id: 'alone_1' }], problems: [] });
  });
});
