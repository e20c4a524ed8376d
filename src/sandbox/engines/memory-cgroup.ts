import { join } from 'node:path';
import { entryOf, randomKey } from '../../base/index.js';
import { type CgroupPlace, cgroupPlaces } from './cgroup-places.js';

/** One group for one guest; all processes that the guest starts belong to it. */
export interface MemoryCgroup {
  /** A process that cannot be moved runs with its other limits alone. */
  add(pid: number): void;
  /** Resolves when the group is gone, or when its processes take too long to end. */
  remove(): Promise<void>;
}

const REMOVE_EVERY_MS = 10;
const REMOVE_TRIES = 100;
const LIMIT_FILES = { 1: 'memory.limit_in_bytes', 2: 'memory.max' } as const;

/** Makes a cgroup with a memory limit, or nothing where this process may not. */
export function makeMemoryCgroup(bytes: number): MemoryCgroup | undefined {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const own = attempt(() => readFileSync('/proc/self/cgroup', 'utf8'));
  const mounts = attempt(() => readFileSync('/proc/self/mountinfo', 'utf8'));
  if (own === undefined || mounts === undefined) return undefined;
  for (const place of cgroupPlaces(mounts, own, process.getuid?.() === 0)) {
    const folder = attempt(() => makeIn(place, bytes));
    if (folder !== undefined) return cgroupOf(folder);
  }
  return undefined;
}

/** The folder of the new cgroup. */
function makeIn({ version, folder }: CgroupPlace, bytes: number): string | undefined {
  const { accessSync, constants, mkdirSync, readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
  // To move a process, the cgroup that contains both its old and its new cgroup must be writable as well.
  for (const path of [folder, join(folder, 'cgroup.procs')]) accessSync(path, constants.W_OK);
  const isControlled = version === 1 || /\bmemory\b/.test(readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8'));
  if (!isControlled) return undefined;
  removeLeftOver(folder);
  const made = join(folder, `portolan-sandbox-${process.pid}-${randomKey().slice(0, 16)}`);
  mkdirSync(made);
  const write = (name: string, text: string) => attempt(() => writeFileSync(join(made, name), text) ?? true);
  if (!write(LIMIT_FILES[version], String(bytes))) {
    isRemoved(made);
    return undefined;
  }
  // Not every kernel counts swap.
  if (version === 1) write('memory.memsw.limit_in_bytes', String(bytes));
  else
    for (const [name, text] of [
      ['memory.swap.max', '0'],
      ['memory.oom.group', '1'],
    ] as const)
      write(name, text);
  return made;
}

function cgroupOf(folder: string): MemoryCgroup {
  const { writeFileSync } = process.getBuiltinModule('node:fs');
  return {
    add: (pid) => void attempt(() => writeFileSync(join(folder, 'cgroup.procs'), String(pid))),
    async remove() {
      for (let n = 0; n < REMOVE_TRIES && !isRemoved(folder); n += 1)
        await new Promise((resolve) => setTimeout(resolve, REMOVE_EVERY_MS));
    },
  };
}

/** A gateway that was killed left its cgroups behind. One that still has processes cannot be removed. */
function removeLeftOver(folder: string): void {
  for (const name of process.getBuiltinModule('node:fs').readdirSync(folder)) {
    const [, pid] = /^portolan-sandbox-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !entryOf(Number(pid))) isRemoved(join(folder, name));
  }
}

function isRemoved(folder: string): boolean {
  const { existsSync, rmdirSync } = process.getBuiltinModule('node:fs');
  attempt(() => rmdirSync(folder));
  return !existsSync(folder);
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
