const MAX_KEPT = 1_000;
const MAX_CHARACTERS = 100;
const kept = new Map<string, string>();

/** A string as JSON, cached: the names of methods and tools recur with every call. */
export function jsonWord(word: string): string {
  const known = kept.get(word);
  if (known !== undefined) return known;
  const text = JSON.stringify(word);
  if (word.length > MAX_CHARACTERS) return text;
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(word, text);
  return text;
}
