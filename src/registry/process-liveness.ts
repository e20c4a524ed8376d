import { allProcesses, currentBoot, entryOf, type ProcessEntry, type ProcessIdentity } from '../base/index.js';

/** `elsewhere`: the same start of the machine, but numbers that count in another container. */
export type Liveness = 'alive' | 'dead' | 'elsewhere';

/** What one look at the machine tells of processes. */
export interface ProcessLook {
  readonly boot: string;
  /** Undefined where the process is gone or may not be looked at. */
  entry(pid: number): ProcessEntry | undefined;
  /** Whether the number is taken, be it by another user's process. */
  isTaken(pid: number): boolean;
}

/** A verdict that was `dead` once stays so, whatever process gets the number: that is why files of the dead can be removed without a lock. */
export function livenessOf({ boot, pid, start }: ProcessIdentity, look: ProcessLook): Liveness {
  // Where one of the two could not be read, there is nothing to compare.
  if (boot !== look.boot && boot !== '' && look.boot !== '')
    return machineOf(boot) === machineOf(look.boot) ? 'elsewhere' : 'dead';
  const entry = look.entry(pid);
  if (entry === undefined) return look.isTaken(pid) ? 'alive' : 'dead';
  return entry.isDead || (start !== '' && entry.start !== start) ? 'dead' : 'alive';
}

/** The start of the machine, without the name space. */
export function machineOf(boot: string): string {
  return boot.split(' ')[0] ?? '';
}

/** Where asking for one process costs a process (macOS), all are asked for at once; each is asked for once. */
export async function lookAtProcesses(): Promise<ProcessLook> {
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

/** The same where nothing may be started to ask: what is not told of a process is taken to be as it should. */
export async function glanceAtProcesses(): Promise<ProcessLook> {
  if (process.platform === 'linux') return lookAtProcesses();
  return { boot: currentBoot(), entry: () => undefined, isTaken };
}

/** Another user's process may not be signalled, and is there all the same. */
export function isTaken(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
