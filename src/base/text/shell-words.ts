/** Splits a line into words as a shell would and removes quotes; expands nothing. */
export function splitWords(line: string): string[] {
  return cut(line, '').flat();
}

/** The simple commands of a script, each as a list of words. */
export function commandsIn(script: string): string[][] {
  return cut(script.replaceAll(/\\\r?\n/g, ' '), ';&|\n()`').filter((words) => words.length > 0);
}

/** Quotes a word so that `splitWords` reads it as one. */
export function quoted(word: string): string {
  return /\s/.test(word) && !word.includes('"') ? `"${word}"` : word;
}

/** Quotes a name for a command line that a user copies into a shell. */
export function shellWord(name: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}

/** One pass over the text: a hostile configuration file may contain megabytes of quotes. */
function cut(text: string, separators: string): string[][] {
  const commands: string[][] = [[]];
  const unclosed = new Set<string>();
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if ((char === '"' || char === "'") && !unclosed.has(char)) {
      const end = closing(text, at);
      // An unclosed quote is an ordinary character, and so are later ones of its kind.
      if (end < 0) unclosed.add(char);
      else word = (word ?? '') + inside(text.slice(at + 1, end), char);
      at = Math.max(at, end);
    } else if (separators.includes(char)) {
      endWord();
      commands.push([]);
    } else if (/\s/.test(char)) endWord();
    else word = (word ?? '') + char;
  }
  endWord();
  return commands;
}

function closing(text: string, start: number): number {
  const quote = text.charAt(start);
  if (quote === "'") return text.indexOf("'", start + 1);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) return at;
  }
  return -1;
}

/** Backslashes before other characters stay: they are separators in Windows paths. */
function inside(text: string, quote: string): string {
  return quote === '"' ? text.replaceAll('\\"', '"') : text;
}

/** Characters that a shell interprets. A program started without a shell gets them literally. */
const ACTIVE = '|&;<>()$`*?[]{}#!\n\r';
const ACTIVE_IN_QUOTES = '$`';
const ACTIVE_ON_WINDOWS = '%^';

/** The first character with a meaning only to a shell, or undefined if the line means the same without one. */
export function shellCharacter(line: string, platform: string): string | undefined {
  const bare = platform === 'win32' ? ACTIVE + ACTIVE_ON_WINDOWS : `${ACTIVE}\\`;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote === '"' && character === '\\' && line.charAt(at + 1) === '"') at += 1;
    else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (quote !== "'" && (quote === '"' ? ACTIVE_IN_QUOTES : bare).includes(character)) return character;
  }
  // An unclosed quote.
  return quote === '' ? undefined : quote;
}
