import { ErrorCode, type Log, PortolanError, shellWord, unlessAborted } from '../../base/index.js';
import { NOT_RESTORED } from '../../model/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import type { NotRestored } from '../../rpc/index.js';
import { Backoff, STABLE_MS } from './backoff.js';
import { callSignal } from './call-signal.js';
import { IdleTimer } from './idle-timer.js';
import { ConnectionLease, type Lease } from './lease.js';
import { StandingRequests } from './standing-requests.js';
import type { StartQueue } from './start-queue.js';
import type { OpenEvents, OpenServer, WorkspaceHooks } from './workspace-hooks.js';

export type { Lease } from './lease.js';

/** A server that was only asked for its tools is stopped sooner than one that was called. */
const AFTER_READING_MS = 5_000;
/** A call waits at most this long for the next start; otherwise it fails with the remaining time. */
const LONGEST_PATIENCE_MS = 2_000;
/** Limits the recorded sessions: clients over HTTP may disconnect without notice. */
const MAX_CALLERS = 1_000;

export interface ServerStatus {
  readonly state: 'connected' | 'starting' | 'disconnected';
  /** Why the connection was lost or the start failed; cleared by the next successful start. */
  readonly error?: string;
  readonly pid?: number;
}

export interface LeaseOptions {
  readonly signal?: AbortSignal;
  /** `watch` does not keep a server that is no longer configured. `read` waits in the start queue; `inquiry` does not. */
  readonly purpose?: 'call' | 'inquiry' | 'read' | 'watch';
  /** The session of the client, for servers that are not shared. */
  readonly session?: string | undefined;
}

/** Dependencies that all slots of the pool share. */
export interface SlotDependencies {
  readonly log: Log;
  readonly now: () => number;
  readonly random: (() => number) | undefined;
  readonly ending: AbortSignal;
  /** The start queue: local programs compete for CPU time while they start. */
  readonly turnsFor: (server: AdmittedServer) => StartQueue;
  /** False once the server was removed from the configuration: it then stops as soon as it has no user. */
  readonly isKept: (slot: Slot) => boolean;
  readonly onRootsRequest: (slot: Slot, hooks: WorkspaceHooks) => void;
}

/** One connection of a slot. It may end before it is stored in the slot, or after a newer one replaced it. */
interface Life {
  opened?: OpenServer;
  lost?: string;
}

/** One process or remote connection with all its users, across restarts. */
export class Slot {
  /** The key of the launch, as made by `launchKey`. */
  readonly launch: string;
  /** The workspaces that use it, by their own definition of the server. */
  readonly members = new Map<AdmittedServer, WorkspaceHooks>();
  /** Sessions that called it since the last stop and are still connected. */
  readonly callers = new Set<string>();
  /** The number of calls since the last stop. */
  callsMade = 0;
  readonly #dependencies: SlotDependencies;
  readonly #backoff: Backoff;
  key: string;
  /** False while it was only asked for its lists. */
  wasCalled = false;
  #opening: Promise<OpenServer> | undefined;
  #open: OpenServer | undefined;
  #closing: Promise<void> | undefined;
  #openedAt = 0;
  #users = 0;
  /** The users that only wait for notifications. */
  #watching = 0;
  /** For the current or next start. */
  #signal = callSignal();
  readonly #idle = new IdleTimer(() => void this.stop('idle'));
  readonly #standing = new StandingRequests((lost) => {
    this.#dependencies.log('warn', 'not restored after the server was lost', { server: this.#name(), lost });
    for (const [server, member] of this.members) tellLost(server, member, lost);
  });
  #error: string | undefined;

  constructor(key: string, launch: string, dependencies: SlotDependencies) {
    this.key = key;
    this.launch = launch;
    this.#dependencies = dependencies;
    this.#backoff = new Backoff(dependencies.random);
  }

  get status(): ServerStatus {
    return {
      state: this.#open ? 'connected' : this.#opening ? 'starting' : 'disconnected',
      ...(this.#error !== undefined && { error: this.#error }),
      ...(this.#open?.pid !== undefined && { pid: this.#open.pid }),
    };
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  get users(): number {
    return this.#users;
  }

  /** It has no users, process or connection left. */
  get isEmpty(): boolean {
    return this.#users === 0 && !this.#open && !this.#opening && !this.#closing;
  }

  lease(
    server: AdmittedServer,
    hooks: WorkspaceHooks,
    { signal, purpose = 'call', session }: LeaseOptions,
  ): Lease | Promise<Lease> {
    this.members.set(server, hooks);
    if (purpose === 'call') {
      this.wasCalled = true;
      this.callsMade += 1;
      if (session !== undefined && this.callers.size < MAX_CALLERS) this.callers.add(session);
    }
    // Counted before the first await, so that the idle timer does not stop a server that is about to be used.
    this.#users += 1;
    const watching = purpose === 'watch' ? 1 : 0;
    this.#watching += watching;
    const release = () => this.#release(hooks, watching);
    if (this.#open) return new ConnectionLease(this.#open.connection, release);
    if (purpose === 'call' || purpose === 'inquiry') this.#signal.call();
    return unlessAborted(this.#openedBy(server, hooks), signal).then(
      ({ connection }) => new ConnectionLease(connection, release),
      (error: unknown) => {
        release();
        throw error;
      },
    );
  }

  /** Removes a workspace whose definition changed: its new server starts without subscriptions, so report them as lost. */
  leave(server: AdmittedServer, hooks: WorkspaceHooks): void {
    this.members.delete(server);
    if (this.#watching > 0) tellLost(server, hooks, this.#standing.lost('its definition was changed or removed'));
  }

  async stop(reason: string): Promise<void> {
    const open = this.#open;
    // A removed server stops even if clients still watch its resources.
    const inUse = this.#dependencies.isKept(this) ? this.#users : this.#users - this.#watching;
    if (!open || inUse > 0) return;
    // Cleared first: a new call starts another connection, and the end of this one is not a failure.
    this.#open = undefined;
    this.wasCalled = false;
    this.callers.clear();
    this.callsMade = 0;
    this.#backoff.stopped();
    this.#dependencies.log('info', 'server stopped', { server: this.#name(), reason });
    const closing = open.close(reason);
    this.#closing = closing;
    await closing.finally(() => {
      if (this.#closing === closing) this.#closing = undefined;
    });
  }

  async end(reason: string): Promise<void> {
    this.#idle.stop();
    this.#standing.end();
    const open = this.#open ?? (await this.#opening?.catch(() => undefined));
    this.#open = undefined; // so that its end does not count as a failure
    await Promise.all([open?.close(reason), this.#closing]);
  }

  #openedBy(server: AdmittedServer, hooks: WorkspaceHooks): Promise<OpenServer> {
    // Stored before the first await, so that two callers at once start one process and not two.
    this.#opening ??= this.#openOnce(server, hooks).finally(() => {
      this.#opening = undefined;
      this.#signal = callSignal();
    });
    return this.#opening;
  }

  async #openOnce(server: AdmittedServer, hooks: WorkspaceHooks): Promise<OpenServer> {
    await this.#allowedToStart(server.name);
    return this.#dependencies.turnsFor(server).take(async () => {
      const { log, ending, now } = this.#dependencies;
      if (ending.aborted) throw new PortolanError(ErrorCode.ConnectionError, 'the gateway is shutting down');
      const { name } = server;
      this.#backoff.started(now());
      const life: Life = {};
      try {
        const opened = await hooks.open(server, this.#eventsOf(life, name, hooks), ending);
        if (life.lost !== undefined) throw new PortolanError(ErrorCode.ConnectionError, `${name}: ${life.lost}`);
        life.opened = opened;
        this.#open = opened;
        this.#openedAt = now();
        this.#standing.restore(opened.connection);
        this.#onStartResult(undefined);
        log('info', 'server connected', { server: name });
        // All users may have left meanwhile.
        if (this.#users === 0) this.#stopWhenIdle(hooks);
        return opened;
      } catch (error) {
        if (ending.aborted) throw error; // our own shutdown is not a failure of the server
        // A start that the approval does not cover is not a failure of the server: it may start as soon as it is approved.
        if (error instanceof PortolanError && error.code === ErrorCode.ServerNotApproved) this.#backoff.stopped();
        else this.#backoff.failed(now());
        this.#onStartResult(error instanceof Error ? error.message : String(error));
        log('warn', 'server did not start', { server: name, error: this.#error, failures: this.#backoff.failures });
        throw error;
      }
    }, this.#signal.called);
  }

  /** Delays or refuses the start of a failing server, without affecting other servers. */
  async #allowedToStart(name: string): Promise<void> {
    const verdict = this.#backoff.ask(this.#dependencies.now());
    if (verdict.kind === 'start') return;
    if (verdict.kind === 'wait' && verdict.ms <= LONGEST_PATIENCE_MS) {
      await new Promise((resolve) => setTimeout(resolve, verdict.ms));
      return;
    }
    const seconds = Math.max(1, Math.ceil(verdict.ms / 1000));
    const why =
      verdict.kind === 'refuse' && verdict.because === 'budget'
        ? 'it was started too often in the last minutes'
        : `it failed ${this.#backoff.failures} times in a row`;
    throw new PortolanError(ErrorCode.ConnectionError, `${name}: ${why}: ${this.#error ?? 'it exited each time'}`, {
      hint: `the next try is in ${seconds} s; see its output with \`portolan logs ${shellWord(name)}\``,
    });
  }

  #eventsOf(life: Life, name: string, hooks: WorkspaceHooks): OpenEvents {
    return {
      onNotification: (method, params) => {
        for (const [server, member] of this.members) member.onNotification(server, method, params);
      },
      onAccepted: (method, params) => this.#standing.note(method, params),
      onRootsRequest: () => this.#dependencies.onRootsRequest(this, hooks),
      onClose: (reason) => {
        life.lost = reason ?? 'the connection was lost';
        // A failed open is reported by `#openOnce`. After a stop, the slot may already hold another connection.
        if (!life.opened || this.#open !== life.opened) return;
        this.#open = undefined;
        const now = this.#dependencies.now();
        if (now - this.#openedAt >= STABLE_MS) this.#backoff.succeeded();
        else this.#backoff.failed(now);
        // The end of an unused server is not reported as a failure.
        if (this.#users > this.#watching) this.#onStartResult(life.lost);
        else this.#error = life.lost;
        this.#dependencies.log('warn', 'server lost', { server: name, error: this.#error });
        this.#openForWatchers();
      },
    };
  }

  /** Clients that watch a resource make no calls, so restart the server for them. */
  #openForWatchers(): void {
    const { now, ending, isKept } = this.#dependencies;
    const isWatched = () => this.#watching > 0 && this.#standing.hasSubscriptions && !ending.aborted && isKept(this);
    const [first] = this.members;
    if (!first || !isWatched()) return;
    const verdict = this.#backoff.ask(now());
    const open = async () => {
      if (!this.#open && isWatched()) await this.#openedBy(...first);
    };
    this.#standing.openSoon(verdict.kind === 'start' ? 0 : verdict.ms, open, () => this.#openForWatchers());
  }

  #onStartResult(failure: string | undefined): void {
    this.#error = failure;
    for (const [server, member] of this.members) member.onStartResult?.(server, failure);
  }

  #release(hooks: WorkspaceHooks, watching: number): void {
    this.#users -= 1;
    this.#watching -= watching;
    if (this.#open && (this.#users === 0 || !this.#dependencies.isKept(this))) this.#stopWhenIdle(hooks);
  }

  #stopWhenIdle(hooks: WorkspaceHooks): void {
    if (!this.#dependencies.isKept(this)) return void this.stop('it was removed from the configuration');
    const idleMs = hooks.idleMs();
    this.#idle.used(this.wasCalled ? idleMs : Math.min(idleMs, AFTER_READING_MS));
  }

  #name(): string {
    return [...this.members.keys()][0]?.name ?? '';
  }
}

function tellLost(server: AdmittedServer, { onNotification }: WorkspaceHooks, lost: readonly NotRestored[]): void {
  for (const { uri, why } of lost) if (uri !== undefined) onNotification(server, NOT_RESTORED, { uri, why });
}
