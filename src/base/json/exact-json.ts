// Our own reader and writer of long numbers: Node 20 has neither source text in a `JSON.parse` reviver nor `JSON.rawJSON`.
import { randomKey } from '../hash.js';

/** Numbers with this many digits can exceed the precision of a JavaScript number. */
const LONG = /\d{16}/;
/** The same after JavaScript has formatted them. */
const LONG_OR_LARGE = /\d{16}|\de\+/;
const WHOLE = /^-?\d{16,}$/;
const FEWEST_DIGITS = 16;
/** Longer texts are not searched, because that would block the event loop; their numbers are rounded. */
const MAX_CHARACTERS = 256 * 1024;
const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39];

/** The original digits of rounded members, by the object or array that contains them. */
const rounded = new WeakMap<object, Map<string, string>>();
let mark = '';

// Node 20: later versions pass the source text to the reviver of `JSON.parse` and have `JSON.rawJSON`.
/**
 * Parses JSON as `JSON.parse` does, but remembers the digits of integers that JavaScript rounds, for `writeJson`. A
 * number passed between two programs in other languages must not change.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (text.length > MAX_CHARACTERS || !LONG.test(text)) return value;
  mark ||= randomKey();
  const copy = withMarks(text);
  // A number at the top level has no containing object to remember its digits.
  return copy === text || !isHolder(value) ? value : withoutMarks(JSON.parse(copy));
}

/** Serializes JSON as `JSON.stringify` does, with the original digits of integers. */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return mayHoldRounded(text) ? restoreDigits(markedText(value)) : text;
}

/** One member of an object as `writeJson` would serialize it. */
export function writtenMember(holder: Readonly<Record<string, unknown>>, key: string): string {
  return digitsOf(holder, key, holder[key]) ?? JSON.stringify(holder[key]);
}

/**
 * A copy for another serializer: rounded numbers are strings, which `restoreDigits` turns back into numbers in the
 * output.
 */
export function keepDigits(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return mayHoldRounded(JSON.stringify(value)) ? JSON.parse(markedText(value)) : value;
}

export function restoreDigits(json: string): string {
  return mark === '' ? json : json.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** Fast path: most programs never handle such a number. */
function mayHoldRounded(text: string | undefined): boolean {
  return mark !== '' && text !== undefined && LONG_OR_LARGE.test(text);
}

function markedText(value: unknown): string {
  return JSON.stringify(value, function (this: object, key: string, member: unknown) {
    const digits = digitsOf(this, key, member);
    return digits === undefined ? member : `${mark}${digits}`;
  });
}

/** The original digits of a rounded member, unless the member was replaced by another number. */
function digitsOf(holder: object, key: string, member: unknown): string | undefined {
  const digits = rounded.get(holder)?.get(key);
  return digits !== undefined && member === Number(digits) ? digits : undefined;
}

/** Replaces each integer that would be rounded with a string that no input can contain. */
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

/**
 * Returns whether the integer would be written with other digits. Numbers beyond the range of JavaScript become
 * Infinity and are left to the caller.
 */
function isRounded(digits: string): boolean {
  return WHOLE.test(digits) && Number.isFinite(Number(digits)) && String(Number(digits)) !== digits;
}

function isDigit(character: number): boolean {
  return character >= ZERO && character <= NINE;
}

/** Whether the character is a digit, a decimal point, or part of an exponent. */
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

/** Turns the strings back into numbers and remembers their digits. */
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
  // Defines an own property even for a special key such as `__proto__`.
  Object.defineProperty(holder, key, { value: Number(digits) });
  const kept = rounded.get(holder) ?? new Map<string, string>();
  kept.set(key, digits);
  rounded.set(holder, kept);
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
