// Our own search: packages look up children by their parent and miss those that got another parent.
import { allProcesses, type ProcessEntry } from '../../base/index.js';

/** The first wait is short because most servers exit at once; later waits grow to save CPU time. */
const FIRST_CHECK_MS = 10;
const LONGEST_CHECK_MS = 100;
/** While the group exists, only every n-th check reads the whole process table. */
const CHECKS_PER_TABLE = 5;
/** Trees that end at the same time share one read of the table. An empty tree stays empty: no process can join it. */
const TABLE_MS = 20;
/** Only a process that hangs in the kernel outlives SIGKILL for this long. */
const KILL_LIMIT_MS = 2_000;
/** Enough for `npx` and the server under it to shut down. */
export const DEFAULT_GRACE_MS = 1_500;
const MAX_GRACE_MS = 60_000;

export interface EndOptions {
  /** The time to exit after stdin was closed, and again after SIGTERM. */
  readonly graceMs?: number;
  /** Skips the first wait, for a process whose stdin was not closed. */
  readonly skipFirstWait?: boolean;
  /** Called right before SIGTERM: input that is unread by now will not be read. */
  readonly onSignal?: () => void;
}

/** A session leader and all its descendants, also those that left its group or session. POSIX only. */
export class ProcessTree {
  readonly #leader: number;
  /** Sessions of the tree. A process cannot join an existing session, so all processes in them descend from the leader. */
  #sessions: ReadonlySet<number>;
  /** Members last seen outside the group of the leader, as pid and start time: their parent may have exited since. */
  #apart: ReadonlyMap<number, string> = new Map();

  constructor(leader: number) {
    // kill() takes the group ids 0 and 1 (as -0 and -1) for our own group and for all processes.
    if (!Number.isSafeInteger(leader) || leader <= 1 || leader === process.pid)
      throw new Error(`${leader} is not the leader of a process group`);
    this.#leader = leader;
    this.#sessions = new Set([leader]);
  }

  /** Groups and sessions of the tree other than the leader's. Regular calls find descendants before their parents exit. */
  async groupsOutside(maxAgeMs: number): Promise<ReadonlySet<number>> {
    const apart = ((await this.#scan(maxAgeMs)) ?? []).filter(({ group }) => group !== this.#leader);
    const ids = apart.flatMap(({ group, session }) => [group, session]);
    return new Set(ids.filter((id) => id > 1 && id !== this.#leader));
  }

  /** Sends SIGTERM, then SIGKILL. False if a process survives. */
  async end({ graceMs = DEFAULT_GRACE_MS, skipFirstWait = false, onSignal }: EndOptions = {}): Promise<boolean> {
    const grace = Math.min(Math.max(graceMs, 0), MAX_GRACE_MS);
    // Read the tree before any process ends: a descendant in its own session is only found through its parent.
    await this.#scan(0);
    if (!skipFirstWait && (await this.#gone(grace))) return true;
    onSignal?.();
    await this.#signal('SIGTERM');
    if (await this.#gone(grace)) return true;
    const deadline = performance.now() + KILL_LIMIT_MS;
    do {
      // Repeat, because a process may fork after the table was read.
      await this.#signal('SIGKILL');
      if (await this.#gone(LONGEST_CHECK_MS)) return true;
    } while (performance.now() < deadline);
    return false;
  }

  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const living = await this.#scan(0);
    send(-this.#leader, signal);
    for (const { pid, group } of living ?? []) if (group !== this.#leader) send(pid, signal);
  }

  async #gone(limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    for (let round = 0, wait = FIRST_CHECK_MS; ; round += 1, wait = Math.min(2 * wait, LONGEST_CHECK_MS)) {
      const left = deadline - performance.now();
      const isLast = left <= 0;
      if (isLast || round % CHECKS_PER_TABLE === CHECKS_PER_TABLE - 1 || !send(-this.#leader, 0))
        if (await this.#isEmpty()) return true;
      if (isLast) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, left)));
    }
  }

  async #isEmpty(): Promise<boolean> {
    const living = await this.#scan(TABLE_MS);
    return living === undefined ? !send(-this.#leader, 0) : living.length === 0;
  }

  /** The living members of the tree; undefined if the process table cannot be read. */
  async #scan(maxAgeMs: number): Promise<readonly ProcessEntry[] | undefined> {
    const table = await processTable(maxAgeMs);
    if (table === undefined) return undefined;
    const found = new Map<number, ProcessEntry>();
    const sessions = new Set(this.#sessions);
    const isOurs = ({ pid, group, session, parent, start }: ProcessEntry): boolean =>
      group === this.#leader || sessions.has(session) || found.has(parent) || this.#apart.get(pid) === start;
    let before: number;
    do {
      before = found.size;
      for (const entry of table) {
        if (entry.isDead || entry.pid <= 1 || entry.pid === process.pid || found.has(entry.pid) || !isOurs(entry))
          continue;
        found.set(entry.pid, entry);
        if (entry.session > 1) sessions.add(entry.session);
      }
    } while (found.size > before);
    const living = [...found.values()];
    // Remember living members only: the system reuses free pids.
    this.#sessions = new Set([this.#leader, ...living.map(({ session }) => session).filter((id) => id > 1)]);
    this.#apart = new Map(
      living.filter(({ group }) => group !== this.#leader).map(({ pid, start }) => [pid, start] as const),
    );
    return living;
  }
}

let lastTable: { readonly at: number; readonly table: ReturnType<typeof allProcesses> } | undefined;

function processTable(maxAgeMs: number): ReturnType<typeof allProcesses> {
  const now = performance.now();
  if (lastTable === undefined || now - lastTable.at >= maxAgeMs) lastTable = { at: now, table: allProcesses() };
  return lastTable.table;
}

/** False if no such process or group exists. */
function send(target: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    // macOS reports EPERM for a group that only has zombies left.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
