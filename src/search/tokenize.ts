/** One word in a text: in small letters, without accents, with its place. */
export type WordSink = (word: string, start: number, end: number, isPart: boolean) => void;

/** A name of two parts like `GitHub` is also known as one word; longer ones are sentences in disguise. */
const LONGEST_BRAND = 14;
/** What is longer is a key or a hash, and nobody looks for it. */
const LONGEST_WORD = 40;
/** A run of letters this long is a word of its own when digits follow, while `s3` and `mp4` are one. */
const LETTERS_BEFORE_DIGITS = 3;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const WIDE = 4;

/** Finds the words of prose and of identifiers: `getUserId`, `get_user_id` and `get user id` have the same three. */
export function eachWord(text: string, emit: WordSink): void {
  let start = 0;
  let allWide = true;
  for (let at = 0; at <= text.length; at += 1) {
    const kind = at < text.length ? kindAt(text, at) : OTHER;
    if (kind === WIDE || kind === LOWER || kind === UPPER || kind === DIGIT) {
      if (kind !== WIDE) allWide = false;
      continue;
    }
    if (at > start) {
      if (allWide) wideWords(text, start, at, emit);
      else splitRun(text, start, at, emit);
    }
    start = at + 1;
    allWide = true;
    // The rest of `user's` and `don't` is no word.
    if (text.charCodeAt(at) === 39 || text.charCodeAt(at) === 0x2019) start = afterApostrophe(text, at);
    at = start - 1;
  }
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code < 128) return OTHER;
  return kindBeyondAscii(text.charAt(at), code);
}

function kindBeyondAscii(char: string, code: number): number {
  // Scripts that are written without spaces.
  if (code >= 0x0e00 && (code <= 0x0eff || (code >= 0x3040 && code <= 0xd7af))) return WIDE;
  if (!/[\p{L}\p{M}\p{N}]/u.test(char)) return OTHER;
  return char !== char.toLowerCase() ? UPPER : LOWER;
}

function afterApostrophe(text: string, at: number): number {
  if (at === 0 || kindAt(text, at - 1) !== LOWER) return at + 1;
  let end = at + 1;
  while (end < text.length && kindAt(text, end) === LOWER) end += 1;
  return end - at <= 3 ? Math.max(end, at + 1) : at + 1;
}

/** Without spaces to go by, every two neighbours are a word. */
function wideWords(text: string, start: number, end: number, emit: WordSink): void {
  if (end - start === 1) emit(text.slice(start, end), start, end, false);
  for (let at = start; at + 2 <= end; at += 1) emit(text.slice(at, at + 2), at, at + 2, false);
}

function splitRun(text: string, start: number, end: number, emit: WordSink): void {
  let from = start;
  let parts = 0;
  let before = kindAt(text, start);
  for (let at = start + 1; at < end; at += 1) {
    const kind = kindAt(text, at);
    if (isBorder(before, kind, at - from, at + 1 < end ? kindAt(text, at + 1) : OTHER)) {
      send(text, from, at, emit, true);
      parts += 1;
      from = at;
    }
    before = kind;
  }
  send(text, from, end, emit, parts > 0);
  const isBrand = parts === 1 && end - start <= LONGEST_BRAND && kindAt(text, start) === UPPER && before !== DIGIT;
  if (isBrand) send(text, start, end, emit, false);
}

function isBorder(before: number, kind: number, length: number, next: number): boolean {
  if (kind === UPPER)
    return before === LOWER || (before === UPPER && next === LOWER) || (before === DIGIT && length > 1);
  if (kind === DIGIT) return before !== DIGIT && length >= LETTERS_BEFORE_DIGITS;
  return false;
}

function send(text: string, start: number, end: number, emit: WordSink, isPart: boolean): void {
  if (end - start > LONGEST_WORD) return;
  emit(plain(text.slice(start, end)), start, end, isPart);
}

function plain(word: string): string {
  const small = word.toLowerCase();
  for (let at = 0; at < small.length; at += 1)
    if (small.charCodeAt(at) > 127) return small.normalize('NFKD').replaceAll(/\p{M}+/gu, '');
  return small;
}

/** Two spellings of one name have one key: letters and digits, small. */
export function nameKey(name: string): string {
  return plain(name).replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
