/** What some programs take for the end of a line beside the newline: all three may stand in JSON as they are. */
const OTHER_LINE_ENDS = ['\r', '\u2028', '\u2029'] as const;

/** Whether a text that is one line for us is several for others. */
export function hasLineEnd(text: string): boolean {
  return OTHER_LINE_ENDS.some((end) => text.includes(end));
}

/** A value as JSON that is one line for everybody. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value);
  return hasLineEnd(text) ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029') : text;
}
