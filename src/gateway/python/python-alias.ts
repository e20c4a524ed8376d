import { toAlias } from '../../model/index.js';

/** Lower case only, as aliases are; an alias can never be `None`, `True` or `False`. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['and', 'as', 'assert', 'async', 'await', 'break', 'class', 'continue', 'def', 'del', 'elif', 'else', 'except'],
  ...['finally', 'for', 'from', 'global', 'if', 'import', 'in', 'is', 'lambda', 'nonlocal', 'not', 'or', 'pass'],
  ...['raise', 'return', 'try', 'while', 'with', 'yield'],
]);

/** Valid Python identifiers for names: the usual aliases, with an underscore after a keyword. */
export function pythonAliases(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const aliases = new Map<string, string>();
  // Other names first, so that an escaped keyword such as `import_` does not take their alias.
  const isKeyword = (name: string) => KEYWORDS.has(toAlias(name, new Set()));
  for (const name of names.toSorted((a, b) => Number(isKeyword(a)) - Number(isKeyword(b)))) {
    const alias = toAlias(isKeyword(name) ? `${name}_` : name, taken);
    taken.add(alias);
    aliases.set(name, alias);
  }
  return aliases;
}
