import self from 'node:process';
import { type Draft, type Execution, toDraft } from './audit-line.js';
import { ChainWriter } from './chain-writer.js';
import { codeOf } from './private-files.js';

export interface AuditLogOptions {
  readonly folder: string;
  readonly warn: (message: string) => void;
  readonly now?: () => number;
  readonly maxFileBytes?: number;
  /** Files of all processes in the folder together; the oldest are given up. */
  readonly keepFiles?: number;
  readonly pid?: number;
  readonly isAlive?: (pid: number) => boolean;
  /** How long lines may wait to be written. */
  readonly flushMs?: number;
  /** How long after a failure of the disk it tries again. */
  readonly retryMs?: number;
}

/** Recording never throws and never waits: what cannot be written now is written later, or told of as lost. */
export interface AuditLog extends AsyncDisposable {
  record(execution: Execution): void;
}

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const KEEP_FILES = 32;
const FLUSH_MS = 250;
const RETRY_MS = 1_000;
/** What waits for a disk that fails; later executions are counted and not kept. */
export const MAX_QUEUED = 10_000;
/** Calls come in bursts, and the lines are written when one is over: nobody waits for them. They do not wait for longer than this many. */
const MAX_WAITING = 4_096;
/** Longer arguments are hashed at once: what waits is little, and not for longer than a moment. */
const MAX_WAITING_TEXT = 1_024;
/** A disk that hangs must not hold the end of the process for longer. */
const CLOSE_MS = 5_000;

/** Opens the log of this process; files appear with the first execution. */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  return new QueuedLog(options);
}

class QueuedLog implements AuditLog {
  readonly #writer: ChainWriter;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #flushMs: number;
  readonly #retryMs: number;
  /** The last few as they came: what has to be done for each of them costs a third when it is done for many in a row. */
  readonly #fresh: { readonly execution: Execution; readonly at: number }[] = [];
  readonly #queue: Draft[] = [];
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #isFailing = false;
  #isClosed = false;

  constructor({ warn, now = Date.now, flushMs = FLUSH_MS, retryMs = RETRY_MS, ...options }: AuditLogOptions) {
    this.#warn = warn;
    this.#now = now;
    this.#flushMs = flushMs;
    this.#retryMs = retryMs;
    this.#writer = new ChainWriter({
      folder: options.folder,
      now,
      pid: options.pid ?? self.pid,
      isAlive: options.isAlive ?? isAlive,
      maxFileBytes: options.maxFileBytes ?? MAX_FILE_BYTES,
      keepFiles: options.keepFiles ?? KEEP_FILES,
    });
  }

  record(execution: Execution): void {
    if (this.#isClosed) {
      this.#warn(`the audit log was closed before a call of ${execution.tool} ended, which is not in it`);
      return;
    }
    if (this.#waiting >= MAX_QUEUED) this.#lost += 1;
    else this.#fresh.push({ execution, at: this.#now() });
    // While the disk is at work nobody knows for how long they will wait.
    if (execution.argumentsText.length > MAX_WAITING_TEXT || this.#flushing || this.#isFailing) this.#draft();
    if (this.#flushing || this.#isFailing) return; // whoever is at it, or the next try, takes this one along
    if (this.#waiting === MAX_WAITING) setImmediate(() => this.#isClosed || this.#flush());
    this.#flushIn(this.#flushMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    let limit: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.#finish(), tooLong]);
    clearTimeout(limit);
    clearTimeout(this.#timer);
    const missing = this.#waiting + this.#lost;
    if (missing > 0) this.#warn(`the audit log ends without the last ${missing} executions`);
  }

  async #finish(): Promise<void> {
    await this.#flushing;
    if (this.#waiting > 0 || this.#lost > 0 || this.#isFailing) await this.#flush();
    await this.#writer[Symbol.asyncDispose]().catch(() => undefined); // every line is written by now
  }

  get #waiting(): number {
    return this.#queue.length + this.#fresh.length;
  }

  /** From here on nothing of their arguments waits with them. */
  #draft(): void {
    for (const { execution, at } of this.#fresh) this.#queue.push(toDraft(execution, at));
    this.#fresh.length = 0;
  }

  #flushIn(delay: number): void {
    this.#timer ??= setTimeout(() => this.#flush(), delay).unref();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing ??= this.#drain().finally(() => {
      this.#flushing = undefined;
      // Also what was recorded after the last batch was taken and before this.
      const isDue = this.#isFailing || this.#waiting > 0 || this.#lost > 0;
      if (isDue && !this.#isClosed) this.#flushIn(this.#isFailing ? this.#retryMs : this.#flushMs);
    });
    return this.#flushing;
  }

  /** All that waits now, at the end until nothing does; or until the disk fails. */
  async #drain(): Promise<void> {
    try {
      do {
        this.#draft();
        await this.#writer.append([...this.#queue], this.#lost, (entries, lost) => {
          this.#queue.splice(0, entries);
          this.#lost -= lost;
        });
        this.#isFailing = false;
        // What came meanwhile waits for company: each stroke costs several system calls, however few lines it has.
      } while (this.#waiting >= (this.#isClosed ? 1 : MAX_WAITING));
    } catch (error) {
      if (!this.#isFailing) this.#warn(`the audit log cannot be written, it is tried again: ${reasonOf(error)}`);
      this.#isFailing = true;
    }
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return error instanceof Error ? error.message : String(code ?? error);
}

/** Whether a process has this number; one of another user counts as well. */
function isAlive(pid: number): boolean {
  try {
    self.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
