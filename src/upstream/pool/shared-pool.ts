import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import { chooseProcess, type EraFacts } from './choose-process.js';
import type { Sharing } from './sharing.js';
import { type Lease, type LeaseOptions, type ServerStatus, Slot } from './slot.js';
import { StartQueue } from './start-queue.js';
import type { WorkspaceHooks } from './workspace-hooks.js';

/** Local programs compete for CPU and disk while they start; remote servers only take time. */
const LOCAL_STARTS_AT_ONCE = 3;
const REMOTE_STARTS_AT_ONCE = 20;
/** A start that takes longer leaves its place in the queue, so that a hanging server does not block others. */
const SLOW_START_MS = 3_000;
/** Limits the remembered launches that ask for roots. */
const MAX_ROOT_ASKERS = 10_000;
/** Ends the key of a second process of a server. */
const SECOND = ' second';

export interface SharedPoolOptions {
  readonly log: Log;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  readonly random?: () => number;
}

/** A server that is to be started, with the key of its launch and its sharing. */
export interface Wanted extends Sharing, EraFacts {
  readonly server: AdmittedServer;
  readonly launch: string;
}

/** A running server, as `portolan ps` shows it. */
export interface RunningServer extends ServerStatus {
  readonly servers: readonly AdmittedServer[];
  readonly workspaces: readonly WorkspaceHooks[];
  /** The number of current users. */
  readonly calls: number;
  readonly callsMade: number;
  /** Sessions of the connected clients that have called it. */
  readonly callers: readonly string[];
}

/** All open connections of this process: one or two per launch, shared by workspaces, and stopped when unused. */
export class SharedPool implements AsyncDisposable {
  readonly #slots = new Map<string, Slot>();
  /** Removed from the configuration, but still in use. */
  readonly #leaving = new Set<Slot>();
  readonly #local = new StartQueue(LOCAL_STARTS_AT_ONCE, SLOW_START_MS);
  readonly #remote = new StartQueue(REMOTE_STARTS_AT_ONCE, SLOW_START_MS);
  readonly #ending = new AbortController();
  readonly #rootAskers = new Set<string>();
  readonly #ids = new WeakMap<WorkspaceHooks, number>();
  readonly #options: SharedPoolOptions;
  /** Cache for calls: the slot of each server by the era of the client. Cleared whenever slots or their members change. */
  #found = noPlaces();
  #lastId = 0;

  constructor(options: SharedPoolOptions) {
    this.#options = options;
  }

  /** Whether a server of this launch has asked for roots. */
  asksForRoots(launch: string): boolean {
    return this.#rootAskers.has(launch);
  }

  status(wanted: Wanted, hooks: WorkspaceHooks): ServerStatus {
    const key = this.#keyOf(wanted, hooks);
    const held = wanted.share === 'session' ? this.#anyOf(wanted, hooks) : this.#slots.get(key);
    const second = wanted.share === 'session' ? undefined : this.#slots.get(`${key}${SECOND}`);
    return (second?.isActive && !held?.isActive ? second : held)?.status ?? { state: 'disconnected' };
  }

  /** Returns without a promise if the server is open. */
  lease(
    server: AdmittedServer,
    wanted: (server: AdmittedServer) => Wanted,
    hooks: WorkspaceHooks,
    options: LeaseOptions,
  ): Lease | Promise<Lease> {
    const found = this.#found[options.era ?? 'any'];
    const known = found.get(server);
    if (known?.isOpen) return known.lease(server, hooks, options);
    if (this.#ending.signal.aborted)
      return Promise.reject(new PortolanError(ErrorCode.ConnectionError, 'the gateway is shutting down'));
    const first = wanted(server);
    const slot = this.#slotOf(first, hooks, options);
    const { key } = slot;
    const leased = slot.lease(server, hooks, options);
    if (!(leased instanceof Promise)) {
      if (first.share !== 'session') found.set(server, slot);
      return leased;
    }
    return leased.then(
      (lease) => {
        if (slot.key === key || slot.members.has(server)) return lease;
        // During its start it asked for roots and now belongs to another workspace.
        lease[Symbol.dispose]();
        return this.#slotOf(wanted(server), hooks, options).lease(server, hooks, options);
      },
      (error: unknown) => {
        const twin = this.#twinOf(slot);
        // A server of which only one process can run serves all clients with that one.
        if (!twin?.isOpen || !mayUseTwin(error)) throw error;
        return twin.lease(server, hooks, options);
      },
    );
  }

  /** The next lease of the server looks for its process again. */
  forget(server: AdmittedServer): void {
    for (const found of Object.values(this.#found)) found.delete(server);
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
      else if (slot.members.size === 0) this.#drop(slot, 'it was removed from the configuration');
    }
    for (const slot of this.#leaving) if (slot.isEmpty) this.#leaving.delete(slot);
  }

  /** Stops the servers that ran for this session only. */
  endSession(hooks: WorkspaceHooks, session: string): void {
    const prefix = this.#sessionPrefix(hooks, session);
    for (const [key, slot] of this.#slots) {
      slot.left(session);
      if (key.startsWith(prefix)) this.#drop(slot, 'its client disconnected');
    }
  }

  /** The number of servers in each state. */
  states(): Readonly<Record<ServerStatus['state'], number>> {
    const counts = { connected: 0, starting: 0, disconnected: 0 };
    for (const { status, key } of [...this.#slots.values(), ...this.#leaving])
      if (status.state !== 'disconnected' || !key.endsWith(SECOND)) counts[status.state] += 1;
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
    this.#found = noPlaces();
  }

  #drop(slot: Slot, reason: string): void {
    this.#forgetPlaces();
    this.#slots.delete(slot.key);
    this.#leaving.add(slot);
    void slot.stop(reason).finally(() => {
      if (slot.isEmpty) this.#leaving.delete(slot);
    });
  }

  #slotOf(wanted: Wanted, hooks: WorkspaceHooks, options: LeaseOptions): Slot {
    const base = this.#keyOf(wanted, hooks, options.session);
    const [first, second] = [this.#slots.get(base), this.#slots.get(`${base}${SECOND}`)];
    const facts = {
      supported: { ...wanted.supported, ...first?.eras, ...second?.eras },
      asksClient: wanted.asksClient || first?.asksClient === true || second?.asksClient === true,
    };
    const isSecond = chooseProcess(wanted.server, options, facts, [first, second]) === 'second';
    return (isSecond ? second : first) ?? this.#newSlot(isSecond ? `${base}${SECOND}` : base, wanted);
  }

  #newSlot(key: string, wanted: Wanted): Slot {
    const { log, now = () => performance.now(), random } = this.#options;
    const slot = new Slot(key, wanted.launch, {
      ...{ log, now, random, ending: this.#ending.signal },
      turnsFor: ({ definition }) => (definition.transport === 'stdio' ? this.#local : this.#remote),
      isKept: (one) => this.#slots.get(one.key) === one,
      onRootsRequest: (one, opener) => this.#onRootsRequest(one, opener, wanted),
      onChange: () => this.#forgetPlaces(),
      hasOpenTwin: (one) => this.#twinOf(one)?.isOpen === true,
      isSpare: (one) => one.key.endsWith(SECOND) && one.era !== undefined && this.#twinOf(one)?.era === one.era,
    });
    this.#slots.set(key, slot);
    return slot;
  }

  /** A server that asks for roots depends on the workspace, so from now on only the workspace that started it uses it. */
  #onRootsRequest(slot: Slot, opener: WorkspaceHooks, { share, isConfigured }: Wanted): void {
    this.#forgetPlaces();
    if (this.#rootAskers.size < MAX_ROOT_ASKERS) this.#rootAskers.add(slot.launch);
    for (const [server, hooks] of slot.members) if (hooks === opener) hooks.onRootsRequest?.(server);
    const key = `workspace ${this.#idOf(opener)} ${slot.launch}${slot.key.endsWith(SECOND) ? SECOND : ''}`;
    if (isConfigured || share !== 'machine' || slot.key === key || this.#slots.has(key)) return;
    if (this.#slots.get(slot.key) === slot) {
      this.#slots.delete(slot.key);
      this.#slots.set(key, slot);
    }
    slot.key = key;
    for (const [server, hooks] of slot.members) if (hooks !== opener) slot.members.delete(server);
  }

  /** The other process of the same server. */
  #twinOf({ key }: Slot): Slot | undefined {
    return this.#slots.get(key.endsWith(SECOND) ? key.slice(0, -SECOND.length) : `${key}${SECOND}`);
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

  /** Finds a server that is started per session, for a status request without a session. */
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

function noPlaces() {
  return {
    legacy: new WeakMap<AdmittedServer, Slot>(),
    modern: new WeakMap<AdmittedServer, Slot>(),
    any: new WeakMap<AdmittedServer, Slot>(),
  };
}

function mayUseTwin(error: unknown): boolean {
  return (
    error instanceof PortolanError && error.code !== ErrorCode.Cancelled && error.code !== ErrorCode.ServerNotApproved
  );
}
