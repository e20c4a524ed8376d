import type { DocumentPath } from './document.js';

/**
 * On which lines the members of one map or list in a JSON, JSONC or JSON5 text begin. `JSON.parse` keeps no positions and
 * a parser that does is ten times slower on the megabytes some clients keep beside their servers, so this walks only
 * the one path and skips over everything else. It is only called on text that has already been parsed.
 */
export function memberLines(text: string, container: DocumentPath): ReadonlyMap<string, number> {
  return new Walk(text).members(container);
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const STAR = 0x2a;
const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

class Walk {
  readonly #text: string;
  #at = 0;
  #counted = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  members(container: DocumentPath): Map<string, number> {
    const lines = new Map<string, number>();
    this.#skipBlank();
    this.#container(container, 0, lines);
    return lines;
  }

  /** Reads the map or list that begins here; at the end of the path, notes its members, before it, goes on into one. */
  #container(path: DocumentPath, depth: number, lines: Map<string, number>): void {
    const open = this.#text.charCodeAt(this.#at);
    if (open !== OPEN_BRACE && open !== OPEN_BRACKET) {
      this.#skipValue();
      return;
    }
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#skipBlank();
      const code = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(code)) return;
      if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        this.#at += 1;
        return;
      }
      if (code === COMMA) {
        this.#at += 1;
        index -= 1;
        continue;
      }
      const begin = this.#at;
      const key = open === OPEN_BRACE ? this.#key() : String(index);
      if (depth === path.length) {
        // The last of several equal keys is the one that a parser keeps.
        lines.set(key, this.#lineOf(begin));
        this.#skipValue();
      } else if (key === String(path[depth])) {
        this.#container(path, depth + 1, lines);
      } else {
        this.#skipValue();
      }
      if (this.#at === begin) return; // text that is no JSON after all
    }
  }

  #key(): string {
    const code = this.#text.charCodeAt(this.#at);
    const begin = this.#at;
    if (code === QUOTE || code === APOSTROPHE) this.#skipString(code);
    else while (this.#at < this.#text.length && !/[\s:]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    const raw = this.#text.slice(begin, this.#at);
    this.#skipBlank();
    if (this.#text.charCodeAt(this.#at) === COLON) this.#at += 1;
    this.#skipBlank();
    if (code !== QUOTE) return code === APOSTROPHE ? raw.slice(1, -1) : raw;
    return raw.includes('\\') ? unescaped(raw) : raw.slice(1, -1);
  }

  #skipValue(): void {
    let depth = 0;
    for (;;) {
      this.#skipBlank();
      const code = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(code)) return;
      if (code === QUOTE || code === APOSTROPHE) this.#skipString(code);
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        depth += 1;
        this.#at += 1;
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        if (depth === 0) return;
        depth -= 1;
        this.#at += 1;
      } else if (code === COMMA && depth === 0) return;
      else this.#at += 1;
      if (depth === 0 && (code === CLOSE_BRACE || code === CLOSE_BRACKET)) return;
    }
  }

  #skipString(quote: number): void {
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === BACKSLASH) this.#at += 1;
      else if (code === quote) break;
    }
    this.#at += 1;
  }

  /** White space and comments. */
  #skipBlank(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code <= 0x20 || code === 0xa0 || code === 0xfeff || code === 0x2028 || code === 0x2029) this.#at += 1;
      else if (code === SLASH && this.#text.charCodeAt(this.#at + 1) === SLASH) this.#jumpTo('\n', 1);
      else if (code === SLASH && this.#text.charCodeAt(this.#at + 1) === STAR) this.#jumpTo('*/', 2);
      else return;
    }
  }

  #jumpTo(end: string, length: number): void {
    const found = this.#text.indexOf(end, this.#at + 2);
    this.#at = found < 0 ? this.#text.length : found + length;
  }

  #lineOf(offset: number): number {
    for (; this.#counted < offset; this.#counted += 1) {
      if (this.#text.charCodeAt(this.#counted) === NEWLINE) this.#line += 1;
    }
    return this.#line;
  }
}

function unescaped(quoted: string): string {
  try {
    const value: unknown = JSON.parse(quoted);
    return String(value);
  } catch {
    return quoted.slice(1, -1);
  }
}
