/**
 * The format of a file. Every `.json` is parsed as JSONC, because comments and trailing commas occur in all of them.
 */
export type Format = 'json' | 'json5' | 'toml' | 'yaml' | 'front-matter' | 'text';

/** A location in a document: keys of maps, indexes of lists. */
export type DocumentPath = readonly (string | number)[];

export interface Document {
  readonly value: unknown;
  /** The line of the key (or list item) at the path, counted from 1; undefined if the path does not exist. */
  lineOf(path: DocumentPath): number | undefined;
  /** Where the entry at the path comes from, if a take-over moved it. */
  originOf?(path: DocumentPath): EntryOrigin | undefined;
}

/** An entry that its client no longer starts, because Portolan took it over. */
export interface EntryOrigin {
  readonly takenOver: true;
  /** The file that contains it now, if it was removed from the client's file. */
  readonly source?: string;
}

export type Parsed =
  | { readonly kind: 'parsed'; readonly document: Document }
  | { readonly kind: 'broken'; readonly message: string; readonly line: number; readonly empty?: boolean };

export function broken(message: string, line: number): Parsed {
  return { kind: 'broken', message, line };
}

/** More than any client's nesting. The limit keeps recursive functions from overflowing the stack. */
export const MAX_DEPTH = 200;

/** Thrown by a parser at the depth limit. V8 aborts the process if a regular expression is compiled on a full stack. */
export class TooDeep extends Error {
  constructor() {
    super(`it is nested more than ${MAX_DEPTH} levels deep`);
  }
}

/** Whether a tree is deeper than the limit, computed without recursion. */
export function isTooDeep<T>(top: readonly T[], below: (item: T) => Iterable<T>): boolean {
  let level = top;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    const next: T[] = [];
    for (const item of level) for (const child of below(item)) next.push(child);
    level = next;
  }
  return false;
}

/** The line of a character, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Like `lineAt` for many characters of one text: it searches for line breaks once. */
export class LineTable {
  readonly #text: string;
  #breaks: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  lineAt(offset: number): number {
    this.#breaks ??= lineBreaks(this.#text);
    let [low, high] = [0, this.#breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#breaks[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}

function lineBreaks(text: string): number[] {
  const breaks: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks.push(at);
  return breaks;
}
