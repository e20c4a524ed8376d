import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));

/** The tested program: the shipped one, unless a variable names another. */
export const PROGRAM = process.env.CONFORMANCE_PROGRAM ?? join(folder, '..', 'dist', 'cli.cjs');
export const FIXTURE = join(folder, 'fixture-server.mjs');
const BROWSER = join(folder, 'browser.mjs');

/** A home directory with only these servers, and an environment that refers to no other directory. */
export function makeHome(mcpServers) {
  const root = mkdtempSync(join(tmpdir(), 'portolan-conformance-'));
  const own = join(root, 'home', '.config', 'portolan');
  const cwd = join(root, 'project');
  for (const path of [own, cwd]) mkdirSync(path, { recursive: true });
  writeFileSync(join(own, 'servers.json'), JSON.stringify({ mcpServers }));
  const home = join(root, 'home');
  // A daemon would outlive the run.
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, BROWSER, PORTOLAN_DAEMON: 'never' };
  // Windows finds neither programs nor its own libraries without these.
  for (const name of ['SystemRoot', 'PATHEXT', 'TEMP', 'TMP']) if (process.env[name]) env[name] = process.env[name];
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  return { env, cwd, remove };
}
