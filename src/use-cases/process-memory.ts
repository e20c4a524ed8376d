import { allProcesses, type ProcessEntry } from '../base/index.js';

/** The time limit for `ps`, which normally takes milliseconds. */
const PS_LIMIT_MS = 2_000;
const MAX_PS_BYTES = 8 * 1024 * 1024;
const KILOBYTE = 1024;

/** The memory of each process with its descendants, in bytes; processes without data are left out. */
export async function memoryOf(leaders: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (leaders.length === 0) return new Map();
  const table = await allProcesses();
  if (table === undefined) return new Map();
  const bytesOf = process.platform === 'linux' ? shareOf : await residentSizes();
  const sums = leaders.map((leader) => {
    const parts = treeOf(leader, table).flatMap(({ pid }) => bytesOf(pid) ?? []);
    return [leader, parts.reduce((sum, bytes) => sum + bytes, 0)] as const;
  });
  return new Map(sums.filter(([, bytes]) => bytes > 0));
}

/** Members of a server's process group and session, and children that left both, found by their parent. */
function treeOf(leader: number, table: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const found = new Map<number, ProcessEntry>();
  const belongs = ({ pid, group, session, parent }: ProcessEntry): boolean =>
    pid === leader || group === leader || session === leader || found.has(parent);
  let before: number;
  do {
    before = found.size;
    for (const entry of table)
      if (!entry.isDead && !found.has(entry.pid) && belongs(entry)) found.set(entry.pid, entry);
  } while (found.size > before);
  return [...found.values()];
}

/** The proportional set size, so that sums are correct; the resident size if it is not available. */
function shareOf(pid: number): number | undefined {
  return (
    kilobytesIn(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB/m) ??
    kilobytesIn(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB/m)
  );
}

function kilobytesIn(path: string, line: RegExp): number | undefined {
  try {
    const [, kilobytes] = line.exec(process.getBuiltinModule('node:fs').readFileSync(path, 'latin1')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * KILOBYTE;
  } catch {
    return undefined; // the process has ended, or belongs to another user
  }
}

async function residentSizes(): Promise<(pid: number) => number | undefined> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const limits = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, timeout: PS_LIMIT_MS, maxBuffer: MAX_PS_BYTES };
  const text = await new Promise<string>((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=', '-o', 'rss='], limits, (error, stdout) => resolve(error ? '' : stdout));
  });
  const sizes = new Map(
    [...text.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm)].map(([, pid, size]) => [Number(pid), Number(size) * KILOBYTE]),
  );
  return (pid) => sizes.get(pid);
}
