import { delimiter, dirname, join } from 'node:path';

/**
 * What a daemon needs of the environment in which somebody has it started: it is everybody's, and knows no secrets of the
 * first. Neither does the first choose for the others whose certificates are believed, which programs are run, or how
 * much anyone may ask for: what clients have of these comes with each of them.
 */
const NEEDED =
  /^(?:HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|TZ|XDG_\w+|MCP_BRIDGE_LEGACY_LINK|PORTOLAN_(?:LOG|TIMEOUTS_\w+|CACHE_\w+)|HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy|SYSTEMROOT|USERPROFILE|USERNAME|APPDATA|LOCALAPPDATA|PROGRAMDATA|TEMP|TMP|PATHEXT|COMSPEC|WINDIR)$/;
/** Certificates that the machine's owner put there hold for everybody; those in somebody's folder come from somebody. */
const CERTIFICATES: readonly string[] = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
/** What a person who starts it by hand means for it too. */
export const MEANT_BY_HAND: readonly string[] = ['PATH', ...CERTIFICATES];
/** Where the daemon's own programs, like `ps`, are; after them what clients that say nothing of their own PATH may need. */
const SYSTEM_FOLDERS =
  process.platform === 'win32'
    ? ['C:\\Windows\\System32', 'C:\\Windows']
    : ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/snap/bin'];
/** As long as one who starts a daemon keeps others from doing the same. */
const CLAIM_MS = 5_000;
const MAX_LOG_BYTES = 5 * 1024 * 1024;

export interface StartOptions {
  /** The program, as Node runs it. */
  readonly program: string;
  readonly socket: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly args?: readonly string[];
  /** Variables that it is given beside those that every daemon needs. */
  readonly passed?: readonly string[];
}

/** Where the daemon writes what happens. */
export function daemonLog(home: string, env: Readonly<Record<string, string | undefined>>): string {
  const state = env.XDG_STATE_HOME?.startsWith('/') ? env.XDG_STATE_HOME : join(home, '.local', 'state');
  return join(state, 'portolan', 'logs', 'daemon.log');
}

/** Starts a daemon that lives on by itself. Who listens in the end is settled by the socket. */
export function startDaemon({ program, socket, env, home, args = [], passed = [] }: StartOptions): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const log = openLog(daemonLog(home, env));
  const given = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (NEEDED.test(name) || passed.includes(name) || isMachines(name, value)),
  );
  const child = spawn(process.execPath, [program, 'serve', '--socket', socket, '--leave-when-idle', ...args], {
    cwd: home,
    env: { PATH: daemonPath(home), ...Object.fromEntries(given) },
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log ?? 'ignore', log ?? 'ignore'],
  });
  child.on('error', () => undefined); // whoever waits for it learns that it did not come
  child.unref();
  if (log !== undefined) process.getBuiltinModule('node:fs').closeSync(log);
}

function isMachines(name: string, path: string): boolean {
  if (!CERTIFICATES.includes(name) || process.platform === 'win32') return false;
  try {
    return process.getBuiltinModule('node:fs').statSync(path).uid === 0;
  } catch {
    return false;
  }
}

function daemonPath(home: string): string {
  const own = process.platform === 'win32' ? [] : [join(home, '.local', 'bin')];
  return [...SYSTEM_FOLDERS, dirname(process.execPath), ...own].join(delimiter);
}

/** Whether it is for us to start it: nobody else is doing that right now. A claim that is old, or cannot be made, keeps nobody. */
export function claimStart(socket: string): boolean {
  const path = `${socket}.starting`;
  const { closeSync, openSync, rmSync, lstatSync } = process.getBuiltinModule('node:fs');
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && Math.abs(Date.now() - found.mtimeMs) > CLAIM_MS) rmSync(path, { force: true });
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EEXIST');
  }
}

/** The end of the claim: a daemon is there. */
export function unclaim(socket: string): void {
  process.getBuiltinModule('node:fs').rmSync(`${socket}.starting`, { force: true });
}

function openLog(path: string): number | undefined {
  const { mkdirSync, openSync, renameSync, statSync } = process.getBuiltinModule('node:fs');
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
    return openSync(path, 'a', 0o600);
  } catch {
    return undefined; // a daemon without a log is better than none
  }
}
