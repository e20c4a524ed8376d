import { PassingId } from '../base/index.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface LineListener {
  /** One line without its line end; within the limit and not empty. */
  line(bytes: Buffer): void;
  /** A line exceeded the limit and was dropped. */
  overlong(line: {
    readonly bytes: number;
    readonly id: number | string | undefined;
    readonly isRequest: boolean;
  }): void;
}

/**
 * Splits a byte stream into lines. Each byte is searched and copied once, however the stream is split into chunks, so
 * the time is linear.
 */
export class LineSplitter {
  readonly #listener: LineListener;
  readonly #maxBytes: () => number;
  #parts: Buffer[] = [];
  #length = 0;
  #passing: PassingId | undefined;

  constructor(maxBytes: () => number, listener: LineListener) {
    this.#maxBytes = maxBytes;
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const part = chunk.subarray(from, end);
      // Most lines arrive in one chunk.
      if (this.#length === 0 && part.length <= this.#maxBytes()) this.#emit(part);
      else {
        this.#keep(part);
        this.#endLine();
      }
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** Ends the stream. Bytes after the last newline count as a line. */
  end(): void {
    if (this.#length > 0) this.#endLine();
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#passing) {
      this.#passing.push(part);
      return;
    }
    this.#parts.push(part);
    if (this.#length <= this.#maxBytes()) return;
    // From here on keep only the id, so that the pending request can be rejected.
    this.#passing = new PassingId();
    for (const kept of this.#parts) this.#passing.push(kept);
    this.#parts = [];
  }

  #endLine(): void {
    const [parts, bytes, passing] = [this.#parts, this.#length, this.#passing];
    this.#parts = [];
    this.#length = 0;
    this.#passing = undefined;
    if (passing) this.#listener.overlong({ bytes, id: passing.id, isRequest: passing.isRequest });
    else this.#emit(Buffer.concat(parts, bytes));
  }

  #emit(whole: Buffer): void {
    const line = whole[whole.length - 1] === CARRIAGE_RETURN ? whole.subarray(0, -1) : whole;
    if (line.length > 0) this.#listener.line(line);
  }
}
