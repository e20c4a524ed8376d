// Our own scanner: `smol-toml` returns values without their offsets in the text.
import { refusal } from './edit-entry.js';
import { lineEnd, lineStart, type Range } from './text-style.js';

/** One header, or one `key = value`, of a TOML text; its path starts at the root. */
export type Statement =
  | { readonly kind: 'table' | 'array'; readonly path: readonly string[]; readonly at: number; readonly line: Range }
  | {
      readonly kind: 'pair';
      readonly path: readonly string[];
      readonly at: number;
      readonly line: Range;
      readonly value: Range;
    };

/** A value in an inline list, or a `key = value` in an inline table. */
export interface Member extends Range {
  /** The key in a table; empty in a list. */
  readonly path: readonly string[];
  readonly value: Range;
}

/** The statements of a text that the parser has already accepted as TOML. */
export function statements(text: string): Statement[] {
  const found: Statement[] = [];
  let table: readonly string[] = [];
  for (let at = skipTrivia(text, 0); at < text.length; at = skipTrivia(text, at)) {
    const start = lineStart(text, at);
    if (text[at] === '[') {
      const isArray = text[at + 1] === '[';
      const key = readKey(text, at + (isArray ? 2 : 1));
      const line = { start, end: lineEnd(text, key.end) };
      table = key.path;
      found.push({ kind: isArray ? 'array' : 'table', path: key.path, at, line });
      at = line.end;
      continue;
    }
    const key = readKey(text, at);
    const from = skipSpace(text, text.indexOf('=', key.end) + 1);
    const value = { start: from, end: valueEnd(text, from) };
    const line = { start, end: lineEnd(text, value.end) };
    found.push({ kind: 'pair', path: [...table, ...key.path], at, line, value });
    at = line.end;
  }
  return found;
}

/** The members of an inline list or table. */
export function inlineMembers(text: string, value: Range): Member[] {
  const members: Member[] = [];
  const isTable = text[value.start] === '{';
  for (let at = skipTrivia(text, value.start + 1); at < value.end - 1; ) {
    const key = isTable ? readKey(text, at) : { path: [], end: at };
    const from = isTable ? skipTrivia(text, text.indexOf('=', key.end) + 1) : at;
    const end = valueEnd(text, from);
    members.push({ start: at, end, path: key.path, value: { start: from, end } });
    at = skipTrivia(text, end);
    if (text[at] === ',') at = skipTrivia(text, at + 1);
  }
  return members;
}

export function inlineKey(text: string, member: Range): readonly string[] {
  return readKey(text, member.start).path;
}

function readKey(text: string, start: number): { path: string[]; end: number } {
  const path: string[] = [];
  for (let at = skipSpace(text, start); ; at = skipSpace(text, at + 1)) {
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const end = stringEnd(text, at);
      path.push(quote === '"' ? unescaped(text.slice(at, end)) : text.slice(at + 1, end - 1));
      at = end;
    } else {
      const [bare = ''] = /^[\w-]+/.exec(text.slice(at, at + 1000)) ?? [];
      if (bare === '') throw refusal('it has a key in an unsupported notation');
      path.push(bare);
      at += bare.length;
    }
    const next = skipSpace(text, at);
    if (text[next] !== '.') return { path, end: at };
    at = next;
  }
}

/** A basic string is a JSON string, except for two numeric escapes. */
function unescaped(quoted: string): string {
  const plain = quoted
    .replaceAll(/\\U([0-9a-fA-F]{8})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/\\e/g, '\\u001b');
  const value: unknown = JSON.parse(plain.replaceAll('\t', '\\t'));
  return String(value);
}

function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"' || first === "'") return stringEnd(text, start);
  if (first !== '[' && first !== '{') {
    const [plain = ''] = /^[^,\]}#\r\n]*/.exec(text.slice(start, start + 1000)) ?? [];
    return start + plain.trimEnd().length;
  }
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const character = text[at];
    if (character === '"' || character === "'") at = stringEnd(text, at);
    else if (character === '#') at = lineEnd(text, at);
    else {
      if (character === '[' || character === '{') depth += 1;
      if (character === ']' || character === '}') depth -= 1;
      at += 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}

/** The offset after the closing quotes; of more than three quotes at the end, the first ones belong to the string. */
function stringEnd(text: string, start: number): number {
  const quote = text[start] ?? '"';
  const long = text.startsWith(quote.repeat(3), start);
  const closing = long ? quote.repeat(3) : quote;
  for (let at = start + closing.length; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text.startsWith(closing, at)) {
      let end = at + closing.length;
      for (let more = 0; long && more < 2 && text[end] === quote; more += 1) end += 1;
      return end;
    }
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}

/** Skips white space, line breaks and comments. */
function skipTrivia(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
    if (text[at] !== '#') return at;
    at = lineEnd(text, at);
  }
}
