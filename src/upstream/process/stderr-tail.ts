import { MASK, maskTokens } from '../../base/index.js';

/** The end of a server's stderr, safe to print: without secrets of its entry and without terminal control sequences. */
export interface StderrTail {
  text(): string;
  /** Newest last. */
  lastLines(count: number): string[];
  /** The number of bytes that were dropped before the kept text. */
  readonly droppedBytes: number;
  /** Calls the listener soon after a change, once for many changes; returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

export const STDERR_TAIL_BYTES = 64 * 1024;
const NOTICE_MS = 50;
/** A shorter value would match parts of ordinary words. */
const MIN_SECRET_CHARACTERS = 4;
/** Lines of a multi-line key are masked one by one if they are at least this long. */
const MIN_SECRET_LINE_CHARACTERS = 16;

/** A ring buffer of fixed size, independent of how fast or in what chunks a server writes. */
export class StderrRing implements StderrTail {
  readonly #forms: readonly string[];
  readonly #listeners = new Set<() => void>();
  #ring: Buffer | undefined;
  #written = 0;
  #notice: NodeJS.Timeout | undefined;

  constructor(secrets: readonly string[] = []) {
    const forms = secrets.flatMap(formsOf).filter((form) => form.length >= MIN_SECRET_CHARACTERS);
    // Longest first: if a secret contains another one, masking the shorter first would leave the rest visible.
    this.#forms = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  }

  push(chunk: Uint8Array): void {
    this.#ring ??= Buffer.alloc(STDERR_TAIL_BYTES);
    const kept = chunk.subarray(-STDERR_TAIL_BYTES);
    const at = (this.#written + chunk.length - kept.length) % STDERR_TAIL_BYTES;
    const head = kept.subarray(0, STDERR_TAIL_BYTES - at);
    this.#ring.set(head, at);
    this.#ring.set(kept.subarray(head.length), 0);
    this.#written += chunk.length;
    if (this.#listeners.size > 0) this.#notice ??= setTimeout(() => this.#tell(), NOTICE_MS).unref();
  }

  get droppedBytes(): number {
    return Math.max(0, this.#written - STDERR_TAIL_BYTES);
  }

  text(): string {
    const shown = this.#redact(plain(this.#bytes().toString('utf8')));
    if (this.droppedBytes === 0) return shown;
    // Drop the first line, whose beginning is lost, unless it is the only one.
    const whole = shown.slice(shown.indexOf('\n') + 1);
    return whole === '' ? shown : whole;
  }

  lastLines(count: number): string[] {
    const lines = this.text().replace(/\n+$/, '').split('\n');
    return count <= 0 || (lines.length === 1 && lines[0] === '') ? [] : lines.slice(-count);
  }

  onChange(listener: () => void): () => void {
    const own = () => listener(); // a wrapper, so that a listener added twice can be removed once
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  #tell(): void {
    this.#notice = undefined;
    for (const listener of this.#listeners) listener();
  }

  #bytes(): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0);
    const end = this.#written % STDERR_TAIL_BYTES;
    if (this.#written <= STDERR_TAIL_BYTES) return this.#ring.subarray(0, this.#written);
    const bytes = Buffer.concat([this.#ring.subarray(end), this.#ring.subarray(0, end)]);
    // Do not start in the middle of a UTF-8 character.
    const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
    return bytes.subarray(Math.max(start, 0));
  }

  #redact(text: string): string {
    const [from, to] = [this.droppedBytes > 0 ? cutAtStart(text, this.#forms) : 0, cutAtEnd(text, this.#forms)];
    let shown = text.slice(from, text.length - to);
    for (const form of this.#forms) shown = shown.replaceAll(form, MASK);
    return `${from > 0 ? MASK : ''}${maskTokens(shown)}${to > 0 ? MASK : ''}`;
  }
}

/** The forms in which a secret may be printed: verbatim, in JSON, in a URL, in base64, line by line. */
function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= MIN_SECRET_LINE_CHARACTERS);
  const bytes = Buffer.from(secret);
  const encoded = encodeURIComponent(bytes.toString()); // via bytes, because encodeURIComponent throws on a lone surrogate
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, JSON.stringify(secret).slice(1, -1), encoded, base64, ...lines].map(plain);
}

/** The length of the secret at the start of the text whose beginning was dropped. */
function cutAtStart(text: string, forms: readonly string[]): number {
  if (forms.some((form) => text.startsWith(form))) return 0; // a complete secret is masked later
  return longest(forms, (form, length) => text.startsWith(form.slice(-length)));
}

/** The length of the secret at the end of the text that is not yet complete. */
function cutAtEnd(text: string, forms: readonly string[]): number {
  if (forms.some((form) => text.endsWith(form))) return 0;
  return longest(forms, (form, length) => text.endsWith(form.slice(0, length)));
}

function longest(forms: readonly string[], isPart: (form: string, length: number) => boolean): number {
  for (const form of forms)
    for (let length = form.length - 1; length >= MIN_SECRET_CHARACTERS; length -= 1)
      if (isPart(form, length)) return length;
  return 0;
}

/** Colours and cursor movements, titles and links, other escapes. No match extends over a line end. */
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?/g;
/** C0 and C1 control characters, and characters that change the text direction. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(ESCAPES, '').replaceAll(CONTROLS, '');
}
