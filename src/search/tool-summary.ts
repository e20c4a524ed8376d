/** Ten results, with their names, have to fit into 350 tokens. */
const MAX_SUMMARY = 60;
/** A shorter text before a full stop is a heading or an abbreviation. */
const MIN_SENTENCE = 12;
const READ_CHARACTERS = 600;

/** The first sentence of a description, shortened if it is long. */
export function summaryOf(description: string | undefined): string {
  const text = (description ?? '').slice(0, READ_CHARACTERS).replaceAll(/[#*`>\t\r ]+/g, ' ');
  const sentence = firstSentence(withoutHeading(text));
  if (sentence.length <= MAX_SUMMARY) return sentence;
  const cut = sentence.slice(0, MAX_SUMMARY);
  const space = cut.lastIndexOf(' ');
  const kept = space > MAX_SUMMARY / 2 ? cut.slice(0, space) : cut.slice(0, -1);
  // Also removes half of a surrogate pair.
  return `${kept.replace(/[\s,;:.(–\-\ud800-\udbff]+$/, '')}…`;
}

/** Removes an emoji, a heading such as "Purpose:" and the number of a list at the beginning. */
function withoutHeading(text: string): string {
  return text
    .replace(/^[^\p{L}\p{N}"'([]+/u, '')
    .replace(/^(?:purpose|description|summary|overview)\s*:\s*/i, '')
    .replace(/^\d+[.)]\s+/, '')
    .trim();
}

/** A line break before a lowercase letter does not end a sentence. */
function firstSentence(text: string): string {
  for (const { index, 0: end } of text.matchAll(/[.!?](?=\s|$)|[。！？]|\n\s*(?=[^\s\p{Ll}])/gu)) {
    const before = text.slice(0, index);
    if (index < MIN_SENTENCE || (end === '.' && /(?:\be\.g|\bi\.e|\betc|\bvs|\s\d+)$/i.test(before))) continue;
    return onOneLine(before);
  }
  return onOneLine(text);
}

function onOneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s.:]+$/, '')
    .trim();
}
