import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../base/index.js';
import { keepServerLog, readServerLog } from './server-log.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('keepServerLog', () => {
  it('writes the latest text, at the latest when it is closed', async () => {
    let text = 'first';
    {
      await using log = keepServerLog(join(folder, 'logs'), 'files', () => text, silentLog);
      log.changed();
      text = 'second';
      log.changed();
    }
    expect(readServerLog(join(folder, 'logs'), 'files')).toEqual({ kind: 'read', text: 'second' });
  });

  it('keeps the text of two processes of one server', async () => {
    const logs = join(folder, 'logs');
    await using first = keepServerLog(logs, 'files', () => 'of the first', silentLog);
    {
      await using second = keepServerLog(logs, 'files', () => 'of the second', silentLog);
      first.changed();
      second.changed();
    }
    expect(readServerLog(logs, 'files')).toEqual({ kind: 'read', text: 'of the first\nof the second' });
  });

  it('writes no file for a server without output', async () => {
    await keepServerLog(join(folder, 'logs'), 'files', () => '', silentLog)[Symbol.asyncDispose]();
    expect(existsSync(join(folder, 'logs'))).toBe(false);
    expect(readServerLog(join(folder, 'logs'), 'files')).toEqual({ kind: 'absent' });
  });

  it.each(['../../etc/passwd', 'a/b\\c', '..', '.', 'nul\0', 'x'.repeat(5_000), 'ä ö'])(
    'keeps the log of a server called %j in its folder',
    async (name) => {
      const logs = join(folder, 'logs');
      const log = keepServerLog(logs, name, () => 'words', silentLog);
      log.changed();
      await log[Symbol.asyncDispose]();
      expect(readdirSync(folder)).toEqual(['logs']);
      expect(readdirSync(logs).filter((file) => file.endsWith('.log'))).toHaveLength(1);
      expect(readServerLog(logs, name)).toEqual({ kind: 'read', text: 'words' });
    },
  );

  it('logs a failed write and does not throw', async () => {
    writeFileSync(join(folder, 'logs'), 'a file where a folder should be');
    const said: unknown[] = [];
    const log = keepServerLog(
      join(folder, 'logs'),
      'files',
      () => 'words',
      (level, message) => said.push([level, message]),
    );
    log.changed();
    await log[Symbol.asyncDispose]();
    expect(said).toEqual([['warn', 'server log not written']]);
  });
});
