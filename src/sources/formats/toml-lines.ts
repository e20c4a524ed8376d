import { inlineMembers, type Range, statements } from '../../config-edit/index.js';
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

/** A position in the tree of keys; keys below the depth limit are not stored. */
interface Place {
  readonly mention: Mention | undefined;
  readonly depth: number;
}

/**
 * Finds the first line of a path: a header (`[a.b]`, `[[a]]`), an assignment, or a key in an inline table. It scans the
 * text once. The text must have been parsed successfully.
 */
export function tomlLines(text: string): (path: DocumentPath) => number | undefined {
  const top = mention(0);
  try {
    readMentions(text, top);
  } catch {
    // A notation that the scanner does not support: what follows it has no line numbers.
  }
  const table = new LineTable(text);
  return (path) => {
    let found: Mention | undefined = top;
    for (const step of path) found = found?.below.get(String(step));
    return found && table.lineAt(found.offset);
  };
}

function readMentions(text: string, top: Mention): void {
  let table = { place: { mention: top, depth: 0 } as Place, length: 0 };
  for (const statement of statements(text)) {
    const { kind, path, at } = statement;
    if (kind === 'pair') {
      let { place } = table;
      for (const key of path.slice(table.length)) place = step(place, key, at);
      readValue(text, statement.value, place);
    } else table = { place: headerPlace(path, kind === 'array', at, top), length: path.length };
  }
}

function headerPlace(path: readonly string[], isList: boolean, at: number, top: Mention): Place {
  let place: Place = { mention: top, depth: 0 };
  for (const [n, key] of path.entries()) {
    place = step(place, key, at);
    if (!place.mention) return place;
    if (isList && n === path.length - 1) place.mention.tables += 1;
    // Below a list of tables, the path refers to the last table.
    if (place.mention.tables > 0) place = step(place, String(place.mention.tables - 1), at);
  }
  return place;
}

function readValue(text: string, value: Range, place: Place): void {
  const open = text[value.start];
  if ((open !== '[' && open !== '{') || !place.mention || place.depth >= MAX_DEPTH) return;
  for (const [index, member] of inlineMembers(text, value).entries()) {
    let inner = place;
    for (const key of open === '[' ? [String(index)] : member.path) inner = step(inner, key, member.start);
    readValue(text, member.value, inner);
  }
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
