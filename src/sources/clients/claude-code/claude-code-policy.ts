import { matchesUrl, type PatternMode } from '../../../base/index.js';
import type { Definition } from '../../../model/index.js';
import { type Host, variable } from '../../../model/index.js';
import { at, isFields } from '../../fields.js';
import type { Settings } from './claude-code-settings.js';

/** One line of an allow or deny list. */
type Rule =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'url'; readonly pattern: string };

type LookUp = (name: string) => string | undefined;

/** Whether Claude Code's own allow and deny lists let the server through. Deny always counts; no allow list allows all. */
export function isAllowed(definition: Definition, settings: Settings, host: Host): boolean {
  const { user, project, local, managed } = settings;
  const every = [user, project, local, managed];
  const managedOnly = at(managed, 'allowManagedMcpServersOnly') === true;
  // What the administrator sets holds over what the user started the program with.
  const lookUp: LookUp = (name) => {
    const own = at(managed, 'env', name);
    return typeof own === 'string' ? own : variable(host, name);
  };
  const denied = rulesIn(every, 'deniedMcpServers') ?? [];
  if (denied.some((rule) => matches(rule, definition, lookUp, 'generous'))) return false;
  // What an editor offers needs no leave; that it is an editor's cannot be said by a repository or a plugin.
  if (definition.ide && definition.scope !== 'project' && definition.scope !== 'plugin') return true;
  const allowed = rulesIn(managedOnly ? [managed] : every, 'allowedMcpServers');
  return allowed === undefined || allows(allowed, definition, lookUp);
}

function rulesIn(files: readonly unknown[], key: string): Rule[] | undefined {
  const lists = files.map((file) => at(file, key)).filter((list): list is unknown[] => Array.isArray(list));
  return lists.length === 0 ? undefined : lists.flat().flatMap(toRule);
}

/** A line says exactly one thing; one that does not is dropped, and the others stand. */
function toRule(written: unknown): Rule[] {
  if (!isFields(written)) return [];
  const { serverName: name, serverCommand: words, serverUrl: pattern } = written;
  if ([name, words, pattern].filter((one) => one !== undefined).length !== 1) return [];
  if (typeof name === 'string') return [{ kind: 'name', name }];
  if (typeof pattern === 'string') return [{ kind: 'url', pattern }];
  const isCommand = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
  return isCommand ? [{ kind: 'command', words }] : [];
}

/** A name counts only where the list has no rule of the stricter kind for that transport. */
function allows(rules: readonly Rule[], definition: Definition, lookUp: LookUp): boolean {
  const strict = definition.transport === 'stdio' ? 'command' : 'url';
  const stricter = rules.filter(({ kind }) => kind === strict);
  if (stricter.length > 0) {
    return stricter.some((rule) => !widensItself(rule, lookUp) && matches(rule, definition, lookUp, 'strict'));
  }
  return rules.some((rule) => rule.kind === 'name' && /^[\w-]+$/.test(rule.name) && rule.name === definition.name);
}

function matches(
  rule: Rule,
  { name, command, args = [], url }: Definition,
  lookUp: LookUp,
  reading: PatternMode,
): boolean {
  switch (rule.kind) {
    case 'name':
      return rule.name === name;
    case 'command': {
      const words = rule.words.map((word) => expand(word, lookUp));
      const given = command === undefined ? [] : [command, ...args];
      return given.length === words.length && given.every((word, n) => word === words[n]);
    }
    case 'url':
      return url !== undefined && matchesUrl(expand(rule.pattern, lookUp), url, reading);
  }
}

const REFERENCE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

function expand(text: string, lookUp: LookUp): string {
  return text.replaceAll(REFERENCE, (whole, name: string, fallback?: string) => lookUp(name) ?? fallback ?? whole);
}

/** A variable in an allow rule may fill in a word, but not decide what kind of address is allowed. */
function widensItself(rule: Rule, lookUp: LookUp): boolean {
  if (rule.kind !== 'url') return false;
  return [...rule.pattern.matchAll(REFERENCE)].some(([reference]) => /[*/\\:@?#]/.test(expand(reference, lookUp)));
}
