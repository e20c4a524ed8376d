import type { Guest } from './guest.js';
import { RunQueue } from './run-queue.js';

const IDLE_MS = 15 * 60_000;
/** The number of ended sessions whose lost state is remembered. */
const MAX_REMEMBERED = 256;
const MAX_WAITING = 16;
const WAIT_MS = 120_000;

export interface GuestSession {
  readonly key: string;
  /** Runs of a session are serialized, because they share their variables. */
  readonly turns: RunQueue;
  guest: Guest | undefined;
  idle: NodeJS.Timeout | undefined;
  /** The client has disconnected, so the session ends with its current run. */
  isOver?: boolean;
}

/** The interpreter of each session. */
export class Sessions implements AsyncDisposable {
  readonly #max: number;
  readonly #idleMs: number;
  /** In order of last use. */
  readonly #sessions = new Map<string, GuestSession>();
  readonly #lost = new Set<string>();

  constructor(max: number, idleMs = IDLE_MS) {
    this.#max = max;
    this.#idleMs = idleMs;
  }

  open(key: string): GuestSession {
    const session = this.#sessions.get(key) ?? {
      key,
      turns: new RunQueue({ perClient: 1, perResource: 1, waiting: MAX_WAITING }, WAIT_MS),
      guest: undefined,
      idle: undefined,
    };
    clearTimeout(session.idle);
    this.#sessions.delete(key);
    this.#makeRoom();
    this.#sessions.set(key, session);
    return session;
  }

  /** The running interpreter of a session, and whether its earlier state was lost (reported once). */
  stateOf(session: GuestSession): { readonly guest: Guest | undefined; readonly lost: boolean } {
    if (session.guest?.alive) return { guest: session.guest, lost: false };
    const died = session.guest !== undefined;
    session.guest = undefined;
    return { guest: undefined, lost: this.#lost.delete(session.key) || died };
  }

  /** Keeps the interpreter for the next run, if it is still alive, and starts the idle timeout. */
  keep(session: GuestSession, guest: Guest | undefined): void {
    session.guest = guest;
    clearTimeout(session.idle);
    if (session.isOver) {
      guest?.kill();
      this.#sessions.delete(session.key);
      return;
    }
    if (!guest) return;
    session.idle = setTimeout(() => this.#end(session), this.#idleMs);
    session.idle.unref();
  }

  /** Ends a session whose client has disconnected. A current run finishes first. */
  forget(key: string): void {
    const session = this.#sessions.get(key);
    if (!session) return;
    if (session.turns.idle) this.#end(session);
    else session.isOver = true;
    this.#lost.delete(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const { idle } of sessions) clearTimeout(idle);
    await Promise.all(sessions.map(({ guest }) => guest?.end()));
  }

  #makeRoom(): void {
    const unused = [...this.#sessions.values()].filter(({ turns }) => turns.idle);
    for (const { key } of unused.filter(({ guest }) => !guest)) this.#sessions.delete(key);
    for (const session of unused.filter(({ guest }) => guest)) {
      if (this.#sessions.size < this.#max) return;
      this.#end(session);
    }
  }

  #end(session: GuestSession): void {
    if (!session.turns.idle) return;
    clearTimeout(session.idle);
    this.#sessions.delete(session.key);
    session.guest?.kill();
    session.guest = undefined;
    this.#lost.add(session.key);
    const [oldest] = this.#lost;
    if (this.#lost.size > MAX_REMEMBERED && oldest !== undefined) this.#lost.delete(oldest);
  }
}
