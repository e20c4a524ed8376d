import { ErrorCode, PortolanError, wildcard } from '../base/index.js';
import type { ToolRule } from '../settings/index.js';

/** Decides about a tool that no rule enables or disables; `disabled` makes the rules an allow-list. */
export type ToolDefault = 'enabled' | 'disabled';

interface ToolVerdict {
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** The index of the deciding rule; undefined if the default decided. */
  readonly rule?: number;
}

/** The verdict of the rules on one tool of one server. */
export type ToolJudge = (server: string, tool: string) => ToolVerdict;

export interface ToolPolicy {
  readonly toolDefault?: ToolDefault;
  /** All names by which a rule may refer to a server. */
  readonly namesOf?: (server: string) => readonly string[];
}

/** No client accepts a longer tool name. If there are rules, a tool is disabled when its name or a name of its server is longer. */
export const MAX_TOOL_NAME_CHARACTERS = 512;
/** The time per name grows with the size of the compiled expression. */
const MAX_EXPRESSION_CHARACTERS = 1_000;
const MAX_PROGRAM_SIZE = 1_500;

/** A name, and its lower-case form for globs, which ignore case. */
interface Subject {
  readonly text: string;
  readonly lower: string;
}

type Matches = (subject: Subject) => boolean;

/**
 * Any matching rule with `enabled: false` disables a tool; otherwise any matching `enabled: true` enables it; otherwise
 * `toolDefault` decides. Rejects if a pattern cannot be read: a rule that disables a tool must not be skipped.
 */
export async function compileToolRules(
  rules: readonly ToolRule[],
  { toolDefault = 'enabled', namesOf = (server) => [server] }: ToolPolicy = {},
): Promise<ToolJudge> {
  const isDefaultEnabled = toolDefault === 'enabled';
  if (rules.length === 0) return () => ({ enabled: isDefaultEnabled, tags: [] });
  const compiled = await Promise.all(rules.map(compileRule));
  const rulesFor = lastServer((server) => {
    const names = namesOf(server);
    if (names.some(isTooLong)) return undefined;
    const subjects = names.map(nameSubject);
    return { subjects, rules: compiled.flatMap((rule) => rule.forServer(subjects) ?? []) };
  });
  return (server, tool) => {
    const here = isTooLong(tool) ? undefined : rulesFor(server);
    if (!here) return { enabled: false, tags: [] };
    const subjects = [nameSubject(tool), ...here.subjects.map(({ text }) => nameSubject(`${text}/${tool}`))];
    const matching = here.rules.filter(({ matches }) => matches(subjects));
    const tags = [...new Set(matching.flatMap(({ rule }) => rule.tags ?? []))];
    const deciding =
      matching.find(({ rule }) => rule.enabled === false) ?? matching.find(({ rule }) => rule.enabled === true);
    if (!deciding) return { enabled: isDefaultEnabled, tags };
    return { enabled: deciding.rule.enabled === true, tags, rule: deciding.place };
  };
}

interface RuleForServer {
  readonly rule: ToolRule;
  readonly place: number;
  /** Given the tool name and `server/tool`. */
  readonly matches: (subjects: readonly Subject[]) => boolean;
}

interface CompiledRule {
  /** Undefined if the rule matches no tool of a server with these names. */
  forServer(names: readonly Subject[]): RuleForServer | undefined;
}

async function compileRule(rule: ToolRule, place: number): Promise<CompiledRule> {
  const isFor = compileServerPattern(rule.server);
  const patterns = await compilePatterns(rule.pattern);
  // If every pattern has a `!`, the rule matches everything else.
  const wanted = patterns.filter(({ isNegative }) => !isNegative).map(({ matches }) => matches);
  const unwanted = patterns.filter(({ isNegative }) => isNegative).map(({ matches }) => matches);
  return {
    forServer(names) {
      if (!names.some(isFor) || names.some((name) => unwanted.some((matches) => matches(name)))) return undefined;
      const isServerWanted = wanted.length === 0 || names.some((name) => wanted.some((matches) => matches(name)));
      return {
        rule,
        place,
        matches: (subjects) =>
          (isServerWanted || subjects.some((subject) => wanted.some((matches) => matches(subject)))) &&
          !subjects.some((subject) => unwanted.some((matches) => matches(subject))),
      };
    },
  };
}

/** Tools are judged server by server, so the result for the last server saves most of the work. */
function lastServer<T>(compute: (server: string) => T): (server: string) => T {
  let last: { readonly server: string; readonly result: T } | undefined;
  return (server) => {
    if (last?.server !== server) last = { server, result: compute(server) };
    return last.result;
  };
}

function isTooLong(name: string): boolean {
  return name.length > MAX_TOOL_NAME_CHARACTERS;
}

export function nameSubject(text: string): Subject {
  return { text, lower: text.toLowerCase() };
}

/** Matches the servers that a rule applies to. */
export function compileServerPattern(server: string | undefined): Matches {
  return server === undefined ? () => true : glob(server);
}

interface CompiledPattern {
  /** As written. */
  readonly pattern: string;
  readonly isNegative: boolean;
  readonly matches: Matches;
}

export async function compilePatterns(patterns: readonly string[]): Promise<readonly CompiledPattern[]> {
  if (patterns.length === 0) throw invalid('', 'a rule has no pattern');
  return Promise.all(
    patterns.map(async (pattern) => {
      const isNegative = pattern.startsWith('!');
      return { pattern, isNegative, matches: await toMatcher(isNegative ? pattern.slice(1) : pattern, pattern) };
    }),
  );
}

async function toMatcher(text: string, pattern: string): Promise<Matches> {
  if (text === '') throw invalid(pattern, 'it is empty');
  return text.startsWith('/') ? expression(text, pattern) : glob(text);
}

function glob(pattern: string): Matches {
  const matches = wildcard(pattern.toLowerCase());
  return ({ lower }) => matches(lower);
}

/** Never the built-in engine, which a single line can block by backtracking. */
async function expression(text: string, pattern: string): Promise<Matches> {
  const end = text.lastIndexOf('/');
  if (end === 0) throw invalid(pattern, 'it has no / at its end');
  const source = text.slice(1, end);
  if (source === '') throw invalid(pattern, 'it is empty');
  if (source.length > MAX_EXPRESSION_CHARACTERS) throw invalid(pattern, 'it is too long');
  const { RE2JS } = await import('re2js');
  const meanings: Readonly<Record<string, number>> = {
    i: RE2JS.CASE_INSENSITIVE,
    m: RE2JS.MULTILINE,
    s: RE2JS.DOTALL,
    // These flags do not affect whether there is a match.
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
    if (compiled.programSize() <= MAX_PROGRAM_SIZE) return ({ text: name }) => compiled.test(name);
  } catch (error) {
    throw invalid(pattern, error instanceof Error ? error.message : String(error), error);
  }
  throw invalid(pattern, 'its repetitions are too large');
}

const SHOWN_CHARACTERS = 80;

function invalid(pattern: string, reason: string, cause?: unknown): PortolanError {
  const shown = pattern.length > SHOWN_CHARACTERS ? `${pattern.slice(0, SHOWN_CHARACTERS)}…` : pattern;
  return new PortolanError(ErrorCode.InvalidPattern, `the pattern ${JSON.stringify(shown)} is invalid: ${reason}`, {
    hint: 'write a glob like "*issue*" or an expression like "/issue/i", without look-around and back-references',
    cause,
  });
}
