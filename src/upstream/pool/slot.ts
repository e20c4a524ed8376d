import { ErrorCode, PortolanError, unlessAborted } from '../../base/index.js';
import type { Era, SupportedEras } from '../../model/index.js';
import type { AdmittedServer } from '../../policy/index.js';
import { Backoff, STABLE_MS } from './backoff.js';
import { callSignal } from './call-signal.js';
import { IdleTimer } from './idle-timer.js';
import { ConnectionLease, type Lease, type LeaseOptions } from './lease.js';
import type { ServerStatus, SlotDependencies } from './slot-dependencies.js';
import { StandingRequests } from './standing-requests.js';
import { untilAllowed } from './start-permission.js';
import { notifyLost, type OpenEvents, type OpenServer, type WorkspaceHooks } from './workspace-hooks.js';

export type { Lease, LeaseOptions } from './lease.js';
export type { ServerStatus } from './slot-dependencies.js';

/** A server that was only asked for its tools is stopped sooner than one that was called. */
const AFTER_READING_MS = 5_000;
/** Limits the recorded sessions: clients over HTTP may disconnect without notice. */
const MAX_CALLERS = 1_000;

const DESERTED = 'its clients disconnected, and the server also runs in the other protocol era';

/** One connection of a slot. It may end before it is stored in the slot, or after a newer one replaced it. */
interface SlotConnection {
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
  readonly #dependencies: SlotDependencies<Slot>;
  readonly #backoff: Backoff;
  key: string;
  /** False while it was only asked for its lists. */
  wasCalled = false;
  /** It has sent sampling or elicitation requests. */
  asksClient = false;
  /** All clients that called it have disconnected. */
  #isDeserted = false;
  /** The era of the open connection, or of the one that is being opened. */
  #era: Era | undefined;
  #opening: Promise<OpenServer> | undefined;
  #open: OpenServer | undefined;
  #closing: Promise<void> | undefined;
  #openedAt = 0;
  #starting: { readonly since: number; pid?: number } | undefined;
  #users = 0;
  /** The users that only wait for notifications. */
  #watching = 0;
  /** For the current or next start. */
  #signal = callSignal();
  readonly #idle = new IdleTimer(() => void this.stop('idle'));
  readonly #standing = new StandingRequests((lost) => {
    this.#dependencies.log('warn', 'not restored after the server was lost', { server: this.#name(), lost });
    for (const [server, member] of this.members) notifyLost(server, member, lost);
  });
  #error: string | undefined;

  constructor(key: string, launch: string, dependencies: SlotDependencies<Slot>) {
    this.key = key;
    this.launch = launch;
    this.#dependencies = dependencies;
    this.#backoff = new Backoff(dependencies.random);
  }

  get status(): ServerStatus {
    const starting = this.#open ? undefined : this.#starting;
    const { pid, era } = this.#open ?? { pid: starting?.pid, era: undefined };
    return {
      state: this.#open ? 'connected' : starting ? 'starting' : 'disconnected',
      ...(this.#error !== undefined && { error: this.#error }),
      ...(starting && { startingForMs: this.#dependencies.now() - starting.since }),
      ...(pid !== undefined && { pid }),
      ...(era !== undefined && { era }),
    };
  }

  /** The era in which it runs or starts. */
  get era(): Era | undefined {
    return this.#open || this.#opening ? this.#era : undefined;
  }

  /** The eras that it supports, as far as its handshake showed. */
  get eras(): SupportedEras {
    return this.#open?.eras ?? {};
  }

  /** It runs or starts. */
  get isActive(): boolean {
    return this.#open !== undefined || this.#opening !== undefined;
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
    { signal, purpose = 'call', session, era }: LeaseOptions,
  ): Lease | Promise<Lease> {
    this.members.set(server, hooks);
    if (purpose === 'call') {
      this.wasCalled = true;
      this.callsMade += 1;
      this.#isDeserted = false;
      if (session !== undefined && this.callers.size < MAX_CALLERS) this.callers.add(session);
    }
    // Counted before the first await, so that the idle timer does not stop a server that is about to be used.
    this.#users += 1;
    const watching = purpose === 'watch' ? 1 : 0;
    this.#watching += watching;
    const release = () => this.#release(hooks, watching);
    if (this.#open) return new ConnectionLease(this.#open.connection, release);
    if (purpose === 'call' || purpose === 'inquiry') this.#signal.call();
    return unlessAborted(this.#openedBy(server, hooks, era), signal).then(
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
    if (this.#watching > 0) notifyLost(server, hooks, this.#standing.lost('its definition was changed or removed'));
  }

  /** A client disconnected. Without clients that called it, one of two processes of a server stops. */
  left(session: string): void {
    if (!this.callers.delete(session) || this.callers.size > 0) return;
    this.#isDeserted = true;
    if (this.#dependencies.hasOpenTwin(this)) void this.stop(DESERTED);
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

  #openedBy(server: AdmittedServer, hooks: WorkspaceHooks, era: Era | undefined): Promise<OpenServer> {
    if (!this.#opening) {
      this.#era = era;
      this.#starting = { since: this.#dependencies.now() };
    }
    // Stored before the first await, so that two callers at once start one process and not two.
    this.#opening ??= this.#openOnce(server, hooks, era).finally(() => {
      this.#opening = undefined;
      this.#starting = undefined;
      this.#signal = callSignal();
    });
    return this.#opening;
  }

  async #openOnce(server: AdmittedServer, hooks: WorkspaceHooks, era: Era | undefined): Promise<OpenServer> {
    await untilAllowed(this.#backoff, this.#dependencies.now(), { name: server.name, lastError: this.#error });
    return this.#dependencies.turnsFor(server).take(async () => {
      const { log, ending, now } = this.#dependencies;
      if (ending.aborted) throw new PortolanError(ErrorCode.ConnectionError, 'the gateway is shutting down');
      const { name } = server;
      this.#backoff.started(now());
      const current: SlotConnection = {};
      try {
        const opened = await hooks.open(server, this.#eventsOf(current, name, hooks), ending, era);
        if (current.lost !== undefined) throw new PortolanError(ErrorCode.ConnectionError, `${name}: ${current.lost}`);
        current.opened = opened;
        this.#open = opened;
        this.#openedAt = now();
        this.#era = opened.era ?? era;
        this.#dependencies.onChange();
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

  #eventsOf(current: SlotConnection, name: string, hooks: WorkspaceHooks): OpenEvents {
    return {
      onNotification: (method, params) => {
        for (const [server, member] of this.members) member.onNotification(server, method, params, current.opened?.era);
      },
      onAccepted: (method, params) => this.#standing.note(method, params),
      onRootsRequest: () => this.#dependencies.onRootsRequest(this, hooks),
      onClientRequest: () => {
        if (this.asksClient) return;
        this.asksClient = true;
        this.#dependencies.onChange();
        for (const [server, member] of this.members) member.onClientRequest?.(server);
      },
      onProcess: (pid) => {
        if (this.#starting) this.#starting.pid = pid;
      },
      onClose: (reason) => {
        current.lost = reason ?? 'the connection was lost';
        // A failed open is reported by `#openOnce`. After a stop, the slot may already hold another connection.
        if (!current.opened || this.#open !== current.opened) return;
        this.#open = undefined;
        const now = this.#dependencies.now();
        if (now - this.#openedAt >= STABLE_MS) this.#backoff.succeeded();
        else this.#backoff.failed(now);
        // The end of an unused server is not reported as a failure.
        if (this.#users > this.#watching) this.#onStartResult(current.lost);
        else this.#error = current.lost;
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
      if (!this.#open && isWatched()) await this.#openedBy(...first, this.#era);
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
    if (this.#dependencies.isSpare(this)) return void this.stop('the server supports one protocol era only');
    if (this.#isDeserted && this.#dependencies.hasOpenTwin(this)) return void this.stop(DESERTED);
    const idleMs = hooks.idleMs();
    this.#idle.used(this.wasCalled ? idleMs : Math.min(idleMs, AFTER_READING_MS));
  }

  #name(): string {
    return [...this.members.keys()][0]?.name ?? '';
  }
}
