import { writeJson } from './exact-json.js';

/** Whether a text that is one line for us is several for others: what they take for its end may stand in JSON as it is. */
export function hasLineEnd(text: string): boolean {
  // One expression for all three would have to look at every character.
  return text.includes('\u2028') || text.includes('\u2029') || text.includes('\r');
}

/** A value as JSON that is one line for everybody. */
export function jsonLine(value: unknown): string {
  return oneLine(writeJson(value));
}

/** The same for what is JSON already, without spaces between its parts. */
export function oneLine(text: string): string {
  return hasLineEnd(text) ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029') : text;
}

/** What is longer is passed on as bytes: they are counted as they are, and not made a second time. */
export const MAX_PASSED_TEXT = 4_096;

/** A value as JSON of one line, to be passed on. */
export function passedJson(value: unknown): string | Buffer {
  const text = jsonLine(value);
  return text.length <= MAX_PASSED_TEXT ? text : Buffer.from(text);
}
