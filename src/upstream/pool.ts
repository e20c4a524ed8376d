import { ErrorCode, type Log, PortolanError } from '../base/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { Backoff, STABLE_MS } from './backoff.js';
import { type Called, callSignal } from './call-signal.js';
import type { Connection } from './connection.js';
import { keyOf } from './launch-key.js';
import { Turns } from './turns.js';
import { unlessAborted } from './unless-aborted.js';

/** Local programs fight for the same processor and disk while they start; remote ones only make us wait. */
const LOCAL_STARTS_AT_ONCE = 3;
const REMOTE_STARTS_AT_ONCE = 20;
/** A server that was only asked for its tools is not kept for the next call. */
const AFTER_READING_MS = 5_000;
/** A longer wait is said rather than waited for. */
const LONGEST_PATIENCE_MS = 2_000;

/** An open server, as the pool needs to know it. */
export interface OpenServer {
  readonly connection: Connection;
  readonly pid?: number;
  close(reason?: string): Promise<void>;
}

export interface OpenEvents {
  notified(method: string, params: Readonly<Record<string, unknown>>): void;
  closed(reason: string | undefined): void;
}

export interface PoolOptions {
  readonly open: (server: AdmittedServer, events: OpenEvents, signal: AbortSignal) => Promise<OpenServer>;
  readonly idleMs: () => number;
  readonly log: Log;
  /** What a server says unasked: a list of it changed, a resource was updated. */
  readonly notified: (server: AdmittedServer, method: string, params: Readonly<Record<string, unknown>>) => void;
  /** A clock that is never set back, in milliseconds. */
  readonly now?: () => number;
  readonly random?: () => number;
}

export interface ServerStatus {
  readonly state: 'connected' | 'starting' | 'disconnected';
  /** Why it was lost or did not start; gone with the next success. */
  readonly error?: string;
  readonly pid?: number;
}

/** The right to use a connection. Who holds one keeps the server from being stopped. */
export interface Lease extends Disposable {
  readonly connection: Connection;
}

export interface LeaseOptions {
  readonly signal?: AbortSignal;
  /** Who only watches does not keep a server that is not configured any more. */
  readonly purpose?: 'call' | 'read' | 'watch';
}

interface Slot extends Called {
  readonly server: AdmittedServer;
  readonly backoff: Backoff;
  opening: Promise<OpenServer> | undefined;
  open: OpenServer | undefined;
  closing: Promise<void> | undefined;
  openedAt: number;
  users: number;
  /** Those among the users who only want to hear of it. */
  watching: number;
  idle: NodeJS.Timeout | undefined;
  error: string | undefined;
}

/** One connection of a slot. Its end may come before it is in the slot, and after another has taken its place. */
interface Life {
  opened?: OpenServer;
  lost?: string;
}

/** Every open connection: each server once, however many ask, and only while it is used. */
export class Pool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #now: () => number;
  readonly #slots = new Map<string, Slot>();
  /** Not configured any more, and still used by somebody. */
  readonly #leaving = new Set<Slot>();
  readonly #local = new Turns(LOCAL_STARTS_AT_ONCE);
  readonly #remote = new Turns(REMOTE_STARTS_AT_ONCE);
  readonly #ending = new AbortController();

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  status(server: AdmittedServer): ServerStatus {
    const slot = this.#slots.get(keyOf(server));
    const state = slot?.open ? 'connected' : slot?.opening ? 'starting' : 'disconnected';
    return {
      state,
      ...(slot?.error !== undefined && { error: slot.error }),
      ...(slot?.open?.pid !== undefined && { pid: slot.open.pid }),
    };
  }

  /** Rejects with `ConnectionError` if the server cannot be had, and with `Cancelled` if nobody wants it any more. */
  async lease(server: AdmittedServer, { signal, purpose = 'call' }: LeaseOptions = {}): Promise<Lease> {
    this.#refuseWhenEnding();
    const slot = this.#slotOf(server);
    // Counted before the first await, so that nobody stops what is about to be used.
    slot.users += 1;
    const watching = purpose === 'watch' ? 1 : 0;
    slot.watching += watching;
    if (purpose === 'call') slot.call();
    clearTimeout(slot.idle);
    try {
      const open = slot.open ?? (await unlessAborted(this.#opening(slot), signal));
      let released = false;
      return {
        connection: open.connection,
        [Symbol.dispose]: () => {
          if (released) return;
          released = true;
          this.#release(slot, watching);
        },
      };
    } catch (error) {
      this.#release(slot, watching);
      throw error;
    }
  }

  /** What is not among these any more is stopped once nobody uses it. */
  retain(servers: readonly AdmittedServer[]): void {
    const kept = new Set(servers.map(keyOf));
    for (const [key, slot] of this.#slots) {
      if (kept.has(key)) continue;
      this.#slots.delete(key);
      this.#leaving.add(slot);
      void this.#stop(slot, 'it is not configured any more');
    }
    for (const slot of this.#leaving)
      if (slot.users === 0 && !slot.open && !slot.opening && !slot.closing) this.#leaving.delete(slot);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    const slots = [...this.#slots.values(), ...this.#leaving];
    await Promise.all(
      slots.map(async (slot) => {
        clearTimeout(slot.idle);
        const open = slot.open ?? (await slot.opening?.catch(() => undefined));
        slot.open = undefined; // its end is no fault
        await Promise.all([open?.close('the gateway is shutting down'), slot.closing]);
      }),
    );
  }

  #slotOf(server: AdmittedServer): Slot {
    const key = keyOf(server);
    const held = this.#slots.get(key);
    if (held) return held;
    const slot: Slot = {
      server,
      backoff: new Backoff(this.#options.random),
      opening: undefined,
      open: undefined,
      closing: undefined,
      openedAt: 0,
      users: 0,
      watching: 0,
      wasCalled: false,
      ...callSignal(() => slot),
      idle: undefined,
      error: undefined,
    };
    this.#slots.set(key, slot);
    return slot;
  }

  #opening(slot: Slot): Promise<OpenServer> {
    // Stored before the first await, so that two callers at once start one process and not two.
    slot.opening ??= this.#openOnce(slot).finally(() => {
      slot.opening = undefined;
    });
    return slot.opening;
  }

  async #openOnce(slot: Slot): Promise<OpenServer> {
    await this.#allowedToStart(slot);
    const turns = slot.server.definition.transport === 'stdio' ? this.#local : this.#remote;
    return turns.take(async () => {
      this.#refuseWhenEnding();
      const { log, open } = this.#options;
      const { name } = slot.server;
      slot.backoff.started(this.#now());
      const life: Life = {};
      try {
        const opened = await open(slot.server, this.#eventsOf(slot, life), this.#ending.signal);
        if (life.lost !== undefined) throw new PortolanError(ErrorCode.ConnectionError, `${name}: ${life.lost}`);
        life.opened = opened;
        slot.open = opened;
        slot.openedAt = this.#now();
        slot.error = undefined;
        log('info', 'server connected', { server: name });
        // Whoever wanted it may have left meanwhile.
        if (slot.users === 0) this.#stopWhenIdle(slot);
        return opened;
      } catch (error) {
        slot.backoff.failed(this.#now());
        slot.error = error instanceof Error ? error.message : String(error);
        log('warn', 'server did not start', { server: name, error: slot.error, failures: slot.backoff.failures });
        throw error;
      }
    }, slot.called);
  }

  /** One broken server costs its own callers a short wait or a clear refusal, and nobody else anything. */
  async #allowedToStart(slot: Slot): Promise<void> {
    const verdict = slot.backoff.ask(this.#now());
    if (verdict.kind === 'start') return;
    if (verdict.kind === 'wait' && verdict.ms <= LONGEST_PATIENCE_MS) {
      await new Promise((resolve) => setTimeout(resolve, verdict.ms));
      return;
    }
    const seconds = Math.max(1, Math.ceil(verdict.ms / 1000));
    const why =
      verdict.kind === 'refuse' && verdict.because === 'budget'
        ? 'it was started too often in the last minutes'
        : `it failed ${slot.backoff.failures} times in a row`;
    throw new PortolanError(
      ErrorCode.ConnectionError,
      `${slot.server.name}: ${why}: ${slot.error ?? 'it kept ending'}`,
      {
        hint: `the next try is in ${seconds} s; its output is in \`portolan logs ${slot.server.name}\``,
      },
    );
  }

  #refuseWhenEnding(): void {
    if (this.#ending.signal.aborted) throw new PortolanError(ErrorCode.ConnectionError, 'the gateway is shutting down');
  }

  #eventsOf(slot: Slot, life: Life): OpenEvents {
    return {
      notified: (method, params) => this.#options.notified(slot.server, method, params),
      closed: (reason) => {
        life.lost = reason ?? 'the connection was lost';
        // It never opened, and whoever opened it says why; or it was stopped, and the slot may hold the next one.
        if (!life.opened || slot.open !== life.opened) return;
        slot.open = undefined;
        const now = this.#now();
        if (now - slot.openedAt >= STABLE_MS) slot.backoff.succeeded();
        else slot.backoff.failed(now);
        slot.error = life.lost;
        this.#options.log('warn', 'server lost', { server: slot.server.name, error: slot.error });
      },
    };
  }

  #release(slot: Slot, watching: number): void {
    slot.users -= 1;
    slot.watching -= watching;
    if ((slot.users === 0 || this.#leaving.has(slot)) && slot.open) this.#stopWhenIdle(slot);
  }

  #stopWhenIdle(slot: Slot): void {
    if (this.#slots.get(keyOf(slot.server)) !== slot) return void this.#stop(slot, 'it is not configured any more');
    clearTimeout(slot.idle);
    const idleMs = this.#options.idleMs();
    slot.idle = setTimeout(
      () => void this.#stop(slot, 'idle'),
      slot.wasCalled ? idleMs : Math.min(idleMs, AFTER_READING_MS),
    );
    slot.idle.unref();
  }

  async #stop(slot: Slot, reason: string): Promise<void> {
    const { open } = slot;
    // Nobody keeps what may not run any more by watching it.
    const inUse = this.#leaving.has(slot) ? slot.users - slot.watching : slot.users;
    if (!open || inUse > 0) return;
    // Taken out first: what comes now starts anew, and the end of this one is no fault.
    slot.open = undefined;
    slot.wasCalled = false;
    Object.assign(
      slot,
      callSignal(() => slot),
    );
    slot.backoff.stopped();
    this.#options.log('info', 'server stopped', { server: slot.server.name, reason });
    const closing = open.close(reason);
    slot.closing = closing;
    await closing.finally(() => {
      if (slot.closing === closing) slot.closing = undefined;
    });
  }
}
