/** Ten results have to fit into 350 tokens, names and all. */
const MAX_SUMMARY = 60;
/** What ends sooner is a heading or an abbreviation. */
const MIN_SENTENCE = 12;
const READ_CHARACTERS = 600;

/** What a tool does in a few words: its first sentence, and of a long one its beginning. */
export function summaryOf(description: string | undefined): string {
  const text = (description ?? '').slice(0, READ_CHARACTERS).replaceAll(/[#*`>\t\r ]+/g, ' ');
  const sentence = firstSentence(withoutHeading(text));
  if (sentence.length <= MAX_SUMMARY) return sentence;
  const cut = sentence.slice(0, MAX_SUMMARY);
  const space = cut.lastIndexOf(' ');
  const kept = space > MAX_SUMMARY / 2 ? cut.slice(0, space) : cut.slice(0, -1);
  // Half a character is none.
  return `${kept.replace(/[\s,;:.(–\-\ud800-\udbff]+$/, '')}…`;
}

/** Some begin with what a summary is called, with a picture or with the number of a list. */
function withoutHeading(text: string): string {
  return text
    .replace(/^[^\p{L}\p{N}"'([]+/u, '')
    .replace(/^(?:purpose|description|summary|overview)\s*:\s*/i, '')
    .replace(/^\d+[.)]\s+/, '')
    .trim();
}

/** A line that goes on in small letters was only wrapped. */
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
