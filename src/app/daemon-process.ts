import {
  factsOf,
  identityOf,
  isAlive,
  isIdentity,
  isOurs,
  isPipeName,
  type Log,
  type ProcessIdentity,
  randomKey,
} from '../base/index.js';
import { ownFolders } from '../discovery/index.js';
import type { Host } from '../model/index.js';

/** Beside the socket, because every client of the daemon knows that path; the state directory may differ. */
const SUFFIX = '.pid';
const PRIVATE_FILE = 0o600;
const WRITABLE_BY_OTHERS = 0o022;
const MAX_RECORD_BYTES = 4_096;
/** The time for a killed process to disappear. */
const KILL_LIMIT_MS = 5_000;
const POLL_MS = 20;

/** Writes the identity of this process, so that a daemon that no longer responds can be named and ended. */
export function recordDaemon(socket: string, log: Log): Disposable {
  const own = identityOf(process.pid);
  if (!own || isPipeName(socket)) return { [Symbol.dispose]: () => undefined };
  const path = `${socket}${SUFFIX}`;
  const unfinished = `${path}.${randomKey().slice(0, 8)}`;
  const { renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
  try {
    writeFileSync(unfinished, JSON.stringify(own), { mode: PRIVATE_FILE, flag: 'wx' });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    log('warn', 'the process id of the daemon was not recorded', { path, error: String(error) });
  }
  return {
    [Symbol.dispose]: () => {
      // The next daemon may have written its own identity already.
      if (recordedDaemon(socket)?.pid === own.pid) rmSync(path, { force: true });
    },
  };
}

/** The daemon that recorded itself and still runs; undefined if the recorded process has exited. */
export function recordedDaemon(socket: string): ProcessIdentity | undefined {
  const found = isPipeName(socket) ? undefined : readRecord(`${socket}${SUFFIX}`);
  return found && isAlive(found) ? found : undefined;
}

function readRecord(path: string): ProcessIdentity | undefined {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = process.getBuiltinModule('node:fs');
  if (factsOf(path) === undefined) return undefined;
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = fstatSync(file);
      // Another user who can write here must not choose the process that is killed.
      if (!facts.isFile() || !isOurs(facts) || (facts.mode & WRITABLE_BY_OTHERS) !== 0) return undefined;
      if (facts.size > MAX_RECORD_BYTES) return undefined;
      const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return isIdentity(value) ? value : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // removed meanwhile, a link, or not a record
  }
}

/** Kills a daemon and the servers that it started. False if the process survives. */
export async function killDaemon(daemon: ProcessIdentity, host: Host): Promise<boolean> {
  // Checked last, because the system reuses the pids of exited processes.
  if (isAlive(daemon)) process.kill(daemon.pid, 'SIGKILL');
  const ends = performance.now() + KILL_LIMIT_MS;
  while (isAlive(daemon)) {
    if (performance.now() > ends) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  // Its guardian ends the servers; this also ends them if the guardian was killed.
  const { killOrphans } = await import('../upstream/index.js');
  await killOrphans(ownFolders(host).children);
  return true;
}
