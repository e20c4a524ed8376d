const SCRIPTS = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Hebrew', 'Arabic', 'Ethiopic'],
  ...['Devanagari', 'Bengali', 'Tamil', 'Telugu', 'Thai', 'Lisu', 'Tifinagh', 'Vai'],
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul'],
] as const;
/** Sets of scripts that one language combines, besides Latin (Unicode Technical Standard 39, "highly restrictive"). */
const WRITTEN_TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];
const LETTERS_BEYOND_ASCII = /[^\P{L}A-Za-z]/u;
const EVERY_LETTER_BEYOND_ASCII = new RegExp(LETTERS_BEYOND_ASCII.source, 'gu');
const unlisted = () =>
  new RegExp(`(?!${[...SCRIPTS, 'Common'].map((name) => `\\p{Script=${name}}`).join('|')})\\p{L}`, 'u');

/** The scripts of the letters in a name, if no single language uses them together: one letter may imitate another. */
export function scriptsMixedIn(name: string): readonly string[] {
  if (!LETTERS_BEYOND_ASCII.test(name)) return [];
  const beyond = name.match(EVERY_LETTER_BEYOND_ASCII)?.join('') ?? '';
  // Compiled on demand, because every command loads this module and most machines have no such name.
  const isIn = (script: string) => new RegExp(`\\p{Script=${script}}`, 'u').test(beyond);
  const found = SCRIPTS.filter((script) => (script === 'Latin' && /[A-Za-z]/.test(name)) || isIn(script));
  const scripts = [...found, ...(unlisted().test(beyond) ? ['other'] : [])];
  const isUsual = scripts.length < 2 || WRITTEN_TOGETHER.some((set) => scripts.every((one) => set.includes(one)));
  return isUsual ? [] : scripts;
}
