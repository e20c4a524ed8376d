import { type DocumentPath, LineTable } from './document.js';

/**
 * Finds the lines of keys and list items in a JSON, JSONC or JSON5 text. `JSON.parse` keeps no positions, and a parser
 * that does is ten times slower on the large state files of some clients. So this scans a map or list only when one of
 * its members is requested, and only once. The text must have been parsed successfully.
 */
export function jsonLines(text: string): (path: DocumentPath) => number | undefined {
  const table = new LineTable(text);
  const known = new Map<string, ReadonlyMap<string, Member>>();
  const membersAt = (path: DocumentPath): ReadonlyMap<string, Member> => {
    const key = [path.length, ...path].join('\0');
    const members = known.get(key) ?? membersOf(path);
    known.set(key, members);
    return members;
  };
  // A container is scanned from its known offset, never from the top of the text.
  const membersOf = (path: DocumentPath): ReadonlyMap<string, Member> => {
    const begin = path.length === 0 ? 0 : membersAt(path.slice(0, -1)).get(String(path.at(-1)))?.value;
    return begin === undefined ? new Map() : new Walk(text, begin).members();
  };
  return (path) => {
    const member = path.length === 0 ? undefined : membersAt(path.slice(0, -1)).get(String(path.at(-1)));
    return member && table.lineAt(member.begin);
  };
}

/** The offsets of a member and of the value after its key. */
interface Member {
  readonly begin: number;
  readonly value: number;
}

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const STAR = 0x2a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

class Walk {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** The members of the map or list at the current offset; empty if it is neither. */
  members(): Map<string, Member> {
    const members = new Map<string, Member>();
    this.#skipBlank();
    const open = this.#text.charCodeAt(this.#at);
    if (open !== OPEN_BRACE && open !== OPEN_BRACKET) return members;
    this.#at += 1;
    for (let index = 0; ; ) {
      this.#skipBlank();
      const code = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(code) || code === CLOSE_BRACE || code === CLOSE_BRACKET) return members;
      const begin = this.#at;
      if (code === COMMA) this.#at += 1;
      else {
        const key = open === OPEN_BRACE ? this.#key() : String(index);
        // A parser keeps the last of several equal keys.
        members.set(key, { begin, value: this.#at });
        this.#skipValue();
        index += 1;
      }
      if (this.#at === begin) return members; // the text is not valid JSON
    }
  }

  #key(): string {
    const code = this.#text.charCodeAt(this.#at);
    const begin = this.#at;
    if (code === QUOTE || code === APOSTROPHE) this.#skipString(code);
    else while (this.#at < this.#text.length && !/[\s:/]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    const raw = this.#text.slice(begin, this.#at);
    this.#skipBlank();
    if (this.#text.charCodeAt(this.#at) === COLON) this.#at += 1;
    this.#skipBlank();
    const inside = code === QUOTE || code === APOSTROPHE ? raw.slice(1, -1) : raw;
    return inside.includes('\\') ? unescaped(inside) : inside;
  }

  /** Jumps between relevant characters with regular expressions, because loops over characters are slower here. */
  #skipValue(): void {
    for (let depth = 0; this.#at < this.#text.length; ) {
      STRUCTURE.lastIndex = this.#at;
      this.#at = STRUCTURE.exec(this.#text)?.index ?? this.#text.length;
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE || code === APOSTROPHE) this.#skipString(code);
      else if (code === SLASH) this.#skipSlash();
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        depth += 1;
        this.#at += 1;
      } else if (depth === 0) return;
      else {
        this.#at += 1;
        if (code !== COMMA) depth -= 1;
        if (depth === 0) return;
      }
    }
  }

  #skipString(quote: number): void {
    const mark = quote === QUOTE ? '"' : "'";
    let end = this.#text.indexOf(mark, this.#at + 1);
    while (end >= 0 && this.#isEscaped(end)) end = this.#text.indexOf(mark, end + 1);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  #isEscaped(at: number): boolean {
    let before = at - 1;
    while (this.#text.charCodeAt(before) === BACKSLASH) before -= 1;
    return (at - before) % 2 === 0;
  }

  /** Skips white space and comments. */
  #skipBlank(): void {
    for (;;) {
      BLANK.lastIndex = this.#at;
      this.#at += BLANK.exec(this.#text)?.[0].length ?? 0;
      const begin = this.#at;
      if (this.#text.charCodeAt(this.#at) !== SLASH) return;
      if (!this.#skipSlash()) {
        this.#at = begin;
        return;
      }
    }
  }

  /** Skips a comment, or a single slash. */
  #skipSlash(): boolean {
    const next = this.#text.charCodeAt(this.#at + 1);
    if (next === SLASH) {
      LINE_END.lastIndex = this.#at;
      this.#at = LINE_END.exec(this.#text)?.index ?? this.#text.length;
      return true;
    }
    const end = next === STAR ? this.#text.indexOf('*/', this.#at + 2) : -1;
    this.#at = next !== STAR ? this.#at + 1 : end < 0 ? this.#text.length : end + 2;
    return next === STAR;
  }
}

const STRUCTURE = /["'{}[\],/]/g;
const BLANK = /[\s\0-\x20]*/y;
const LINE_END = /[\n\r]/g;

/** Decodes a quoted key. JSON5 also allows `\'` and an unescaped quote of the other kind. */
function unescaped(inside: string): string {
  const plain = inside.replaceAll(/\\([\s\S])|"/g, (part, escaped) =>
    part === '"' ? '\\"' : escaped === "'" ? "'" : part,
  );
  try {
    const value: unknown = JSON.parse(`"${plain}"`);
    return String(value);
  } catch {
    return inside;
  }
}
