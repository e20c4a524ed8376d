import self from 'node:process';
import { codeOf } from '../base/index.js';
import { type EntryDraft, type Execution, toDraft } from './audit-line.js';
import { ChainWriter } from './chain-writer.js';

export interface AuditLogOptions {
  readonly folder: string;
  readonly warn: (message: string) => void;
  readonly now?: () => number;
  readonly maxFileBytes?: number;
  /** The maximum number of files of all processes in the directory; the oldest are deleted. */
  readonly keepFiles?: number;
  readonly pid?: number;
  readonly isAlive?: (pid: number) => boolean;
  /** How long lines may wait before they are written. */
  readonly flushMs?: number;
  /** The delay before a retry after a disk error. */
  readonly retryMs?: number;
}

/** Recording never throws and never waits. Entries that cannot be written are written later, or counted as lost. */
export interface AuditLog extends AsyncDisposable {
  record(execution: Execution): void;
}

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const KEEP_FILES = 32;
const FLUSH_MS = 250;
const RETRY_MS = 1_000;
/** The queue limit while the disk fails; further executions are only counted. */
export const MAX_QUEUED = 10_000;
/** Lines are written after a burst of calls, because no call waits for them, or after this many. */
const MAX_WAITING = 4_096;
/** Longer arguments are hashed immediately, so that pending entries stay small. */
const MAX_WAITING_TEXT = 1_024;
/** The time limit for closing, so that a hanging disk does not block shutdown. */
const CLOSE_MS = 5_000;

/** Opens the log of this process. Files are created with the first execution. */
export function openAuditLog(options: AuditLogOptions): AuditLog {
  return new QueuedLog(options);
}

class QueuedLog implements AuditLog {
  readonly #writer: ChainWriter;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #flushMs: number;
  readonly #retryMs: number;
  /** Executions that are not hashed yet: hashing many in a row costs a third of hashing each one separately. */
  readonly #fresh: { readonly execution: Execution; readonly at: number }[] = [];
  readonly #queue: EntryDraft[] = [];
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
      this.#warn(`the audit log was closed before a call of ${execution.tool} ended; this call is not recorded`);
      return;
    }
    if (this.#waiting >= MAX_QUEUED) this.#lost += 1;
    else this.#fresh.push({ execution, at: this.#now() });
    // During a write the waiting time is unknown, so hash now and keep no arguments.
    if (execution.argumentsText.length > MAX_WAITING_TEXT || this.#flushing || this.#isFailing) this.#draft();
    if (this.#flushing || this.#isFailing) return; // the current write or the next retry also writes this execution
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
    if (missing > 0) this.#warn(`the audit log is missing the last ${missing} executions`);
  }

  async #finish(): Promise<void> {
    await this.#flushing;
    if (this.#waiting > 0 || this.#lost > 0 || this.#isFailing) await this.#flush();
    await this.#writer[Symbol.asyncDispose]().catch(() => undefined); // all lines are already written
  }

  get #waiting(): number {
    return this.#queue.length + this.#fresh.length;
  }

  /** Hashes the arguments of pending executions, so that they are no longer in memory. */
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
      // Includes executions recorded after the last batch was taken.
      const isDue = this.#isFailing || this.#waiting > 0 || this.#lost > 0;
      if (isDue && !this.#isClosed) this.#flushIn(this.#isFailing ? this.#retryMs : this.#flushMs);
    });
    return this.#flushing;
  }

  /** Writes all pending executions; stops at a disk error. After closing, repeats until none is left. */
  async #drain(): Promise<void> {
    try {
      do {
        this.#draft();
        await this.#writer.append([...this.#queue], this.#lost, (entries, lost) => {
          this.#queue.splice(0, entries);
          this.#lost -= lost;
        });
        this.#isFailing = false;
        // Executions that arrived in the meantime wait for a full batch, because each write costs several system calls.
      } while (this.#waiting >= (this.#isClosed ? 1 : MAX_WAITING));
    } catch (error) {
      if (!this.#isFailing) this.#warn(`the audit log could not be written and will be retried: ${reasonOf(error)}`);
      this.#isFailing = true;
    }
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return error instanceof Error ? error.message : String(code ?? error);
}

/** Returns whether a process with this pid exists, including those of other users. */
function isAlive(pid: number): boolean {
  try {
    self.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
