import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon } from './start-daemon.js';

const WAIT_MS = 20_000;
/** Writes its environment to a file, atomically. */
const PROGRAM = `const { renameSync, writeFileSync } = require('node:fs');
writeFileSync('half', JSON.stringify(process.env));
renameSync('half', 'given.json');`;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'portolan-start-'));
  writeFileSync(join(home, 'program.cjs'), PROGRAM);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function given(
  env: Readonly<Record<string, string>>,
  passed: readonly string[] = [],
): Promise<Record<string, string>> {
  startDaemon({ program: join(home, 'program.cjs'), socket: join(home, 's'), env, home, passed });
  const path = join(home, 'given.json');
  for (const ends = Date.now() + WAIT_MS; !existsSync(path) && Date.now() < ends; )
    await new Promise((resolve) => setTimeout(resolve, 10));
  return JSON.parse(readFileSync(path, 'utf8'));
}

// Windows adds variables of its own to every process.
describe.skipIf(process.platform === 'win32')('startDaemon', () => {
  it('does not pass the private variables of the first client to the shared daemon', async () => {
    const project = join(home, 'project');
    const needed = { HOME: home, LANG: 'C', PORTOLAN_LOG: 'debug', PORTOLAN_TIMEOUTS_DAEMON_IDLE_MS: '5' };
    const {
      PATH,
      __CF_USER_TEXT_ENCODING: _,
      NODE_V8_COVERAGE: __,
      ...rest
    } = await given({
      ...needed,
      PATH: `${join(project, 'bin')}${delimiter}.${delimiter}/usr/bin`,
      NODE_EXTRA_CA_CERTS: join(project, 'ca.pem'),
      NODE_OPTIONS: '--no-warnings',
      SSL_CERT_FILE: join(project, 'ca.pem'),
      SSL_CERT_DIR: project,
      PORTOLAN_LIMITS_QUEUE: '1',
      API_KEY: 'secret',
    });
    expect(rest).toEqual(needed);
    const folders = PATH?.split(delimiter) ?? [];
    expect(folders.slice(0, 2)).toEqual(['/usr/bin', '/bin']);
    expect(folders).toContain(dirname(process.execPath));
    expect(folders.filter((folder) => !folder.startsWith('/') || folder.startsWith(project))).toEqual([]);
  });

  it('passes on the variables that are named', async () => {
    expect(await given({ PATH: '/own', TOKEN: 't' }, ['TOKEN', 'PATH'])).toMatchObject({ TOKEN: 't', PATH: '/own' });
  });
});
