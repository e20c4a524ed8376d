import type { Writable } from 'node:stream';

/** What waits for this has its turn after all that is ready now; it costs less than a tick, for which Node keeps books. */
const READY = Promise.resolve();
/** Up to here one copy costs less than a write of several pieces. */
const COPIED_BYTES = 64 * 1024;

/**
 * Gathers what is written in one turn and lets it leave in one stroke: a write wakes the program at the
 * other end, which costs more than all else that is done for a small message. What is alone does not wait for company.
 */
export class Outbox {
  readonly #output: Writable;
  #parts: (string | Buffer)[] = [];
  #length = 0;
  #messages = 0;
  /** As many left in the last stroke: who sends many at once will do so again, and the first of them shall not wake anybody alone. */
  #lastMessages = 1;
  readonly #flush = () => this.flush();

  constructor(output: Writable) {
    this.#output = output;
  }

  /** What was put in and has not left yet. */
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
    // The other side may have said all it will and still wait for answers; once it is gone, nobody does.
    if (parts.length === 0 || !this.#output.writable) return;
    const [first] = parts;
    if (parts.length === 1) this.#output.write(first);
    else if (length > COPIED_BYTES) this.#writeAll(parts);
    else this.#output.write(parts.every(isText) ? parts.join('') : joined(parts, length));
  }

  /** The bytes of a large result are neither copied nor written again. */
  #writeAll(parts: readonly (string | Buffer)[]): void {
    this.#output.cork();
    for (const part of parts) this.#output.write(part);
    this.#output.uncork();
  }
}

/** No character is longer in UTF-8, counted in units of UTF-16. */
const MOST_BYTES_PER_UNIT = 3;

/** One piece of memory for all of them: small messages are many. */
function joined(parts: readonly (string | Buffer)[], length: number): Buffer {
  const all = Buffer.allocUnsafe(length * MOST_BYTES_PER_UNIT);
  let at = 0;
  for (const part of parts) at += typeof part === 'string' ? all.write(part, at) : part.copy(all, at);
  return all.subarray(0, at);
}

function isText(part: string | Buffer): boolean {
  return typeof part === 'string';
}
