/** The text printed on one stream, up to a limit. The guest applies the limit too, but its messages may be forged. */
export class Printed {
  readonly #limit: number;
  #parts: string[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Includes dropped bytes, so that endless output is detected. */
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

/** Appends a marker to a truncated text. */
export function withMark(text: string, limit: number): string {
  return `${text}\n[truncated: more than ${limit} bytes]`;
}

/** The longest prefix within the limit that ends with a complete character. */
export function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
