/** What was printed on one stream, up to a limit. The guest keeps to it by itself; a forged message does not. */
export class Printed {
  readonly #limit: number;
  #parts: string[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Also what was thrown away counts: who prints on and on is noticed. */
  get bytes(): number {
    return this.#bytes;
  }

  get cut(): boolean {
    return this.#cut;
  }

  add(text: string): void {
    const left = this.#limit - this.#bytes;
    const size = Buffer.byteLength(text);
    this.#bytes += size;
    if (size <= left) {
      this.#parts.push(text);
      return;
    }
    this.#cut = true;
    if (left > 0) this.#parts.push(firstBytes(text, left));
  }

  markCut(): void {
    this.#cut = true;
  }

  toString(): string {
    const text = this.#parts.join('');
    return this.#cut ? withMark(text, this.#limit) : text;
  }
}

/** Ends a text that was cut, so that nobody takes it for the whole. */
export function withMark(text: string, limit: number): string {
  return `${text}\n[cut here: more than ${limit} bytes]`;
}

/** As much of a text as fits, without half a character at its end. */
export function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
