import { allProcesses, type ProcessEntry } from '../../base/index.js';

/** The first wait for an end is short, for most servers end at once; the later ones spare the machine. */
const FIRST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 100;
/** While its group is there, the whole table is read at every so many looks only. */
const LOOKS_PER_TABLE = 5;
/** Many trees that end at once share one reading. A tree that was empty then is empty for good: nobody can join it. */
const TABLE_MS = 20;
/** Nothing outlives SIGKILL for long but what hangs in the kernel. */
const KILL_LIMIT_MS = 2_000;
/** As long as an `npx` with a server under it needs to tidy up. */
export const DEFAULT_GRACE_MS = 1_500;
const MAX_GRACE_MS = 60_000;

export interface EndOptions {
  /** How long it may take after the end of its stdin, and again after SIGTERM. */
  readonly graceMs?: number;
  /** The first wait is for nothing where no stdin was ended. */
  readonly skipFirstWait?: boolean;
  /** Called when SIGTERM goes out: what has not read its stdin by now will not. */
  readonly onSignal?: () => void;
}

/** A process that leads its own session, and all that came from it, also what left its group or session. POSIX only. */
export class ProcessTree {
  readonly #leader: number;
  /** Sessions of ours: nobody can enter one but by birth, so all in them descend from the leader. */
  #sessions: ReadonlySet<number>;
  /** What was last seen in the tree apart from its group, by number and start: its parent may have ended since. */
  #apart: ReadonlyMap<number, string> = new Map();

  constructor(leader: number) {
    // kill() reads 0 and 1 as "us" and "everybody".
    if (!Number.isSafeInteger(leader) || leader <= 1 || leader === process.pid)
      throw new Error(`${leader} is no leader of a group`);
    this.#leader = leader;
    this.#sessions = new Set([leader]);
  }

  /** The groups and sessions in which parts of it live apart from its leader's; a tree that is looked at now and then loses none. */
  async outposts(maxAgeMs: number): Promise<ReadonlySet<number>> {
    const apart = ((await this.#look(maxAgeMs)) ?? []).filter(({ group }) => group !== this.#leader);
    const ids = apart.flatMap(({ group, session }) => [group, session]);
    return new Set(ids.filter((id) => id > 1 && id !== this.#leader));
  }

  /** Asks all to end, then makes them. False if something lives even so. */
  async end({ graceMs = DEFAULT_GRACE_MS, skipFirstWait = false, onSignal }: EndOptions = {}): Promise<boolean> {
    const grace = Math.min(Math.max(graceMs, 0), MAX_GRACE_MS);
    // Looked at before anything ends: a browser that a server started in a session of its own is found by its parent.
    await this.#look(0);
    if (!skipFirstWait && (await this.#gone(grace))) return true;
    onSignal?.();
    await this.#signal('SIGTERM');
    if (await this.#gone(grace)) return true;
    const deadline = performance.now() + KILL_LIMIT_MS;
    do {
      // Again and again: what forks while we look was not in the table.
      await this.#signal('SIGKILL');
      if (await this.#gone(LONGEST_LOOK_MS)) return true;
    } while (performance.now() < deadline);
    return false;
  }

  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const living = await this.#look(0);
    send(-this.#leader, signal);
    for (const { pid, group } of living ?? []) if (group !== this.#leader) send(pid, signal);
  }

  async #gone(limitMs: number): Promise<boolean> {
    const deadline = performance.now() + limitMs;
    for (let look = 0, wait = FIRST_LOOK_MS; ; look += 1, wait = Math.min(2 * wait, LONGEST_LOOK_MS)) {
      const left = deadline - performance.now();
      const isLast = left <= 0;
      if (isLast || look % LOOKS_PER_TABLE === LOOKS_PER_TABLE - 1 || !send(-this.#leader, 0))
        if (await this.#isEmpty()) return true;
      if (isLast) return false;
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, left)));
    }
  }

  async #isEmpty(): Promise<boolean> {
    const living = await this.#look(TABLE_MS);
    return living === undefined ? !send(-this.#leader, 0) : living.length === 0;
  }

  /** What lives of the tree; undefined where there is no table of processes. */
  async #look(maxAgeMs: number): Promise<readonly ProcessEntry[] | undefined> {
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
    // Only what lives now: a number that became free is soon somebody else's.
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

/** False if there is nobody to get it. */
function send(target: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    // macOS says EPERM of a group of which only the dead are left.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
