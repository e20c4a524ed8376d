/** What tells a process from a later one that was given the same number. */
export interface ProcessIdentity {
  /** This start of this machine, and on Linux the name space in which the number counts; empty where `start` says it all. */
  readonly boot: string;
  readonly pid: number;
  /** Ticks since the machine started on Linux, seconds since 1970 elsewhere. */
  readonly start: string;
}

/** One line of the table of processes. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 where the system does not tell. */
  readonly session: number;
  readonly start: string;
  /** It has ended, and only waits to be asked how. */
  readonly isDead: boolean;
}

/** One question to `ps` takes milliseconds; a machine on which it takes longer has no answer for us. */
const PS_LIMIT_MS = 2_000;
const MAX_PS_BYTES = 8 * 1024 * 1024;
/** Fifty-two numbers and a name of at most 64 bytes are a quarter of it. */
const MAX_STAT_BYTES = 4096;
/** The same words whatever language and zone the person uses. */
const PS_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
/** Each with a flag of its own: the BSDs take all that follows a `=` for a title. */
const PS_COLUMNS = ['pid=', 'ppid=', 'pgid=', 'stat=', 'lstart='].flatMap((column) => ['-o', column]);

/** Undefined for a process that has ended, be it reaped or not, and where the system (Windows) tells no start times. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const entry = entryOf(pid);
  return entry === undefined || entry.isDead ? undefined : { boot: currentBoot(), pid, start: entry.start };
}

/** Whether this very process still runs, and not another one with its number. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.boot !== currentBoot()) return false;
  return identityOf(identity.pid)?.start === identity.start;
}

/** Undefined where there is no such process, or no way to ask. */
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

/** Every process that this user can see; undefined where there is no way to ask. */
export async function allProcesses(): Promise<readonly ProcessEntry[] | undefined> {
  if (process.platform === 'linux') return linuxEntries();
  if (process.platform === 'win32') return undefined;
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    const limits = { env: PS_ENVIRONMENT, timeout: PS_LIMIT_MS, maxBuffer: MAX_PS_BYTES };
    execFile('ps', ['-A', ...PS_COLUMNS], limits, (error, stdout) => resolve(error ? undefined : parsePs(stdout)));
  });
}

/** The fields stand after the last `)`: what is before it is a name that the process chose, with any character in it. */
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

/** What `ps` says in the columns that we ask for; a line that is none is left out. */
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
  // Where /proc is not mounted we are not in it either.
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
    return undefined; // it ended between two looks
  }
}

let statBytes: Buffer | undefined;

/** A file of /proc does not tell its size, and Node sets 64 kB aside for such a one: of all processes that is tens of megabytes. */
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

/** This start of this machine and the name space of our numbers; empty where the system does not tell, or cannot just now. */
export function currentBoot(): string {
  // Nothing is remembered of a failure: a process that is out of file descriptors has some again later.
  if (knownBoot === '' && process.platform === 'linux') knownBoot = linuxBoot();
  return knownBoot;
}

function linuxBoot(): string {
  const { readFileSync, readlinkSync } = process.getBuiltinModule('node:fs');
  try {
    // Containers share the machine's start but count from 1 each: 57 in one is not 57 in the other.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
