import type { Writable } from 'node:stream';

/** Runs its callback as a microtask, after all code that is ready now. Cheaper than `process.nextTick`. */
const READY = Promise.resolve();
/** Up to this size, copying costs less than writing several buffers. */
const COPIED_BYTES = 64 * 1024;

/**
 * Collects the messages of one turn of the event loop and sends them in one write, because each write wakes the
 * receiving process, which costs more than the rest of the work for a small message. A single message is sent at once.
 */
export class Outbox {
  readonly #output: Writable;
  #parts: (string | Buffer)[] = [];
  #length = 0;
  #messages = 0;
  /**
   * The number of messages in the last send. A sender of many messages probably sends many again, so its first message
   * is not sent alone.
   */
  #lastMessages = 1;
  readonly #flush = () => this.flush();

  constructor(output: Writable) {
    this.#output = output;
  }

  /** The number of bytes that are still buffered. */
  get backlogBytes(): number {
    return this.#length + this.#output.writableLength;
  }

  put(part: string | Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
  }

  /** Sends at once if no message follows and the last send was a single message; else at the end of this turn. */
  endMessage(isLast: boolean): void {
    this.#messages += 1;
    if (isLast && this.#messages === 1 && this.#lastMessages === 1) this.flush();
    else if (this.#messages === 1) void READY.then(this.#flush);
  }

  flush(): void {
    if (this.#messages > 0) this.#lastMessages = this.#messages;
    this.#messages = 0;
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    // The peer may have ended its output and still wait for responses. After a disconnect there is no reader.
    if (parts.length === 0 || !this.#output.writable) return;
    const [first] = parts;
    if (parts.length === 1) this.#output.write(first);
    else if (length > COPIED_BYTES) this.#writeAll(parts);
    else this.#output.write(parts.every(isText) ? parts.join('') : joined(parts, length));
  }

  /** Neither copies nor re-encodes a large result. */
  #writeAll(parts: readonly (string | Buffer)[]): void {
    this.#output.cork();
    for (const part of parts) this.#output.write(part);
    this.#output.uncork();
  }
}

/** The maximum number of UTF-8 bytes for one UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3;

/** Allocates one buffer for all parts, because small messages are frequent. */
function joined(parts: readonly (string | Buffer)[], length: number): Buffer {
  const all = Buffer.allocUnsafe(length * MOST_BYTES_PER_UNIT);
  let at = 0;
  for (const part of parts) at += typeof part === 'string' ? all.write(part, at) : part.copy(all, at);
  return all.subarray(0, at);
}

function isText(part: string | Buffer): boolean {
  return typeof part === 'string';
}
