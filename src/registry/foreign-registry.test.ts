import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readForeignRegistry } from './foreign-registry.js';

const top = mkdtempSync(join(tmpdir(), 'portolan-foreign-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const path = join(top, 'mcp_servers.json');
const running = {
  name: 'nabu_mcp',
  pid: process.pid,
  stdio_active: true,
  http: { enabled: true, host: '127.0.0.1', port: 8000, url: 'http://127.0.0.1:8000/' },
  started_at: new Date().toISOString(),
  cwd: '/srv',
};

describe('readForeignRegistry', () => {
  it('returns the running servers and does not change the file', async () => {
    const text = JSON.stringify({
      version: '1.0',
      servers: {
        nabu_mcp_1: running,
        dead_2: { ...running, pid: 2 ** 31 - 1 },
        earlier_3: { ...running, started_at: '2001-01-01T00:00:00' },
        '../up_4': running,
        broken_5: { ...running, pid: 'x' },
      },
    });
    writeFileSync(path, text);
    const before = statSync(path).ino;
    expect(await readForeignRegistry(path)).toMatchObject({
      kind: 'read',
      servers: [{ id: 'nabu_mcp_1', ...running, liveness: 'alive' }],
    });
    expect([readFileSync(path, 'utf8'), statSync(path).ino]).toEqual([text, before]);
  });

  it('waits for a writer in the middle of a write', async () => {
    writeFileSync(path, '{"version":"1.0","serv');
    setTimeout(() => writeFileSync(path, '{"version":"1.0","servers":{}}'), 30);
    expect(await readForeignRegistry(path)).toEqual({ kind: 'read', servers: [] });
  });

  it.each(['', '[]', '7', '{"version"'])('fails on %j', async (text) => {
    writeFileSync(path, text);
    expect(await readForeignRegistry(path)).toEqual({ kind: 'failed', message: `${path} is not a server registry` });
  });

  it('returns absent for a missing file', async () => {
    expect(await readForeignRegistry(join(top, 'none'))).toEqual({ kind: 'absent' });
  });
});
