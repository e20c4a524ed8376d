import type { Definition } from '../../model/index.js';
import { at, isFields } from '../fields.js';

/** The managed requirements: server names with the identity that each must have. */
export interface Requirements {
  readonly identities: unknown;
  readonly matchers: unknown;
}

/**
 * Whether the server is listed by name and has the listed identity. An identity that cannot be checked is a rejection.
 */
export function meets(definition: Definition, { identities, matchers }: Requirements): boolean {
  const listed = [at(identities, definition.name), at(matchers, definition.name)].filter((rule) => rule !== undefined);
  return listed.length > 0 && listed.every((rule) => isAsRequired(definition, rule));
}

function isAsRequired({ command, args = [], url }: Definition, requirement: unknown): boolean {
  if (!isFields(requirement)) return false;
  const identity = isFields(requirement.identity) ? requirement.identity : requirement;
  const wanted = [
    { rule: at(identity, 'command'), is: command },
    { rule: at(identity, 'url'), is: url },
  ].filter(({ rule }) => rule !== undefined);
  const rules = at(identity, 'args');
  const argsFit =
    !Array.isArray(rules) || (rules.length === args.length && args.every((arg, n) => fits(rules[n], arg)));
  return argsFit && wanted.every(({ rule, is }) => is !== undefined && fits(rule, is));
}

/** A value, `{exact|prefix|regex = …}`, or the same with the kind under `match`. */
function fits(rule: unknown, text: string): boolean {
  if (typeof rule === 'string') return rule === text;
  const kind = at(rule, 'match');
  const fieldOf = (name: string): unknown =>
    at(rule, name) ?? (kind === name ? (at(rule, 'value') ?? at(rule, 'expression')) : undefined);
  const [exact, prefix, regex] = ['exact', 'prefix', 'regex'].map(fieldOf);
  if (typeof exact === 'string') return exact === text;
  if (typeof prefix === 'string') return text.startsWith(prefix);
  return typeof regex === 'string' && matchesWhole(regex, text);
}

/** Longer than any real command or URL; the limit bounds the time of a regular expression. */
const LONGEST_TEXT = 1024;
/** Nested repetitions or alternatives in a repeated group can take exponential time. */
const MAY_BE_EXPONENTIAL = /\([^()]*[*+{|][^()]*\)[*+{]|\([^()]*\([^()]*\)[^()]*\)[*+{]|\\[1-9]/;
/** Many unbounded repetitions in sequence can take polynomial time. */
const MOST_REPETITIONS = 4;

/** Whether the expression matches the whole text. */
function matchesWhole(expression: string, text: string): boolean {
  const repetitions = expression.match(/[*+{]/g)?.length ?? 0;
  if (text.length > LONGEST_TEXT || repetitions > MOST_REPETITIONS || MAY_BE_EXPONENTIAL.test(expression)) return false;
  try {
    return new RegExp(`^(?:${expression})$`, 'u').test(text);
  } catch {
    return false;
  }
}
