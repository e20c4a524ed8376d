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

/** A server that was only asked for its tools is not kept for the next call. */
const AFTER_READING_MS = 5_000;
/** A longer wait is said rather than waited for. */
const LONGEST_PATIENCE_MS = 2_000;
/** As many who use one server are known by name; whoever comes over HTTP need not say when it leaves. */
const MAX_CALLERS = 1_000;

export interface ServerStatus {
  readonly state: 'connected' | 'starting' | 'disconnected';
  /** Why it was lost or did not start; gone with the next success. */
  readonly error?: string;
  readonly pid?: number;
}

export interface LeaseOptions {
  readonly signal?: AbortSignal;
  /** `watch` does not keep a server that is no longer configured. `read` waits in the start queue; `inquiry` does not. */
  readonly purpose?: 'call' | 'inquiry' | 'read' | 'watch';
  /** Who calls, for servers that are shared with nobody. */
  readonly session?: string | undefined;
}

/** What all slots of one process have in common. */
export interface SlotDependencies {
  readonly log: Log;
  readonly now: () => number;
  readonly random: (() => number) | undefined;
  readonly ending: AbortSignal;
  /** Local programs fight for the same processor while they start: each waits for its turn. */
  readonly turnsFor: (server: AdmittedServer) => StartQueue;
  /** Whether it can still be had by its key; what is leaving stops at once when nobody uses it. */
  readonly isKept: (slot: Slot) => boolean;
  readonly onRootsRequest: (slot: Slot, hooks: WorkspaceHooks) => void;
}

/** One connection of a slot. Its end may come before it is in the slot, and after another has taken its place. */
interface Life {
  opened?: OpenServer;
  lost?: string;
}

/** The place of one process or remote connection, whoever uses it and however often it is started. */
export class Slot {
  /** Which launch it is of, whoever may use it. */
  readonly launch: string;
  /** All who use it, under the names by which they know it. */
  readonly members = new Map<AdmittedServer, WorkspaceHooks>();
  /** The clients that have called it since it was last stopped, and are still there. */
  readonly callers = new Set<string>();
  /** The calls that were made to it since then. */
  callsMade = 0;
  readonly #dependencies: SlotDependencies;
  readonly #backoff: Backoff;
  key: string;
  /** It is not only read. */
  wasCalled = false;
  #opening: Promise<OpenServer> | undefined;
  #open: OpenServer | undefined;
  #closing: Promise<void> | undefined;
  #openedAt = 0;
  #users = 0;
  /** Those among the users who only want to hear of it. */
  #watching = 0;
  /** For the start that is under way, or the next. */
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

  /** Nothing of it is left that would have to be ended. */
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
    // Counted before anybody waits, so that nobody stops what is about to be used.
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
    // Nobody keeps what may not run any more by watching it.
    const inUse = this.#dependencies.isKept(this) ? this.#users : this.#users - this.#watching;
    if (!open || inUse > 0) return;
    // Taken out first: what comes now starts anew, and the end of this one is no fault.
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
    this.#open = undefined; // its end is no fault
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
        // Whoever wanted it may have left meanwhile.
        if (this.#users === 0) this.#stopWhenIdle(hooks);
        return opened;
      } catch (error) {
        if (ending.aborted) throw error; // we broke it off ourselves, which says nothing of the server
        // A start that the approval does not cover is not a failure of the server: it may start as soon as it is approved.
        if (error instanceof PortolanError && error.code === ErrorCode.ServerNotApproved) this.#backoff.stopped();
        else this.#backoff.failed(now());
        this.#onStartResult(error instanceof Error ? error.message : String(error));
        log('warn', 'server did not start', { server: name, error: this.#error, failures: this.#backoff.failures });
        throw error;
      }
    }, this.#signal.called);
  }

  /** One broken server costs its own callers a short wait or a clear refusal, and nobody else anything. */
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
    throw new PortolanError(ErrorCode.ConnectionError, `${name}: ${why}: ${this.#error ?? 'it kept ending'}`, {
      hint: `the next try is in ${seconds} s; its output is in \`portolan logs ${shellWord(name)}\``,
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
        // It never opened, and whoever opened it says why; or it was stopped, and the slot may hold the next one.
        if (!life.opened || this.#open !== life.opened) return;
        this.#open = undefined;
        const now = this.#dependencies.now();
        if (now - this.#openedAt >= STABLE_MS) this.#backoff.succeeded();
        else this.#backoff.failed(now);
        // One that ends by itself when nobody uses it has not failed anybody.
        if (this.#users > this.#watching) this.#onStartResult(life.lost);
        else this.#error = life.lost;
        this.#dependencies.log('warn', 'server lost', { server: name, error: this.#error });
        this.#openForWatchers();
      },
    };
  }

  /** Those who watch a resource make no call that would start the server again. */
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
    if (!this.#dependencies.isKept(this)) return void this.stop('it is not configured any more');
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
