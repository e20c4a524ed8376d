/** Longer than any real name. The time for one pair grows with the product of the lengths. */
const MAX_NAME_CHARACTERS = 96;
/** The maximum number of names in one gateway; further names are ignored. */
const MAX_NAMES = 50_000;
const MAX_WORDS = 12;
/** Names with a higher cost are unrelated; 0 means equal. */
const MAX_COST = 0.5;
/** Words in which more letters differ are similar only by chance. */
const MAX_LETTER_COST = 0.4;
/** Shorter words are too often a prefix of another word. */
const MIN_PREFIX_CHARACTERS = 4;
/** A small cost for the same words in another order or spelling. */
const REORDERED_COST = 0.02;

interface Near {
  readonly name: string;
  readonly cost: number;
}

/**
 * The names most similar to `wanted`, nearest first: by letters (`raed_file`) or by words (`file read`, `readFile`).
 */
export function nearest(wanted: string, names: Iterable<string>, count = 3): string[] {
  const clipped = wanted.slice(0, MAX_NAME_CHARACTERS);
  const target = { letters: clipped.toLowerCase(), words: wordsOf(clipped) };
  if (count < 1 || target.letters === '') return [];
  const best: Near[] = [];
  let looked = 0;
  for (const name of names) {
    if (looked === MAX_NAMES) break;
    looked += 1;
    const worst = best.length < count ? MAX_COST : (best.at(-1)?.cost ?? MAX_COST);
    const cost = costOf(target, name.slice(0, MAX_NAME_CHARACTERS), worst);
    // With equal costs the earlier name stays, so that the result depends only on the order of the input.
    if (cost > MAX_COST || (best.length === count && cost >= worst) || best.some((other) => other.name === name))
      continue;
    const place = best.findIndex((other) => other.cost > cost);
    best.splice(place === -1 ? best.length : place, 0, { name, cost });
    if (best.length > count) best.pop();
  }
  return best.map(({ name }) => name);
}

interface Target {
  readonly letters: string;
  readonly words: readonly string[];
}

function costOf({ letters, words }: Target, name: string, limit: number): number {
  const other = name.toLowerCase();
  if (letters === other) return 0;
  const byWords = wordCost(words, wordsOf(name));
  const longer = Math.max(letters.length, other.length);
  const allowed = Math.floor(Math.min(limit, byWords, MAX_LETTER_COST) * longer);
  return Math.min(byWords, distance(letters, other, allowed) / longer);
}

/** Splits a name into words: `readFile`, `read_file`, `read-file` and `HTTPGet` have two each. */
function wordsOf(name: string): string[] {
  const spaced = name.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return (spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);
}

function wordCost(wanted: readonly string[], other: readonly string[]): number {
  if (wanted.length === 0 || other.length === 0) return 1;
  const left = [...other];
  let shared = 0;
  for (const word of wanted) {
    const same = left.indexOf(word);
    const place = same === -1 ? left.findIndex((one) => isBeginning(one, word)) : same;
    if (place === -1) continue;
    shared += same === -1 ? 0.8 : 1;
    left.splice(place, 1);
  }
  const cost = 1 - (2 * shared) / (wanted.length + other.length);
  return cost === 0 ? REORDERED_COST : cost;
}

function isBeginning(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= MIN_PREFIX_CHARACTERS && long.startsWith(short);
}

/** The edit distance (insert, delete, replace, swap neighbours); `Infinity` once it exceeds `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  const far = limit + 1;
  let beforeLast = new Uint8Array(b.length + 1);
  let last = new Uint8Array(b.length + 1).map((_, n) => Math.min(n, far));
  let row = new Uint8Array(b.length + 1);
  for (let i = 1; i <= a.length; i += 1) {
    // Cells further from the diagonal than `limit` cannot contribute.
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    let least = from === 1 ? Math.min(i, far) : far;
    row[from - 1] = least;
    for (let j = from; j <= to; j += 1) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min((last[j - 1] ?? far) + (isSame ? 0 : 1), (row[j - 1] ?? far) + 1, (last[j] ?? far) + 1, far);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, (beforeLast[j - 2] ?? far) + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (to < b.length) row[to + 1] = far;
    if (least > limit) return Number.POSITIVE_INFINITY;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  const result = last[b.length] ?? far;
  return result > limit ? Number.POSITIVE_INFINITY : result;
}
