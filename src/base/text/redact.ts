/** Shorter values are words of every text: hiding them would hide the text and save no secret. */
const LEAST_CHARACTERS = 6;

/** A header's value is hidden in parts, too, and its scheme is no secret. */
const SCHEME = /^(?:basic|bearer|digest|token|apikey|negotiate)$/i;

/** Takes values out of a text that must not show them, the longest first, so that one within another leaves no rest. */
export function redactor(values: Iterable<string>): (text: string) => string {
  const hidden = [...new Set(values)].filter((value) => value.length >= LEAST_CHARACTERS && !SCHEME.test(value));
  hidden.sort((a, b) => b.length - a.length);
  if (hidden.length === 0) return (text) => text;
  return (text) => hidden.reduce((rest, value) => rest.replaceAll(value, '[secret]'), text);
}
