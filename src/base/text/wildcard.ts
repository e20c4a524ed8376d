// Our own matcher: a pattern of six stars as a regular expression did not finish in 180 s (guarantee S9).
/**
 * Matches a text against a pattern in which each `*` stands for any run of characters. Takes linear time for any input.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  return wildcard(pattern)(text);
}

/** The same, with the pattern compiled once for many texts. */
export function wildcard(pattern: string): (text: string) => boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return (text) => text === pattern;
  const parts = rest.filter((part) => part !== '').map((part) => ({ length: part.length, indexIn: finder(part) }));
  const least = head.length + tail.length + parts.reduce((sum, { length }) => sum + length, 0);
  return (text) => {
    if (text.length < least || !text.startsWith(head) || !text.endsWith(tail)) return false;
    const end = text.length - tail.length;
    let from = head.length;
    // The earliest position of each part leaves the most text for the rest, so backtracking is never needed.
    for (const { length, indexIn } of parts) {
      const found = indexIn(text, from);
      if (found < 0 || found + length > end) return false;
      from = found + length;
    }
    return true;
  };
}

/**
 * Up to this length `indexOf` is linear; for longer parts V8 compares only the last 250 characters before it restarts.
 */
const LONGEST_FOR_ENGINE = 200;

function finder(part: string): (text: string, from: number) => number {
  if (part.length <= LONGEST_FOR_ENGINE) return (text, from) => text.indexOf(part, from);
  let borders: Uint32Array | undefined;
  return (text, from) => {
    borders ??= bordersOf(part);
    return indexOfLong(text, part, borders, from);
  };
}

/** Knuth-Morris-Pratt search: linear in text and part. */
function indexOfLong(text: string, part: string, borders: Uint32Array, from: number): number {
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched += 1;
    if (matched === part.length) return at - part.length + 1;
  }
  return -1;
}

/** For each prefix, the length of its longest proper prefix that is also its suffix. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let border = 0;
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    while (border > 0 && part.charCodeAt(border) !== code) border = borders[border - 1] ?? 0;
    if (part.charCodeAt(border) === code) border += 1;
    borders[at] = border;
  }
  return borders;
}
