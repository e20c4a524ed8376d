import { toAlias } from '../../model/index.js';

/** Aliases are lower case, and so are these; `None`, `True` and `False` cannot be one. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['and', 'as', 'assert', 'async', 'await', 'break', 'class', 'continue', 'def', 'del', 'elif', 'else', 'except'],
  ...['finally', 'for', 'from', 'global', 'if', 'import', 'in', 'is', 'lambda', 'nonlocal', 'not', 'or', 'pass'],
  ...['raise', 'return', 'try', 'while', 'with', 'yield'],
]);

/** Names that Python takes as names, in the order given: the usual aliases, where a keyword ends with a stroke. */
export function pythonAliases(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const aliases = new Map<string, string>();
  // Words that are no keyword first: whichever keyword comes before them must not take their alias.
  const isKeyword = (name: string) => KEYWORDS.has(toAlias(name, new Set()));
  for (const name of names.toSorted((a, b) => Number(isKeyword(a)) - Number(isKeyword(b)))) {
    const alias = toAlias(isKeyword(name) ? `${name}_` : name, taken);
    taken.add(alias);
    aliases.set(name, alias);
  }
  return aliases;
}
