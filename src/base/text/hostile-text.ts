/** A kind of content that is invisible to people but readable for a model, or that controls a terminal. */
export type TextFault =
  | 'bidi'
  | 'zero-width'
  | 'tag'
  | 'variation-selector'
  | 'control'
  | 'ansi'
  | 'osc'
  | 'oversize'
  | 'lone-surrogate';

export interface CleanText {
  readonly text: string;
  readonly found: readonly TextFault[];
}

/** A fast check that most texts pass: every pattern below starts with one of these characters. */
const SUSPECT = /[\p{Default_Ignorable_Code_Point}\p{Surrogate}\ufff9-\ufffb\x00-\x08\x0b-\x1f\x7f-\x9f]/u;

// Linear time: every alternative either always matches once it has begun or stops before the next possible beginning.
// An escape sequence ends at the end of its line at the latest, so an unterminated one costs no more. Wrongly decoded
// quotes look like one-character (C1) introducers, so those count only as part of a complete sequence.
const OSC = String.raw`\x1b\][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x9d[^\x07\x1b\x9c\x9d\n]*[\x07\x9c]`;
const ANSI = String.raw`\x1b\[[0-?]*[ -\/]*[@-~]?|\x9b[0-?]+[ -\/]*[@-~]|\x1b[PX\^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -\/]*[0-~]`;
const HOSTILE = new RegExp(`(?<osc>${OSC})|(?<ansi>${ANSI})|\\r\\n|${SUSPECT.source}`, 'gu');

/**
 * Letters and marks of scripts in which joiners are part of the spelling: Arabic, Syriac, N'Ko and Mandaic; Devanagari
 * to Sinhala; Tibetan and Burmese; Khmer and Mongolian.
 */
const JOINING =
  /^(?=[\p{L}\p{M}])(?!\p{Default_Ignorable_Code_Point})[\u0600-\u074f\u0750-\u077f\u07c0-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]/u;
/** The signs after which a joiner is valid even at the end of a word. */
const VIRAMA = /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]/;
const PICTURE = /^\p{Extended_Pictographic}/u;
const SKIN_OR_STYLE = /^(?:\p{Emoji_Modifier}|\ufe0f)/u;
const MONGOLIAN = /^(?=\p{L})\p{Script=Mongolian}/u;
const KEYCAP_BASE = /^[0-9#*]/;
const KEYCAP = '\u20e3';
const BLACK_FLAG = '\u{1f3f4}';
/** The only flags with tag characters that Unicode recommends: England, Scotland, Wales. */
const FLAG_TAGS = ['gbeng', 'gbsct', 'gbwls'].map(
  (region) => `${[...region].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{e007f}`,
);

const ELLIPSIS = '…';

/**
 * Removes characters that are visible only to a model, and keeps valid emoji and joined letters. The result has at most
 * `maxCharacters` UTF-16 units.
 */
export function cleanText(text: string, maxCharacters: number): CleanText {
  const found = new Set<TextFault>();
  const seen = SUSPECT.test(text) ? withoutHidden(text, found) : text;
  const fits = seen.length <= maxCharacters;
  if (!fits) found.add('oversize');
  return { text: fits ? seen : cut(seen, maxCharacters), found: [...found] };
}

function cut(text: string, maxCharacters: number): string {
  if (maxCharacters < ELLIPSIS.length) return '';
  // The text must not end with half a surrogate pair or a joiner without its right side.
  const end = text.slice(0, maxCharacters - ELLIPSIS.length).replace(/[\ud800-\udbff]$/, '');
  return `${end.replace(/\p{Default_Ignorable_Code_Point}{1,8}$/u, '')}${ELLIPSIS}`;
}

function withoutHidden(text: string, found: Set<TextFault>): string {
  const kept: string[] = [];
  let last = ''; // the last character of the result so far
  let from = 0;
  const keep = (piece: string): void => {
    if (piece === '') return;
    kept.push(piece);
    last = lastCharacter(piece);
  };
  for (const match of text.matchAll(HOSTILE)) {
    const [part] = match;
    const start = match.index;
    if (start < from) continue; // inside a flag that was kept
    keep(text.slice(from, start));
    const valid = validPart(part, last, text, start + part.length);
    from = start + (valid === undefined || part === '\r\n' ? part.length : valid.length);
    if (valid !== undefined) keep(valid);
    else found.add(match.groups?.osc ? 'osc' : match.groups?.ansi ? 'ansi' : faultOf(part.codePointAt(0) ?? 0));
  }
  keep(text.slice(from));
  return kept.join('');
}

/** Returns the valid part of a suspect match, given the text kept before it and the text after it. */
function validPart(part: string, last: string, text: string, end: number): string | undefined {
  // A Windows line end.
  if (part === '\r\n') return '\n';
  switch (part) {
    case '\u200d':
    case '\u200c':
      return isJoinerNeeded(part, last, nextCharacter(text, end)) ? part : undefined;
    case '\ufe0e':
    case '\ufe0f':
      return PICTURE.test(last) || (KEYCAP_BASE.test(last) && text[end] === KEYCAP) ? part : undefined;
    case '\u180b':
    case '\u180c':
    case '\u180d':
    case '\u180f':
      return MONGOLIAN.test(last) ? part : undefined;
    default:
      return last === BLACK_FLAG ? FLAG_TAGS.find((tags) => text.startsWith(tags, end - part.length)) : undefined;
  }
}

function isJoinerNeeded(joiner: string, last: string, next: string): boolean {
  if (VIRAMA.test(last)) return true;
  if (JOINING.test(last) && JOINING.test(next)) return true;
  return joiner === '\u200d' && (PICTURE.test(last) || SKIN_OR_STYLE.test(last)) && PICTURE.test(next);
}

const within = (code: number, first: number, last: number): boolean => code >= first && code <= last;

function faultOf(code: number): TextFault {
  if (code <= 0x1f || within(code, 0x7f, 0x9f)) return 'control';
  if (within(code, 0xd800, 0xdfff)) return 'lone-surrogate';
  if (code === 0x61c || within(code, 0x200e, 0x200f) || within(code, 0x202a, 0x202e) || within(code, 0x2066, 0x2069))
    return 'bidi';
  if (within(code, 0xe0000, 0xe007f)) return 'tag';
  if (within(code, 0xfe00, 0xfe0f) || within(code, 0xe0100, 0xe01ef) || within(code, 0x180b, 0x180d) || code === 0x180f)
    return 'variation-selector';
  return 'zero-width';
}

function nextCharacter(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function lastCharacter(text: string): string {
  const pair = text.slice(-2);
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair) ? pair : text.slice(-1);
}

export interface CleanValue {
  readonly value: unknown;
  readonly found: readonly TextFault[];
}

/** JSON Schema keywords whose values a call must repeat exactly: they are checked but not changed. */
const EXACT = new Set([
  ...['enum', 'const', 'default', 'examples', 'pattern', 'required', 'dependentRequired', 'type'],
  ...['$ref', '$id', 'id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef'],
]);
/** JSON Schema keywords whose keys are names chosen by the author, not keywords. */
const NAMED = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
]);

type Place = 'schema' | 'names' | 'exact';

/**
 * Cleans every text in a JSON Schema. Property names and values that a call must repeat are reported but not changed.
 */
export function cleanDeep(value: unknown, maxCharacters: number, maxDepth: number): CleanValue {
  const found = new Set<TextFault>();
  const report = (faults: readonly TextFault[]): void => {
    for (const fault of faults) found.add(fault);
  };
  const clean = (part: unknown, place: Place, depth: number): unknown => {
    if (typeof part === 'string') {
      const { text, found: faults } = cleanText(part, maxCharacters);
      report(faults);
      return place === 'exact' ? part : text;
    }
    if (typeof part !== 'object' || part === null) return part;
    if (depth >= maxDepth) {
      // An empty schema allows everything: the server itself validates the part that is cut off.
      report(['oversize']);
      return Array.isArray(part) ? [] : {};
    }
    if (Array.isArray(part)) {
      const items = part.map((item) => clean(item, place, depth + 1));
      return items.every((item, n) => item === part[n]) ? part : items;
    }
    const entries = Object.entries(part).map(([key, item]): [string, unknown] => {
      report(cleanText(key, maxCharacters).found);
      return [key, clean(item, placeUnder(key, place, item), depth + 1)];
    });
    // `Object.fromEntries` keeps `__proto__` as an ordinary key, where an assignment would set the prototype.
    return Object.entries(part).every(([, item], n) => item === entries[n]?.[1]) ? part : Object.fromEntries(entries);
  };
  const cleaned = clean(value, 'schema', 0);
  return { value: cleaned, found: [...found] };
}

function placeUnder(key: string, place: Place, item: unknown): Place {
  if (place === 'exact' || (place === 'schema' && EXACT.has(key))) return 'exact';
  // An array where a schema is expected is a list of property names (`dependencies` of older drafts).
  if (place === 'names') return Array.isArray(item) ? 'exact' : 'schema';
  return NAMED.has(key) ? 'names' : 'schema';
}
