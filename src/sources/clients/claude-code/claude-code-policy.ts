import { matchesUrl, type PatternMode } from '../../../base/index.js';
import type { Definition } from '../../../model/index.js';
import { type Host, variable } from '../../../model/index.js';
import { at, isFields } from '../../fields.js';
import type { ClaudeCodeSettings } from './claude-code-settings.js';

/** One rule of an allow or deny list. */
type Rule =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'url'; readonly pattern: string };

type LookUp = (name: string) => string | undefined;

/**
 * Whether Claude Code's allow and deny lists permit the server. Deny lists always apply; without an allow list all are
 * allowed.
 */
export function isAllowed(definition: Definition, settings: ClaudeCodeSettings, host: Host): boolean {
  const { user, project, local, managed } = settings;
  const every = [user, project, local, managed];
  const managedOnly = at(managed, 'allowManagedMcpServersOnly') === true;
  // The administrator's variables override the user's environment.
  const lookUp: LookUp = (name) => {
    const own = at(managed, 'env', name);
    return typeof own === 'string' ? own : variable(host, name);
  };
  const denied = rulesIn(every, 'deniedMcpServers') ?? [];
  if (denied.some((rule) => matches(rule, definition, lookUp, 'generous'))) return false;
  // A server of an editor is allowed by default. A repository or a plugin cannot claim to be an editor.
  if (definition.ide && definition.scope !== 'project' && definition.scope !== 'plugin') return true;
  const allowed = rulesIn(managedOnly ? [managed] : every, 'allowedMcpServers');
  return allowed === undefined || allows(allowed, definition, lookUp);
}

function rulesIn(files: readonly unknown[], key: string): Rule[] | undefined {
  const lists = files.map((file) => at(file, key)).filter((list): list is unknown[] => Array.isArray(list));
  return lists.length === 0 ? undefined : lists.flat().flatMap(toRule);
}

/** A rule has exactly one field. An invalid rule is dropped; the others still apply. */
function toRule(written: unknown): Rule[] {
  if (!isFields(written)) return [];
  const { serverName: name, serverCommand: words, serverUrl: pattern } = written;
  if ([name, words, pattern].filter((one) => one !== undefined).length !== 1) return [];
  if (typeof name === 'string') return [{ kind: 'name', name }];
  if (typeof pattern === 'string') return [{ kind: 'url', pattern }];
  const isCommand = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
  return isCommand ? [{ kind: 'command', words }] : [];
}

/** A name applies only if the list has no rule of the stricter kind for that transport. */
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

/** A variable in an allow rule may replace a word, but must not decide which kind of URL is allowed. */
function widensItself(rule: Rule, lookUp: LookUp): boolean {
  if (rule.kind !== 'url') return false;
  return [...rule.pattern.matchAll(REFERENCE)].some(([reference]) => /[*/\\:@?#]/.test(expand(reference, lookUp)));
}
