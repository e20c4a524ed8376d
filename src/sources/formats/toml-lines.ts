import { type DocumentPath, LineTable } from './document.js';

/** No server is nested deeper; the limit matters because a key may have a million dots. */
const MAX_DEPTH = 6;

/** A key or list item that occurs in the text. */
interface Mention {
  readonly offset: number;
  readonly below: Map<string, Mention>;
  /** The number of tables so far in a list of tables (`[[a]]`). */
  tables: number;
}

/**
 * Finds the first line of a path: a header (`[a.b]`, `[[a]]`), an assignment, or a key in an inline table. It scans the
 * text once. The text must have been parsed successfully.
 */
export function tomlLines(text: string): (path: DocumentPath) => number | undefined {
  const top = new Scan(text).mentions();
  const table = new LineTable(text);
  return (path) => {
    let found: Mention | undefined = top;
    for (const step of path) found = found?.below.get(String(step));
    return found && table.lineAt(found.offset);
  };
}

class Scan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  mentions(): Mention {
    const top = mention(0);
    let table: Place = { mention: top, depth: 0 };
    for (;;) {
      this.#skipBlank();
      if (this.#at >= this.#text.length) return top;
      const begin = this.#at;
      if (this.#char() === '[') table = this.#header({ mention: top, depth: 0 });
      else this.#assignment(table);
      if (this.#at === begin) return top; // the text is not valid TOML
    }
  }

  #header(top: Place): Place {
    const begin = this.#at;
    const isList = this.#text.startsWith('[[', begin);
    this.#at += isList ? 2 : 1;
    const keys = this.#keys();
    let place = top;
    for (const [n, key] of keys.entries()) {
      place = step(place, key, begin);
      if (isList && n === keys.length - 1 && place.mention) {
        place.mention.tables += 1;
        place = step(place, String(place.mention.tables - 1), begin);
      } else if (place.mention && place.mention.tables > 0) {
        // Below a list of tables, the path refers to the last table.
        place = step(place, String(place.mention.tables - 1), begin);
      }
    }
    this.#skipWhile(']');
    return place;
  }

  #assignment(table: Place): void {
    const begin = this.#at;
    let place = table;
    for (const key of this.#keys()) place = step(place, key, begin);
    if (this.#char() === '=') this.#at += 1;
    this.#value(place);
  }

  /** Parses the parts of a dotted key. */
  #keys(): string[] {
    const keys: string[] = [];
    for (;;) {
      this.#skipWhile(' \t.');
      const quote = this.#char();
      const begin = this.#at;
      if (quote === '"' || quote === "'") {
        this.#string();
        const inside = this.#text.slice(begin + 1, this.#at - 1);
        keys.push(quote === '"' && inside.includes('\\') ? unescaped(inside) : inside);
      } else {
        while (/[\w-]/.test(this.#char())) this.#at += 1;
        if (this.#at === begin) return keys;
        keys.push(this.#text.slice(begin, this.#at));
      }
    }
  }

  #value(place: Place): void {
    this.#skipWhile(' \t');
    const open = this.#char();
    if (open === '"' || open === "'") this.#string();
    else if (open === '[') this.#list(place);
    else if (open === '{') this.#inlineTable(place);
    else while (this.#at < this.#text.length && !',]}#\n'.includes(this.#char())) this.#at += 1;
  }

  #list(place: Place): void {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#skipBlank(',');
      if (this.#char() === ']' || this.#at >= this.#text.length) break;
      const begin = this.#at;
      this.#value(step(place, String(index), begin));
      if (this.#at === begin) break;
    }
    this.#at += 1;
  }

  #inlineTable(place: Place): void {
    this.#at += 1;
    for (;;) {
      this.#skipBlank(',');
      if (this.#char() === '}' || this.#at >= this.#text.length) break;
      const begin = this.#at;
      this.#assignment(place);
      if (this.#at === begin) break;
    }
    this.#at += 1;
  }

  #string(): void {
    const quote = this.#char();
    const fence = this.#text.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote;
    this.#at += fence.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(fence, this.#at)) {
      this.#at += quote === '"' && this.#char() === '\\' ? 2 : 1;
    }
    this.#at += fence.length;
    // A multi-line string may end in one or two quotes before the closing three.
    if (fence.length === 3) this.#skipWhile(quote);
  }

  /** Skips white space, line breaks, comments and separators. */
  #skipBlank(more = ''): void {
    for (;;) {
      this.#skipWhile(` \t\r\n${more}`);
      if (this.#char() !== '#') return;
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end < 0 ? this.#text.length : end;
    }
  }

  #skipWhile(characters: string): void {
    while (this.#at < this.#text.length && characters.includes(this.#char())) this.#at += 1;
  }

  #char(): string {
    return this.#text.charAt(this.#at);
  }
}

/** A position in the tree of keys; keys below the depth limit are not stored. */
interface Place {
  readonly mention: Mention | undefined;
  readonly depth: number;
}

function step({ mention: above, depth }: Place, key: string, offset: number): Place {
  if (!above || depth >= MAX_DEPTH) return { mention: undefined, depth };
  const known = above.below.get(key) ?? mention(offset);
  above.below.set(key, known);
  return { mention: known, depth: depth + 1 };
}

function mention(offset: number): Mention {
  return { offset, below: new Map(), tables: 0 };
}

function unescaped(inside: string): string {
  try {
    const value: unknown = JSON.parse(`"${inside}"`);
    return String(value);
  } catch {
    return inside;
  }
}
