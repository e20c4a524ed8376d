const NEWLINE = 10;
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/**
 * Splits a stream of chunks into lines and visits each byte once: a line of 10 MB must not cost the client more than
 * one copy.
 */
export class LineSplitter {
  #held = [];
  #heldBytes = 0;
  #onLine;

  constructor(onLine) {
    this.#onLine = onLine;
  }

  push(chunk) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (this.#heldBytes === 0) {
        if (piece.length > 0) this.#onLine(piece);
        continue;
      }
      const line = Buffer.concat([...this.#held, piece]);
      this.#held = [];
      this.#heldBytes = 0;
      this.#onLine(line);
    }
    if (start === chunk.length) return;
    const rest = chunk.subarray(start);
    this.#heldBytes += rest.length;
    if (this.#heldBytes > MAX_LINE_BYTES) throw new Error(`a line of more than ${MAX_LINE_BYTES} bytes`);
    this.#held.push(rest);
  }
}
