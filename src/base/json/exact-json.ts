import { randomKey } from '../hash.js';

/** As many digits may be more than a number of JavaScript holds. */
const LONG = /\d{16}/;
/** How JavaScript writes what it makes of them. */
const LONG_OR_LARGE = /\d{16}|\de\+/;
const WHOLE = /^-?\d{16,}$/;
const FEWEST_DIGITS = 16;
/** Looking at every number of a longer text would keep everybody else waiting; there they are rounded. */
const MAX_CHARACTERS = 256 * 1024;
const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39];

/** The digits of members that were rounded when they were read, by the object or list that holds them. */
const rounded = new WeakMap<object, Map<string, string>>();
let mark = '';

// Node 20: later versions give the source text to the reviver of `JSON.parse` and have `JSON.rawJSON`.
/**
 * Reads JSON as `JSON.parse` does. A whole number that JavaScript has to round keeps its digits, for `writeJson`: a number
 * passed on between two programs in other languages must not change.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (text.length > MAX_CHARACTERS || !LONG.test(text)) return value;
  mark ||= randomKey();
  const copy = withMarks(text);
  // A number that stands alone has nobody to hold its digits.
  return copy === text || !isHolder(value) ? value : withoutMarks(JSON.parse(copy));
}

/** Writes JSON as `JSON.stringify` does, and whole numbers with the digits that they were read with. */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return mayHoldRounded(text) ? restoreDigits(markedText(value)) : text;
}

/** One member of an object as `writeJson` would write it there. */
export function writtenMember(holder: Readonly<Record<string, unknown>>, key: string): string {
  return digitsOf(holder, key, holder[key]) ?? JSON.stringify(holder[key]);
}

/** For somebody else to write: a copy in which such numbers are texts, which `restoreDigits` makes numbers again in what was written. */
export function keepDigits(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return mayHoldRounded(JSON.stringify(value)) ? JSON.parse(markedText(value)) : value;
}

export function restoreDigits(json: string): string {
  return mark === '' ? json : json.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** Most programs never see such a number. */
function mayHoldRounded(text: string | undefined): boolean {
  return mark !== '' && text !== undefined && LONG_OR_LARGE.test(text);
}

function markedText(value: unknown): string {
  return JSON.stringify(value, function (this: object, key: string, member: unknown) {
    const digits = digitsOf(this, key, member);
    return digits === undefined ? member : `${mark}${digits}`;
  });
}

/** The digits with which a member was read, if it was rounded. Whoever has put another number in its place means that one. */
function digitsOf(holder: object, key: string, member: unknown): string | undefined {
  const digits = rounded.get(holder)?.get(key);
  return digits !== undefined && member === Number(digits) ? digits : undefined;
}

/** Each whole number that would be rounded becomes a text that nobody else can write. */
function withMarks(text: string): string {
  let copy = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfText(text, at + 1);
    else if (character === MINUS || isDigit(character)) {
      let end = at + 1;
      while (isInNumber(text.charCodeAt(end))) end += 1;
      if (end - at >= FEWEST_DIGITS && isRounded(text.slice(at, end))) {
        copy += `${text.slice(from, at)}"${mark}${text.slice(at, end)}"`;
        from = end;
      }
      at = end - 1;
    }
  }
  return copy + text.slice(from);
}

/** Whether it would be written with other digits. What is beyond all numbers is none when it is read, and whoever looks will say so. */
function isRounded(digits: string): boolean {
  return WHOLE.test(digits) && Number.isFinite(Number(digits)) && String(Number(digits)) !== digits;
}

function isDigit(character: number): boolean {
  return character >= ZERO && character <= NINE;
}

/** Digits, a point, an exponent and its sign. */
function isInNumber(character: number): boolean {
  return (
    isDigit(character) || character === 0x2e || (character | 0x20) === 0x65 || character === 0x2b || character === MINUS
  );
}

function endOfText(text: string, from: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (quote - 1 - slashes >= from && text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** The numbers in the place of the texts, and their digits remembered. */
function withoutMarks(value: unknown): unknown {
  const waiting = [value].filter(isHolder);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const key in next) {
      const member = next[key];
      if (isHolder(member)) waiting.push(member);
      else if (typeof member === 'string' && member.startsWith(mark)) keep(next, key, member.slice(mark.length));
    }
  }
  return value;
}

function keep(holder: Record<string, unknown>, key: string, digits: string): void {
  // An own property also where the key is one that has a meaning.
  Object.defineProperty(holder, key, { value: Number(digits) });
  const kept = rounded.get(holder) ?? new Map<string, string>();
  kept.set(key, digits);
  rounded.set(holder, kept);
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
