import { allProcesses, currentBoot, entryOf, type ProcessEntry, type ProcessIdentity } from '../base/index.js';

/** `elsewhere`: the same boot, but the pid belongs to another container's namespace. */
export type Liveness = 'alive' | 'dead' | 'elsewhere';

/** A snapshot of the machine's processes. */
export interface ProcessSnapshot {
  readonly boot: string;
  /** Undefined if the process has exited or is not accessible. */
  entry(pid: number): ProcessEntry | undefined;
  /** Returns whether a process with this pid exists, including those of other users. */
  isTaken(pid: number): boolean;
}

/**
 * A process that is `dead` once stays so, even if its pid is reused. Therefore files of dead servers can be removed
 * without a lock.
 */
export function livenessOf({ boot, pid, start }: ProcessIdentity, snapshot: ProcessSnapshot): Liveness {
  // Unknown boot ids cannot be compared.
  if (boot !== snapshot.boot && boot !== '' && snapshot.boot !== '')
    return machineOf(boot) === machineOf(snapshot.boot) ? 'elsewhere' : 'dead';
  const entry = snapshot.entry(pid);
  if (entry === undefined) return snapshot.isTaken(pid) ? 'alive' : 'dead';
  return entry.isDead || (start !== '' && entry.start !== start) ? 'dead' : 'alive';
}

/** The boot id without the pid namespace. */
export function machineOf(boot: string): string {
  return boot.split(' ')[0] ?? '';
}

/** Reads all processes at once if reading one starts a process (macOS). Each is read only once. */
export async function readProcesses(): Promise<ProcessSnapshot> {
  const boot = currentBoot();
  if (process.platform === 'linux') {
    const seen = new Map<number, ProcessEntry | undefined>();
    const entry = (pid: number) => {
      if (!seen.has(pid)) seen.set(pid, entryOf(pid));
      return seen.get(pid);
    };
    return { boot, entry, isTaken };
  }
  const all = new Map((await allProcesses())?.map((entry) => [entry.pid, entry]));
  return { boot, entry: (pid) => all.get(pid), isTaken };
}

/** The same without starting a process: unknown facts about a process are assumed to match. */
export async function readProcessesWithoutSpawn(): Promise<ProcessSnapshot> {
  if (process.platform === 'linux') return readProcesses();
  return { boot: currentBoot(), entry: () => undefined, isTaken };
}

/** A process of another user cannot be signalled, but exists. */
export function isTaken(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
