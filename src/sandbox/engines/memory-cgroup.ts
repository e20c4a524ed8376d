import { join } from 'node:path';
import { entryOf, randomKey } from '../../base/index.js';
import { type CgroupPlace, cgroupPlaces } from './cgroup-places.js';

/** A cgroup for one guest and all processes it starts. */
export interface MemoryCgroup {
  /** A process that cannot be moved runs with its other limits only. */
  add(pid: number): Promise<void>;
  /** Resolves when the cgroup is removed, or when its processes do not end in time. */
  remove(): Promise<void>;
}

const REMOVE_EVERY_MS = 10;
const REMOVE_TRIES = 100;
const LIMIT_FILES = { 1: 'memory.limit_in_bytes', 2: 'memory.max' } as const;

/**
 * Creates a cgroup with a memory limit, or returns undefined if this process is not permitted to. All operations are
 * asynchronous, because the kernel may take tens of milliseconds to change a cgroup.
 */
export async function makeMemoryCgroup(bytes: number): Promise<MemoryCgroup | undefined> {
  const { readFile } = await import('node:fs/promises');
  const own = await attempt(readFile('/proc/self/cgroup', 'utf8'));
  const mounts = await attempt(readFile('/proc/self/mountinfo', 'utf8'));
  if (own === undefined || mounts === undefined) return undefined;
  for (const place of cgroupPlaces(mounts, own, process.getuid?.() === 0)) {
    const folder = await attempt(makeIn(place, bytes));
    if (folder !== undefined) return cgroupOf(folder);
  }
  return undefined;
}

/** Returns the path of the new cgroup. */
async function makeIn({ version, folder }: CgroupPlace, bytes: number): Promise<string | undefined> {
  const { access, constants, mkdir, readFile, writeFile } = await import('node:fs/promises');
  // To move a process, the cgroup that contains both its old and its new cgroup must be writable as well.
  for (const path of [folder, join(folder, 'cgroup.procs')]) await access(path, constants.W_OK);
  const isControlled =
    version === 1 || /\bmemory\b/.test(await readFile(join(folder, 'cgroup.subtree_control'), 'utf8'));
  if (!isControlled) return undefined;
  await removeLeftOver(folder);
  const made = join(folder, `portolan-sandbox-${process.pid}-${randomKey().slice(0, 16)}`);
  await mkdir(made);
  try {
    await writeFile(join(made, LIMIT_FILES[version]), String(bytes));
  } catch (error) {
    await isRemoved(made);
    throw error;
  }
  // Some kernels do not account swap.
  const more =
    version === 1 ? { 'memory.memsw.limit_in_bytes': bytes } : { 'memory.swap.max': 0, 'memory.oom.group': 1 };
  for (const [name, value] of Object.entries(more)) await attempt(writeFile(join(made, name), String(value)));
  return made;
}

function cgroupOf(folder: string): MemoryCgroup {
  return {
    async add(pid) {
      const { writeFile } = await import('node:fs/promises');
      await attempt(writeFile(join(folder, 'cgroup.procs'), String(pid)));
    },
    async remove() {
      for (let n = 0; n < REMOVE_TRIES && !(await isRemoved(folder)); n += 1)
        await new Promise((resolve) => setTimeout(resolve, REMOVE_EVERY_MS));
    },
  };
}

/** Removes cgroups of gateways that were killed. One that still has processes cannot be removed. */
async function removeLeftOver(folder: string): Promise<void> {
  const { readdir } = await import('node:fs/promises');
  for (const name of await readdir(folder)) {
    const [, pid] = /^portolan-sandbox-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !entryOf(Number(pid))) await isRemoved(join(folder, name));
  }
}

async function isRemoved(folder: string): Promise<boolean> {
  const { rmdir, stat } = await import('node:fs/promises');
  await attempt(rmdir(folder));
  return (await attempt(stat(folder))) === undefined;
}

async function attempt<T>(doing: Promise<T>): Promise<T | undefined> {
  return doing.catch(() => undefined);
}
