import { ErrorCode, PortolanError, randomKey } from '../../base/index.js';

export interface LockLimits {
  /** How long one waits for others. */
  readonly waitMs: number;
  /** Nobody holds it for longer: what is older was left by a process that was killed and whose number is taken again. */
  readonly heldMs: number;
}

const LOOK_AGAIN_MS = 25;
/** A holder that has made its file but not yet written its name is given this long. */
const UNNAMED_MS = 2_000;

/** Runs `act` while no other process runs one under the same path. A process that was killed holds nothing. */
export async function withFileLock<T>(path: string, limits: LockLimits, act: () => Promise<T>): Promise<T> {
  const { mkdir, readFile, unlink } = disk();
  const name = `${process.pid} ${randomKey().slice(0, 16)}`;
  await mkdir(process.getBuiltinModule('node:path').dirname(path), { recursive: true, mode: 0o700 });
  const until = Date.now() + limits.waitMs;
  while (!(await take(path, name))) {
    await breakAbandoned(path, limits);
    if (Date.now() > until) throw busy(path);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  try {
    return await act();
  } finally {
    // Whoever took us for dead holds it by now: what is theirs is left to them.
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
    // Windows says EPERM of a file that is being deleted.
    if (['EEXIST', 'EPERM', 'EBUSY'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Takes away a lock whose holder is gone. One does it at a time: a second would take it from whoever came next. */
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

/** Someone else was faster; Windows says so in words of its own. */
function unlessGone(error: unknown): void {
  if (!['ENOENT', 'EPERM', 'EBUSY'].includes(codeOf(error))) throw error;
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM'; // there, but another user's
  }
}

function busy(path: string): PortolanError {
  return new PortolanError(ErrorCode.WriteFailed, `another Portolan holds ${path}`, { hint: 'try again in a moment' });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function disk() {
  return process.getBuiltinModule('node:fs').promises;
}
