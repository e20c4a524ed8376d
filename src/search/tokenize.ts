/** One word of a text, lowercase and without accents, and where it starts. */
export type WordSink = (word: string, start: number) => void;

/** A two-part name such as `GitHub` also counts as one word. A longer run is a phrase. */
const LONGEST_BRAND = 14;
/** Anything longer is a key or a hash. */
const LONGEST_WORD = 40;
/** Letters and digits. The end of `user's` and `don't` is no word. */
const RUN = /([\p{L}\p{M}\p{N}]+)(?:(?<=\p{Ll})['’]\p{Ll}{1,2}(?!\p{L}))?/gu;
/** Scripts without spaces: Thai, Lao, Chinese, Japanese, Korean. */
const WIDE = /^[\u0e00-\u0eff\u3040-\ud7af]/u;
const WIDE_BORDER =
  /(?<=[\u0e00-\u0eff\u3040-\ud7af])(?![\u0e00-\u0eff\u3040-\ud7af])|(?<![\u0e00-\u0eff\u3040-\ud7af])(?=[\u0e00-\u0eff\u3040-\ud7af])/u;
/** Between the parts of an identifier. Digits after three letters are a part; `s3` and `mp4` are one word. */
const PART_BORDER =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=.\p{N})(?=\p{Lu})|(?<=\p{Ll}{3}|\p{Lu}{3}|\p{Lu}\p{Ll}{2})(?=\p{N})/u;

/** Finds the words of prose and of identifiers: `getUserId`, `get_user_id` and `get user id` have the same three. */
export function eachWord(text: string, emit: WordSink): void {
  for (const { 1: run = '', index } of text.matchAll(RUN)) {
    if (/^[A-Z]?[a-z]+$/.test(run)) send(run, index, emit);
    else {
      let at = index;
      for (const piece of run.split(WIDE_BORDER)) {
        if (WIDE.test(piece)) eachPair(piece, at, emit);
        else eachPart(piece, at, emit);
        at += piece.length;
      }
    }
  }
}

function eachPair(run: string, start: number, emit: WordSink): void {
  if (run.length === 1) emit(run, start);
  for (let at = 0; at + 2 <= run.length; at += 1) emit(run.slice(at, at + 2), start + at);
}

function eachPart(run: string, start: number, emit: WordSink): void {
  const parts = run.split(PART_BORDER);
  let at = start;
  for (const part of parts) {
    send(part, at, emit);
    at += part.length;
  }
  if (parts.length === 2 && run.length <= LONGEST_BRAND && /^\p{Lu}.*\P{N}$/u.test(run)) send(run, start, emit);
}

function send(word: string, start: number, emit: WordSink): void {
  if (word.length <= LONGEST_WORD) emit(plain(word), start);
}

function plain(word: string): string {
  const lower = word.toLowerCase();
  return /^[a-z0-9]*$/.test(lower) ? lower : lower.normalize('NFKD').replaceAll(/\p{M}+/gu, '');
}

/** All spellings of a name have the same key: its letters and digits in lower case. */
export function nameKey(name: string): string {
  return plain(name).replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
