/** Shorter values occur in ordinary text: replacing them would destroy the text and protect nothing. */
const LEAST_CHARACTERS = 6;

/** The parts of a header value are redacted separately; its scheme is not a secret. */
const SCHEME = /^(?:basic|bearer|digest|token|apikey|negotiate)$/i;

/**
 * Returns a function that removes the values from a text. Longer values come first, so that a value inside another
 * leaves no remainder.
 */
export function redactor(values: Iterable<string>): (text: string) => string {
  const hidden = [...new Set(values)].filter((value) => value.length >= LEAST_CHARACTERS && !SCHEME.test(value));
  hidden.sort((a, b) => b.length - a.length);
  if (hidden.length === 0) return (text) => text;
  return (text) => hidden.reduce((rest, value) => rest.replaceAll(value, '[secret]'), text);
}
