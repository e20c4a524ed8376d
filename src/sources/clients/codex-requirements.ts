import type { Definition } from '../../model/index.js';
import { at, isFields } from '../fields.js';

/** What the administrator's file says about servers: names with what each must be. */
export interface Requirements {
  readonly identities: unknown;
  readonly matchers: unknown;
}

/** A server must be listed by name and be what the list says it is; what is said in a way we cannot check is a no. */
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
  const said = (name: string): unknown =>
    at(rule, name) ?? (kind === name ? (at(rule, 'value') ?? at(rule, 'expression')) : undefined);
  const [exact, prefix, regex] = ['exact', 'prefix', 'regex'].map(said);
  if (typeof exact === 'string') return exact === text;
  if (typeof prefix === 'string') return text.startsWith(prefix);
  return typeof regex === 'string' && matchesWhole(regex, text);
}

/** What is longer is no command and no address; it could only be meant to keep a regular expression busy. */
const LONGEST_TEXT = 1024;
/** A repeated group with a repetition or a choice inside it can take forever. */
const MAY_EXPLODE = /\([^()]*[*+{|][^()]*\)[*+{]|\([^()]*\([^()]*\)[^()]*\)[*+{]|\\[1-9]/;
/** So can many open ends one after the other. */
const MOST_REPETITIONS = 4;

/** Whether all of the text is what the expression describes. */
function matchesWhole(expression: string, text: string): boolean {
  const repetitions = expression.match(/[*+{]/g)?.length ?? 0;
  if (text.length > LONGEST_TEXT || repetitions > MOST_REPETITIONS || MAY_EXPLODE.test(expression)) return false;
  try {
    return new RegExp(`^(?:${expression})$`, 'u').test(text);
  } catch {
    return false;
  }
}
