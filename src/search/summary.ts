/** Ten results have to fit into 350 tokens, names and all. */
const MAX_SUMMARY = 60;
const MIN_SENTENCE = 12;
const READ_CHARACTERS = 600;

/** What a tool does in a few words: its first sentence, and of a long one its beginning. */
export function summaryOf(description: string | undefined): string {
  const text = (description ?? '')
    .slice(0, READ_CHARACTERS)
    .replaceAll(/[#*`>\s]+/g, ' ')
    .trim();
  const sentence = firstSentence(text);
  if (sentence.length <= MAX_SUMMARY) return sentence;
  const cut = sentence.slice(0, MAX_SUMMARY);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > MAX_SUMMARY / 2 ? space : MAX_SUMMARY - 1).replace(/[\s,;:.(–-]+$/, '')}…`;
}

function firstSentence(text: string): string {
  for (const end of text.matchAll(/[.!?。！？](?=\s|$)|[。！？]/g))
    if (end.index >= MIN_SENTENCE && !/(?:\be\.g|\bi\.e|\betc|\bvs)$/i.test(text.slice(0, end.index)))
      return text.slice(0, end.index);
  return text;
}
