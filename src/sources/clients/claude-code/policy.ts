import { matchesWildcard } from '../../../base/index.js';
import type { Definition } from '../../../model/index.js';
import { at, field, isFields, names } from '../../fields.js';
import { type Host, variable } from '../../host.js';
import type { Settings } from './settings.js';

/** Whether Claude Code's own allow and deny lists let the server through. Deny always counts; no allow list allows all. */
export function isAllowed(definition: Definition, settings: Settings, host: Host): boolean {
  const managed = settings.managed;
  const every = [settings.user, settings.project, settings.local, ...managed];
  const managedOnly = managed.some((one) => at(one, 'allowManagedMcpServersOnly') === true);
  const denied = lists(every, 'deniedMcpServers')?.flat() ?? [];
  if (denied.some((rule) => matches(rule, definition, host))) return false;
  const allowed = lists(managedOnly ? managed : every, 'allowedMcpServers')?.flat();
  return allowed === undefined || allows(allowed, definition, host);
}

function lists(files: readonly unknown[], key: string): unknown[][] | undefined {
  const found = files.map((file) => at(file, key)).filter((list): list is unknown[] => Array.isArray(list));
  return found.length === 0 ? undefined : found;
}

/** A name counts only where the list has no rule of the stricter kind for that transport. */
function allows(rules: readonly unknown[], definition: Definition, host: Host): boolean {
  const strict = definition.transport === 'stdio' ? 'serverCommand' : 'serverUrl';
  const ofKind = (kind: string) => rules.filter((rule) => at(rule, kind) !== undefined);
  const stricter = ofKind(strict);
  if (stricter.length > 0) return stricter.some((rule) => !widensItself(rule, host) && matches(rule, definition, host));
  return ofKind('serverName').some(
    (rule) => /^[\w-]+$/.test(String(at(rule, 'serverName'))) && matches(rule, definition, host),
  );
}

function matches(rule: unknown, { name, command, args = [], url }: Definition, host: Host): boolean {
  if (!isFields(rule)) return false;
  const wantedName = field(rule, 'serverName');
  if (typeof wantedName === 'string') return wantedName === name;
  const wantedCommand = field(rule, 'serverCommand');
  if (Array.isArray(wantedCommand) && command !== undefined) {
    const words = names(wantedCommand).map((word) => expand(word, host));
    return words.length === args.length + 1 && [command, ...args].every((word, n) => word === words[n]);
  }
  const wantedUrl = field(rule, 'serverUrl');
  return typeof wantedUrl === 'string' && url !== undefined && matchesUrl(expand(wantedUrl, host), url);
}

/** `*` anywhere; the host has no case and no trailing dot, the path has; without a path any path is meant. */
export function matchesUrl(pattern: string, url: string): boolean {
  const wanted = cut(pattern);
  const given = cut(url);
  if (!wanted || !given) return matchesWildcard(pattern, url);
  return (
    matchesWildcard(wanted.scheme, given.scheme) &&
    matchesWildcard(wanted.host, given.host) &&
    (wanted.path === '' || matchesWildcard(wanted.path, given.path))
  );
}

function cut(url: string): { scheme: string; host: string; path: string } | undefined {
  const match = /^([^:/]*):\/\/([^/?#]*)(.*)$/s.exec(url);
  if (!match) return undefined;
  const [, scheme = '', host = '', path = ''] = match;
  const bare = host
    .replace(/^[^@]*@/, '')
    .toLowerCase()
    .replace(/\.(?=$|:)/, '');
  const usual = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  return { scheme: scheme.toLowerCase(), host: bare.endsWith(usual) ? bare.slice(0, -usual.length) : bare, path };
}

const REFERENCE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

function expand(text: string, host: Host): string {
  return text.replaceAll(
    REFERENCE,
    (whole, name: string, fallback?: string) => variable(host, name) ?? fallback ?? whole,
  );
}

/** A variable in an allow rule may fill in a word, but not decide what kind of address is allowed. */
function widensItself(rule: unknown, host: Host): boolean {
  const url = at(rule, 'serverUrl');
  if (typeof url !== 'string') return false;
  return [...url.matchAll(REFERENCE)].some(([reference]) => /[*/:@?#]/.test(expand(reference, host)));
}
