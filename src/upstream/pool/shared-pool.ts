import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { Sharing } from './sharing.js';
import { type Lease, type LeaseOptions, type ServerStatus, Slot } from './slot.js';
import { StartQueue } from './start-queue.js';
import type { WorkspaceHooks } from './workspace-hooks.js';

/** Local programs fight for the same processor and disk while they start; remote ones only make us wait. */
const LOCAL_STARTS_AT_ONCE = 3;
const REMOTE_STARTS_AT_ONCE = 20;
/** By then a server that works has said something, or waits for the net: one that hangs keeps no other from its start. */
const SLOW_START_MS = 3_000;
/** As many launches are remembered as asking for roots; what is forgotten is learned again. */
const MAX_ROOT_ASKERS = 10_000;

export interface SharedPoolOptions {
  readonly log: Log;
  /** A clock that is never set back, in milliseconds. */
  readonly now?: () => number;
  readonly random?: () => number;
}

/** What is started for whom: the launch, and how far it may be shared. */
export interface Wanted extends Sharing {
  readonly server: AdmittedServer;
  readonly launch: string;
}

/** A process that runs for somebody, as `portolan ps` shows it. */
export interface RunningServer extends ServerStatus {
  readonly servers: readonly AdmittedServer[];
  readonly workspaces: readonly WorkspaceHooks[];
  /** Those that run at this moment. */
  readonly calls: number;
  readonly callsMade: number;
  /** The sessions of the clients that have called it and are still there. */
  readonly callers: readonly string[];
}

/** Every open connection of this process: each launch once, however many workspaces ask, and only while it is used. */
export class SharedPool implements AsyncDisposable {
  readonly #slots = new Map<string, Slot>();
  /** Not configured any more, and still used by somebody. */
  readonly #leaving = new Set<Slot>();
  readonly #local = new StartQueue(LOCAL_STARTS_AT_ONCE, SLOW_START_MS);
  readonly #remote = new StartQueue(REMOTE_STARTS_AT_ONCE, SLOW_START_MS);
  readonly #ending = new AbortController();
  readonly #rootAskers = new Set<string>();
  readonly #ids = new WeakMap<WorkspaceHooks, number>();
  readonly #options: SharedPoolOptions;
  /** Where the servers were found last: every call asks. Forgotten whenever anything changes of what it depends on. */
  #found = new WeakMap<AdmittedServer, Slot>();
  #lastId = 0;

  constructor(options: SharedPoolOptions) {
    this.#options = options;
  }

  /** Whether a server of this launch wanted to know where its client works. */
  asksForRoots(launch: string): boolean {
    return this.#rootAskers.has(launch);
  }

  status(wanted: Wanted, hooks: WorkspaceHooks): ServerStatus {
    const held = wanted.share === 'session' ? this.#anyOf(wanted, hooks) : this.#slots.get(this.#keyOf(wanted, hooks));
    return held?.status ?? { state: 'disconnected' };
  }

  /** At once where the server is open. */
  lease(
    server: AdmittedServer,
    wanted: (server: AdmittedServer) => Wanted,
    hooks: WorkspaceHooks,
    options: LeaseOptions,
  ): Lease | Promise<Lease> {
    const known = this.#found.get(server);
    if (known?.isOpen) return known.lease(server, hooks, options);
    if (this.#ending.signal.aborted)
      return Promise.reject(new PortolanError(ErrorCode.ConnectionError, 'the gateway is shutting down'));
    const first = wanted(server);
    const slot = this.#slotOf(first, hooks, options.session);
    const { key } = slot;
    const leased = slot.lease(server, hooks, options);
    if (!(leased instanceof Promise)) {
      if (first.share !== 'session') this.#found.set(server, slot);
      return leased;
    }
    return leased.then((lease) => {
      if (slot.key === key || slot.members.has(server)) return lease;
      // While it started it turned out to belong to another workspace.
      lease[Symbol.dispose]();
      return this.#slotOf(wanted(server), hooks, options.session).lease(server, hooks, options);
    });
  }

  /** Stops the servers of this workspace that are missing from `wanted`, as soon as they have no user. */
  retain(hooks: WorkspaceHooks, wanted: readonly Wanted[]): void {
    this.#forgetPlaces();
    const kept = new Map(wanted.map((one) => [one.launch, one.server]));
    for (const slot of this.#slots.values()) {
      const mine = [...slot.members].filter(([, member]) => member === hooks).map(([server]) => server);
      if (mine.length === 0) continue;
      const now = kept.get(slot.launch);
      for (const server of mine.filter((one) => !wanted.some((other) => other.server === one))) {
        if (now) slot.members.delete(server);
        else slot.leave(server, hooks);
      }
      if (now) slot.members.set(now, hooks);
      else if (slot.members.size === 0) this.#drop(slot, 'it is not configured any more');
    }
    for (const slot of this.#leaving) if (slot.isEmpty) this.#leaving.delete(slot);
  }

  /** What ran for one client alone is stopped when that one is gone. */
  endSession(hooks: WorkspaceHooks, session: string): void {
    const prefix = this.#sessionPrefix(hooks, session);
    for (const [key, slot] of this.#slots) {
      slot.callers.delete(session);
      if (key.startsWith(prefix)) this.#drop(slot, 'its client is gone');
    }
  }

  /** How many there are of each state. */
  states(): Readonly<Record<ServerStatus['state'], number>> {
    const counts = { connected: 0, starting: 0, disconnected: 0 };
    for (const { status } of [...this.#slots.values(), ...this.#leaving]) counts[status.state] += 1;
    return counts;
  }

  running(): readonly RunningServer[] {
    return [...this.#slots.values(), ...this.#leaving]
      .filter(({ status }) => status.state !== 'disconnected')
      .map((slot) => ({
        ...slot.status,
        servers: [...slot.members.keys()],
        workspaces: [...new Set(slot.members.values())],
        calls: slot.users,
        callsMade: slot.callsMade,
        callers: [...slot.callers],
      }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#forgetPlaces();
    const slots = [...this.#slots.values(), ...this.#leaving];
    await Promise.all(slots.map((slot) => slot.end('the gateway is shutting down')));
  }

  #forgetPlaces(): void {
    this.#found = new WeakMap();
  }

  #drop(slot: Slot, reason: string): void {
    this.#forgetPlaces();
    this.#slots.delete(slot.key);
    this.#leaving.add(slot);
    void slot.stop(reason).finally(() => {
      if (slot.isEmpty) this.#leaving.delete(slot);
    });
  }

  #slotOf(wanted: Wanted, hooks: WorkspaceHooks, session: string | undefined): Slot {
    const key = this.#keyOf(wanted, hooks, session);
    const held = this.#slots.get(key);
    if (held) return held;
    const { log, now = () => performance.now(), random } = this.#options;
    const slot = new Slot(key, wanted.launch, {
      ...{ log, now, random, ending: this.#ending.signal },
      turnsFor: ({ definition }) => (definition.transport === 'stdio' ? this.#local : this.#remote),
      isKept: (one) => this.#slots.get(one.key) === one,
      onRootsRequest: (one, opener) => this.#onRootsRequest(one, opener, wanted),
    });
    this.#slots.set(key, slot);
    return slot;
  }

  /** A server that asks where its client works is the server of that workspace from now on, and of no other. */
  #onRootsRequest(slot: Slot, opener: WorkspaceHooks, { share, isSaid }: Wanted): void {
    this.#forgetPlaces();
    if (this.#rootAskers.size < MAX_ROOT_ASKERS) this.#rootAskers.add(slot.launch);
    for (const [server, hooks] of slot.members) if (hooks === opener) hooks.onRootsRequest?.(server);
    const key = `workspace ${this.#idOf(opener)} ${slot.launch}`;
    if (isSaid || share !== 'machine' || slot.key === key || this.#slots.has(key)) return;
    if (this.#slots.get(slot.key) === slot) {
      this.#slots.delete(slot.key);
      this.#slots.set(key, slot);
    }
    slot.key = key;
    for (const [server, hooks] of slot.members) if (hooks !== opener) slot.members.delete(server);
  }

  #keyOf({ share, launch }: Wanted, hooks: WorkspaceHooks, session = ''): string {
    switch (share) {
      case 'machine':
        return `machine ${launch}`;
      case 'workspace':
        return `workspace ${this.#idOf(hooks)} ${launch}`;
      case 'session':
        return `${this.#sessionPrefix(hooks, session)}${launch}`;
    }
  }

  #sessionPrefix(hooks: WorkspaceHooks, session: string): string {
    return `session ${this.#idOf(hooks)} ${JSON.stringify(session)} `;
  }

  /** For whoever asks about a server without being one of those who use it. */
  #anyOf({ launch }: Wanted, hooks: WorkspaceHooks): Slot | undefined {
    const prefix = `session ${this.#idOf(hooks)} `;
    const mine = [...this.#slots.values()].filter((slot) => slot.launch === launch && slot.key.startsWith(prefix));
    return mine.find(({ status }) => status.state === 'connected') ?? mine[0];
  }

  #idOf(hooks: WorkspaceHooks): number {
    const known = this.#ids.get(hooks);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#ids.set(hooks, this.#lastId);
    return this.#lastId;
  }
}
