/** Whether a text that is one line for us is several for others: what they take for its end may stand in JSON as it is. */
export function hasLineEnd(text: string): boolean {
  // One expression for all three would have to look at every character.
  return text.includes('\u2028') || text.includes('\u2029') || text.includes('\r');
}

/** A value as JSON that is one line for everybody. */
export function jsonLine(value: unknown): string {
  return oneLine(JSON.stringify(value));
}

/** The same for what is JSON already, without spaces between its parts. */
export function oneLine(text: string): string {
  return hasLineEnd(text) ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029') : text;
}
