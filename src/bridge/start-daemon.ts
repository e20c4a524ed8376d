import { delimiter, dirname, join } from 'node:path';

/**
 * The variables of the environment that the daemon gets. It serves all clients, so it must not get the secrets of the
 * client that starts it, nor its choice of certificates, programs or limits. Each client sends its own.
 */
const NEEDED =
  /^(?:HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|TZ|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|MCP_BRIDGE_LEGACY_LINK|PORTOLAN_(?:LOG|TIMEOUTS_\w+|CACHE_\w+)|HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy|SYSTEMROOT|USERPROFILE|USERNAME|APPDATA|LOCALAPPDATA|PROGRAMDATA|TEMP|TMP|PATHEXT|COMSPEC|WINDIR)$/;
/** Certificates at a path that only an administrator can write apply to all clients; others belong to one user. */
const CERTIFICATES: readonly string[] = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
/** Variables that also apply to the daemon if a person starts it by hand. */
export const MANUAL_START_VARIABLES: readonly string[] = ['PATH', ...CERTIFICATES];
/** The directories of system programs like `ps`. Also the PATH for clients that send none. */
const SYSTEM_FOLDERS =
  process.platform === 'win32'
    ? ['C:\\Windows\\System32', 'C:\\Windows']
    : ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/opt/homebrew/bin', '/snap/bin'];
/** How long a process that starts a daemon keeps others from starting one. */
const CLAIM_MS = 5_000;
const MAX_LOG_BYTES = 5 * 1024 * 1024;

export interface StartOptions {
  /** The path of the program that Node runs. */
  readonly program: string;
  readonly socket: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly args?: readonly string[];
  /** Further variables to pass on. */
  readonly passed?: readonly string[];
}

/** The path of the daemon's log file. */
export function daemonLog(home: string, env: Readonly<Record<string, string | undefined>>): string {
  const state = env.XDG_STATE_HOME?.startsWith('/') ? env.XDG_STATE_HOME : join(home, '.local', 'state');
  return join(state, 'portolan', 'logs', 'daemon.log');
}

/** Starts a detached daemon. If several start, the one that binds the socket stays. */
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
  child.on('error', () => undefined); // the wait for the socket then times out
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

/**
 * Whether this process may start the daemon: false while another one does. An expired or failed claim does not block.
 */
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

/** Releases the claim once a daemon runs. */
export function releaseStartClaim(socket: string): void {
  process.getBuiltinModule('node:fs').rmSync(`${socket}.starting`, { force: true });
}

function openLog(path: string): number | undefined {
  const { mkdirSync, openSync, renameSync, statSync } = process.getBuiltinModule('node:fs');
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(path, `${path}.1`);
    return openSync(path, 'a', 0o600);
  } catch {
    return undefined; // a daemon without a log is better than no daemon
  }
}
