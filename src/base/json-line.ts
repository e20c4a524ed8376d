/** What some programs take for the end of a line beside the newline: all three may stand in JSON as they are. */
const OTHER_LINE_ENDS = ['\r', '\u2028', '\u2029'] as const;
const ANY_LINE_END = /[\r\u2028\u2029]/;
/** A short text is looked through once; through a long one, three searches for a single character are faster. */
const SHORT_TEXT = 2_048;

/** Whether a text that is one line for us is several for others. */
export function hasLineEnd(text: string): boolean {
  return text.length <= SHORT_TEXT ? ANY_LINE_END.test(text) : OTHER_LINE_ENDS.some((end) => text.includes(end));
}

/** A value as JSON that is one line for everybody. */
export function jsonLine(value: unknown): string {
  return oneLine(JSON.stringify(value));
}

/** The same for what is JSON already, without spaces between its parts. */
export function oneLine(text: string): string {
  return hasLineEnd(text) ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029') : text;
}
