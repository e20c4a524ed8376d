import { codeOf, ErrorCode, PortolanError, randomKey } from '../../base/index.js';

export interface LockLimits {
  /** The maximum wait for the lock. */
  readonly waitMs: number;
  /** The maximum time to hold it: an older lock was left by a killed process whose pid is in use again. */
  readonly heldMs: number;
}

const RETRY_MS = 25;
/** The time that a holder has to write its name after creating the file. */
const UNNAMED_MS = 2_000;

/** Runs `act` while holding the lock file. A lock of a killed process is removed. */
export async function withFileLock<T>(path: string, limits: LockLimits, act: () => Promise<T>): Promise<T> {
  const { mkdir, readFile, unlink } = disk();
  const name = `${process.pid} ${randomKey().slice(0, 16)}`;
  await mkdir(process.getBuiltinModule('node:path').dirname(path), { recursive: true, mode: 0o700 });
  const until = Date.now() + limits.waitMs;
  while (!(await take(path, name))) {
    await breakAbandoned(path, limits);
    if (Date.now() > until) throw busy(path);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  try {
    return await act();
  } finally {
    // Another process may have taken over the lock after `heldMs`; do not remove its lock.
    const holder = await readFile(path, 'utf8').catch(() => undefined);
    if (holder === name) await unlink(path).catch(() => undefined);
  }
}

async function take(path: string, name: string): Promise<boolean> {
  const { open } = disk();
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(name).finally(() => file.close());
    return true;
  } catch (error) {
    // Windows reports EPERM for a file that is being deleted.
    if (['EEXIST', 'EPERM', 'EBUSY'].includes(String(codeOf(error)))) return false;
    throw error;
  }
}

/** Removes an abandoned lock. Guarded by a second lock, so that no process removes the lock of the next holder. */
async function breakAbandoned(path: string, limits: LockLimits): Promise<void> {
  if (!(await isAbandoned(path, limits.heldMs))) return;
  const { unlink } = disk();
  const breaking = `${path}.breaking`;
  if (await take(breaking, String(process.pid))) {
    try {
      if (await isAbandoned(path, limits.heldMs)) await unlink(path).catch(unlessGone);
    } finally {
      await unlink(breaking).catch(unlessGone);
    }
  } else if (await isAbandoned(breaking, UNNAMED_MS)) await unlink(breaking).catch(unlessGone);
}

async function isAbandoned(path: string, heldMs: number): Promise<boolean> {
  const { readFile, stat } = disk();
  try {
    const [holder, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    const age = Date.now() - mtimeMs;
    if (age > heldMs) return true;
    return holder === '' ? age > UNNAMED_MS : !isAlive(Number.parseInt(holder, 10));
  } catch (error) {
    unlessGone(error);
    return false;
  }
}

/** Ignores that another process removed the file; Windows reports this with other codes. */
function unlessGone(error: unknown): void {
  if (!['ENOENT', 'EPERM', 'EBUSY'].includes(String(codeOf(error)))) throw error;
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM'; // the process exists, but belongs to another user
  }
}

function busy(path: string): PortolanError {
  return new PortolanError(ErrorCode.WriteFailed, `another Portolan process holds the lock ${path}`, {
    hint: 'try again in a moment',
  });
}

function disk() {
  return process.getBuiltinModule('node:fs').promises;
}
