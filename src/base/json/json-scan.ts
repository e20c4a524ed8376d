const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Returns whether JSON text nests deeper than `limit`, before parsing: `JSON.stringify` fails on values that are too
 * deep.
 */
export function isDeeperThan(json: Buffer, limit: number): boolean {
  // Every opening bracket needs a closing one, so a short line cannot nest too deep.
  if (json.length <= 2 * limit) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

/** The same for a parsed value, without recursion. */
export function isValueDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const inner = level.filter((one): one is object => typeof one === 'object' && one !== null);
    if (inner.length > 0 && depth >= limit) return true;
    level = inner.flatMap((one) => Object.values(one));
  }
  return false;
}

/** The index of the quote that ends a string, or the end of the bytes. Uses a native search for long strings. */
function endOfString(json: Buffer, from: number): number {
  for (let at = from; ; ) {
    const quote = json.indexOf(QUOTE, at);
    if (quote < 0) return json.length;
    let slashes = 0;
    while (quote - 1 - slashes >= at && json[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** Longer than any id that we issue; a longer id is discarded. */
const MAX_ID_BYTES = 64;

/** Finds the `id` of a message that is too large to keep, and whether it is a request, while its bytes stream past. */
export class PassingId {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The bytes collected at the top level: a key, or the value after `"id":`. */
  #collected: number[] = [];
  #lastString = '';
  #isIdValue = false;
  #id: string | undefined;
  #isRequest = false;

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#depth > 1) {
        at = this.#inString ? this.#passText(bytes, at) : this.#passNested(bytes, at);
        if (at >= bytes.length) return;
      }
      const byte = bytes[at] ?? 0;
      if (this.#inString) this.#inside(byte);
      else this.#outside(byte);
    }
  }

  /** The id as JSON would parse it, or undefined if there was none. */
  get id(): number | string | undefined {
    if (this.#id === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(this.#id);
      return typeof value === 'number' || typeof value === 'string' ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whether the message has a `method`. Without one it is a response. */
  get isRequest(): boolean {
    return this.#isRequest;
  }

  /** The next byte that ends or escapes a skipped string. */
  #passText(bytes: Buffer, from: number): number {
    return this.#escaped ? from : skipTo(bytes, from);
  }

  /** The next byte that can start a string or return to the top level. Most of a long message is skipped here. */
  #passNested(bytes: Buffer, from: number): number {
    let depth = this.#depth;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) break;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 2) break;
        depth -= 1;
      }
    }
    this.#depth = depth;
    return at;
  }

  #outside(byte: number): void {
    if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === 1) this.#collected = [QUOTE];
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET || (byte === COMMA && this.#depth === 1)) {
      if (this.#depth === 1) this.#endValue();
      if (byte !== COMMA) this.#depth -= 1;
    } else if (this.#depth !== 1) return;
    else if (byte === COLON) {
      this.#isIdValue = this.#lastString === '"id"';
      this.#isRequest ||= this.#lastString === '"method"';
      this.#collected = [];
    } else if (this.#isIdValue) this.#collect(byte);
  }

  #inside(byte: number): void {
    if (this.#depth === 1) this.#collect(byte);
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      if (this.#depth === 1) this.#lastString = Buffer.from(this.#collected).toString();
    }
  }

  #collect(byte: number): void {
    if (this.#collected.length <= MAX_ID_BYTES) this.#collected.push(byte);
  }

  #endValue(): void {
    // A truncated number would be the id of another request.
    const isWhole = this.#collected.length <= MAX_ID_BYTES;
    if (this.#isIdValue) this.#id = isWhole ? Buffer.from(this.#collected).toString().trim() : undefined;
    this.#isIdValue = false;
    this.#collected = [];
  }
}

/** The next byte that ends or escapes a string. */
function skipTo(bytes: Buffer, from: number): number {
  const quote = bytes.indexOf(QUOTE, from);
  const end = quote < 0 ? bytes.length : quote;
  const slash = bytes.subarray(from, end).indexOf(BACKSLASH);
  return slash < 0 ? end : from + slash;
}
