import { ErrorCode, PortolanError, wildcard } from '../base/index.js';

/** What somebody says about tools by their names; a rule without `enabled` only tags. */
export interface ToolRule {
  /** Globs, `/regular expressions/flags`, and either with `!` before it. */
  readonly pattern: readonly string[];
  /** A glob for the names of servers; without it the rule is for all. */
  readonly server?: string;
  readonly enabled?: boolean;
  readonly tags?: readonly string[];
}

interface ToolVerdict {
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** The place of the rule that decided; a tool that is off without one is hidden by an allow-list. */
  readonly rule?: number;
}

/** What the rules say of a tool, by the names of its server and its own. */
export type ToolJudge = (server: string, tool: string) => ToolVerdict;

/** No client takes a longer name, and no rule has to read it: where there are rules, such a tool is off. */
export const MAX_TOOL_NAME_CHARACTERS = 512;
/** The time for one name grows with the size of the program that the expression becomes. */
const MAX_EXPRESSION_CHARACTERS = 1_000;
const MAX_PROGRAM_SIZE = 1_500;

type Matches = (text: string) => boolean;

/**
 * A rule may name a server by any of its names. Rejects with the pattern's name if one cannot be read: a rule that hides a tool
 * must not vanish in silence.
 */
export async function compileToolRules(
  rules: readonly ToolRule[],
  namesOf: (server: string) => readonly string[] = (server) => [server],
): Promise<ToolJudge> {
  if (rules.length === 0) return () => ({ enabled: true, tags: [] });
  const compiled = await Promise.all(
    rules.map(async (rule, place) => ({
      ...rule,
      place,
      isFor: rule.server === undefined ? () => true : glob(rule.server),
      matches: await nameMatcher(rule.pattern),
    })),
  );
  return (server, tool) => {
    if (tool.length > MAX_TOOL_NAME_CHARACTERS) return { enabled: false, tags: [] };
    const names = namesOf(server);
    const here = compiled.filter(({ isFor }) => names.some(isFor));
    const matching = here.filter(({ matches }) => matches(tool));
    const tags = [...new Set(matching.flatMap((rule) => rule.tags ?? []))];
    const deciding = matching.find(({ enabled }) => enabled !== undefined);
    if (deciding) return { enabled: deciding.enabled === true, tags, rule: deciding.place };
    // Who says which tools are on says that the others are off.
    return { enabled: !here.some(({ enabled }) => enabled === true), tags };
  };
}

/** Any of the patterns and none of those with `!`; where all have one, everything else. */
async function nameMatcher(patterns: readonly string[]): Promise<Matches> {
  if (patterns.length === 0) throw invalid('', 'a rule has no pattern');
  const read = await Promise.all(
    patterns.map(async (pattern) => {
      const isNegative = pattern.startsWith('!');
      return { isNegative, matches: await toMatcher(isNegative ? pattern.slice(1) : pattern, pattern) };
    }),
  );
  const wanted = read.filter(({ isNegative }) => !isNegative);
  const unwanted = read.filter(({ isNegative }) => isNegative);
  return (name) =>
    (wanted.length === 0 || wanted.some(({ matches }) => matches(name))) &&
    !unwanted.some(({ matches }) => matches(name));
}

async function toMatcher(text: string, pattern: string): Promise<Matches> {
  if (text === '') throw invalid(pattern, 'it is empty');
  return text.startsWith('/') ? expression(text, pattern) : glob(text);
}

function glob(pattern: string): Matches {
  const matches = wildcard(pattern.toLowerCase());
  return (text) => matches(text.toLowerCase());
}

/** Never in the built-in engine, which one line can keep busy for longer than anybody waits. */
async function expression(text: string, pattern: string): Promise<Matches> {
  const end = text.lastIndexOf('/');
  if (end === 0) throw invalid(pattern, 'there is no / at its end');
  const source = text.slice(1, end);
  if (source === '') throw invalid(pattern, 'it is empty');
  if (source.length > MAX_EXPRESSION_CHARACTERS) throw invalid(pattern, 'it is too long');
  const { RE2JS } = await import('re2js');
  const meanings: Readonly<Record<string, number>> = {
    i: RE2JS.CASE_INSENSITIVE,
    m: RE2JS.MULTILINE,
    s: RE2JS.DOTALL,
    // These two change nothing about whether there is a match.
    g: 0,
    u: 0,
  };
  const flags = [...text.slice(end + 1)].reduce((sum, flag) => {
    const meaning = Object.hasOwn(meanings, flag) ? meanings[flag] : undefined;
    if (meaning === undefined) throw invalid(pattern, `there is no flag "${flag}"`);
    return sum | meaning;
  }, 0);
  try {
    const compiled = RE2JS.compile(source, flags);
    if (compiled.programSize() <= MAX_PROGRAM_SIZE) return (name) => compiled.test(name);
  } catch (error) {
    throw invalid(pattern, error instanceof Error ? error.message : String(error), error);
  }
  throw invalid(pattern, 'it repeats too much');
}

const SHOWN_CHARACTERS = 80;

function invalid(pattern: string, reason: string, cause?: unknown): PortolanError {
  const shown = pattern.length > SHOWN_CHARACTERS ? `${pattern.slice(0, SHOWN_CHARACTERS)}…` : pattern;
  return new PortolanError(ErrorCode.InvalidPattern, `the pattern ${JSON.stringify(shown)} cannot be read: ${reason}`, {
    hint: 'write a glob like "*issue*" or an expression like "/issue/i", without look-around and back-references',
    cause,
  });
}
