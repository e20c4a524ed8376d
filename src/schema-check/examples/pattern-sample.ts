/** A longer text is not useful as an example. */
const MAX_SAMPLE_CHARACTERS = 200;
const MAX_PATTERN_CHARACTERS = 300;
const MAX_REPEATS = 64;

interface Reader {
  readonly pattern: string;
  at: number;
}

/** A text that matches a simple pattern; `undefined` if the pattern needs more than classes, groups and counts. */
export function sampleOf(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARACTERS || /\(\?[=!<]|\\[1-9bBkpPAZzG]/.test(pattern)) return undefined;
  const reader: Reader = { pattern, at: 0 };
  const sample = alternatives(reader);
  return reader.at < pattern.length ? undefined : sample;
}

/** The sample of the first alternative in `a|b|c`; the others are only parsed. */
function alternatives(reader: Reader): string | undefined {
  const first = sequence(reader);
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    if (sequence(reader) === undefined) return undefined;
  }
  return first;
}

function sequence(reader: Reader): string | undefined {
  let text = '';
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    const part = atom(reader);
    const times = part === undefined ? undefined : repeats(reader);
    if (part === undefined || times === undefined) return undefined;
    if (text.length + part.length * times > MAX_SAMPLE_CHARACTERS) return undefined;
    text += part.repeat(times);
  }
  return text;
}

function atom(reader: Reader): string | undefined {
  const { pattern, at } = reader;
  const letter = pattern[at];
  reader.at += 1;
  if (letter === '^' || letter === '$') return '';
  if (letter === '.') return 'a';
  if (letter === '[') return oneOf(reader);
  if (letter === '\\') {
    reader.at += 1;
    return escaped(pattern[at + 1]);
  }
  if (letter !== '(') return letter === '*' || letter === '+' || letter === '?' ? undefined : letter;
  if (pattern.startsWith('?:', reader.at)) reader.at += 2;
  const inner = alternatives(reader);
  if (pattern[reader.at] !== ')') return undefined;
  reader.at += 1;
  return inner;
}

const ESCAPES: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a', n: '\n', t: '\t' };

function escaped(letter: string | undefined): string | undefined {
  if (letter === undefined) return undefined;
  if (Object.hasOwn(ESCAPES, letter)) return ESCAPES[letter];
  return /[a-zA-Z]/.test(letter) ? undefined : letter;
}

const CANDIDATES = ['a', '1', 'A', '-', '_', 'x', '8', ' ', '.', '/'];

/** A member of a character class; for a negated class, a character that it does not list. */
function oneOf(reader: Reader): string | undefined {
  const end = /(?:\\.|[^\]\\])*\]/y;
  end.lastIndex = reader.at;
  const body = end.exec(reader.pattern)?.[0].slice(0, -1);
  if (body === undefined) return undefined;
  reader.at += body.length + 1;
  try {
    // Safe in the built-in engine: a single class matched against one character.
    const member = new RegExp(`^[${body}]$`, 'u');
    return CANDIDATES.find((one) => member.test(one)) ?? [...body].find((one) => member.test(one));
  } catch {
    return undefined;
  }
}

/** The smallest useful number of repetitions: at least one, even if zero is allowed. */
function repeats(reader: Reader): number | undefined {
  const quantifier = /(?:[*+?]|\{(\d{1,4})(?:,\d{0,4})?\})\??/y;
  quantifier.lastIndex = reader.at;
  const found = quantifier.exec(reader.pattern);
  if (!found) return 1;
  reader.at += found[0].length;
  if (found[0].startsWith('*') || found[0].startsWith('?')) return 0;
  const least = found[1] === undefined ? 1 : Number(found[1]);
  return least > MAX_REPEATS ? undefined : least;
}
