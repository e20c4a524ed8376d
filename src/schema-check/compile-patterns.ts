/** Returns whether a text matches; `undefined` for a pattern that only a backtracking engine supports. */
export type PatternTest = (pattern: string, text: string) => boolean | undefined;

export interface Patterns {
  readonly test: PatternTest;
  /** The maximum steps per character of text: every instruction of the program can be active at each character. */
  readonly cost: (pattern: string) => number;
}

const MAX_PATTERNS = 200;
const MAX_PATTERN_CHARACTERS = 1_000;
const MAX_PROGRAM_SIZE = 5_000;
/** The limit for all patterns of one schema together, because compiling takes time as well. */
const MAX_PROGRAMS_SIZE = 25_000;

interface Compiled {
  readonly test: (text: string) => boolean;
  readonly size: number;
}

const NONE: Patterns = { test: () => undefined, cost: () => 0 };

/** Compiles patterns with a linear-time engine. An unsupported pattern is not an error: the server checks it. */
export async function compileSchemaPatterns(patterns: readonly string[]): Promise<Patterns> {
  if (patterns.length === 0) return NONE;
  const { RE2JS } = await import('re2js');
  const compiled = new Map<string, Compiled>();
  let total = 0;
  for (const pattern of patterns.slice(0, MAX_PATTERNS)) {
    if (pattern.length > MAX_PATTERN_CHARACTERS || total > MAX_PROGRAMS_SIZE || isForeign(pattern)) continue;
    try {
      const program = RE2JS.compile(RE2JS.translateRegExp(withWhiteSpace(pattern)));
      const size = program.programSize();
      total += size;
      if (size <= MAX_PROGRAM_SIZE) compiled.set(pattern, { test: (text) => program.test(text), size });
    } catch {
      // Look-around, a back-reference or an invalid expression: the pattern is skipped.
    }
  }
  return {
    test: (pattern, text) => compiled.get(pattern)?.test(text),
    cost: (pattern) => compiled.get(pattern)?.size ?? 0,
  };
}

/** Anchors of other languages, which RE2 would read as letters, and inline flags, which JavaScript does not support. */
function isForeign(pattern: string): boolean {
  return /\\[AZzG]|\(\?[a-zA-Z-]+[):]/.test(pattern);
}

/** In JavaScript `\s` matches all white space of Unicode, in RE2 only that of ASCII. */
const WHITE_SPACE = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;

function withWhiteSpace(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(/\\.|[[\]]/gs, (part) => {
    if (part === '[') isInClass = true;
    if (part === ']') isInClass = false;
    if (part === '\\s') return isInClass ? WHITE_SPACE : `[${WHITE_SPACE}]`;
    return part === '\\S' && !isInClass ? `[^${WHITE_SPACE}]` : part;
  });
}
