import { isObject } from '../json/is-object.js';

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessIdentity {
  /** The boot id of the machine, on Linux with the pid namespace; empty if `start` is unique without it. */
  readonly boot: string;
  readonly pid: number;
  /** Ticks since boot on Linux, seconds since 1970 elsewhere. */
  readonly start: string;
}

/** One entry of the process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 if the system does not report it. */
  readonly session: number;
  readonly start: string;
  /** The process is a zombie: it has exited and was not reaped yet. */
  readonly isDead: boolean;
}

/** The timeout of `ps`, which normally takes milliseconds. */
const PS_LIMIT_MS = 2_000;
const MAX_PS_BYTES = 8 * 1024 * 1024;
/** Four times the longest possible line: 52 numbers and a name of at most 64 bytes. */
const MAX_STAT_BYTES = 4096;
/** Fixes the output format, whatever the user's language and time zone. */
const PS_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
/** One `-o` for each column, because the BSDs take everything after `=` as a column title. */
const PS_COLUMNS = ['pid=', 'ppid=', 'pgid=', 'stat=', 'lstart='].flatMap((column) => ['-o', column]);

/** Whether a value read from a file has the form of an identity. */
export function isIdentity(value: unknown): value is ProcessIdentity {
  if (!isObject(value)) return false;
  const { boot, pid, start } = value;
  return typeof boot === 'string' && Number.isSafeInteger(pid) && Number(pid) > 1 && typeof start === 'string';
}

/** Returns undefined for an exited process (reaped or not) and on Windows, which reports no start times. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const entry = entryOf(pid);
  return entry === undefined || entry.isDead ? undefined : { boot: currentBoot(), pid, start: entry.start };
}

/** Returns whether this process still runs, as opposed to another one with its pid. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.boot !== currentBoot()) return false;
  return identityOf(identity.pid)?.start === identity.start;
}

/** Returns undefined if there is no such process or the system has no process table. */
export function entryOf(pid: number): ProcessEntry | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (process.platform === 'linux') return linuxEntry(pid);
  if (process.platform === 'win32') return undefined;
  const { stdout } = process
    .getBuiltinModule('node:child_process')
    .spawnSync('ps', [...PS_COLUMNS, '-p', String(pid)], {
      env: PS_ENVIRONMENT,
      encoding: 'utf8',
      timeout: PS_LIMIT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  return parsePs(stdout ?? '').find((entry) => entry.pid === pid);
}

/** All processes that this user can see, or undefined if the system has no process table. */
export async function allProcesses(): Promise<readonly ProcessEntry[] | undefined> {
  if (process.platform === 'linux') return linuxEntries();
  if (process.platform === 'win32') return undefined;
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    const limits = { env: PS_ENVIRONMENT, timeout: PS_LIMIT_MS, maxBuffer: MAX_PS_BYTES };
    execFile('ps', ['-A', ...PS_COLUMNS], limits, (error, stdout) => resolve(error ? undefined : parsePs(stdout)));
  });
}

/** The fields follow the last `)`: the process chooses its own name, which can contain any character. */
export function parseStat(text: string): ProcessEntry | undefined {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  const start = fields[19] ?? '';
  if (!Number.isSafeInteger(pid) || !/^[A-Za-z]$/.test(state) || !/^\d+$/.test(start)) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start,
    isDead: /^[ZXx]$/.test(state),
  };
}

/** Parses the output of `ps`; lines in another format are skipped. */
export function parsePs(text: string): ProcessEntry[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', date = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line) ?? [];
    const start = Date.parse(`${date.trim()} UTC`) / 1000;
    if (!Number.isSafeInteger(start)) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: 0,
        start: String(start),
        isDead: state.startsWith('Z'),
      },
    ];
  });
}

function linuxEntries(): ProcessEntry[] | undefined {
  // If our own entry is missing, /proc is not mounted.
  if (linuxEntry(process.pid) === undefined) return undefined;
  const { readdirSync } = process.getBuiltinModule('node:fs');
  return readdirSync('/proc').flatMap((name) => {
    const entry = /^\d+$/.test(name) ? linuxEntry(Number(name)) : undefined;
    return entry === undefined ? [] : [entry];
  });
}

function linuxEntry(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(readStat(pid));
  } catch {
    return undefined; // the process exited in the meantime
  }
}

let statBytes: Buffer | undefined;

/** Files in /proc report no size, so `readFile` would allocate 64 kB for each: tens of megabytes for all processes. */
function readStat(pid: number): string {
  const { openSync, readSync, closeSync } = process.getBuiltinModule('node:fs');
  statBytes ??= Buffer.allocUnsafe(MAX_STAT_BYTES);
  const file = openSync(`/proc/${pid}/stat`, 'r');
  try {
    return statBytes.toString('latin1', 0, readSync(file, statBytes));
  } finally {
    closeSync(file);
  }
}

let knownBoot = '';

/** The boot id of the machine and our pid namespace; empty if the system does not report them or reading failed. */
export function currentBoot(): string {
  // A failure is not cached: it may be temporary, such as too many open files.
  if (knownBoot === '' && process.platform === 'linux') knownBoot = linuxBoot();
  return knownBoot;
}

function linuxBoot(): string {
  const { readFileSync, readlinkSync } = process.getBuiltinModule('node:fs');
  try {
    // Containers share the boot id but have pid namespaces of their own: pid 57 in one is not pid 57 in another.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
