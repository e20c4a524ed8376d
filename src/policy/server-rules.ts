import { addressOf, maskArgs, maskUrl, quoted, urlPattern, wildcard } from '../base/index.js';
import type { Definition, Problem } from '../model/index.js';
import { programName, proxyChain } from '../model/index.js';
import { type CommandCandidate, candidatesOf, MAX_CANDIDATES } from './command-candidates.js';

/** One rule of an allow or deny list: a server by name, by whole command or by URL, each with `*`. */
export type ServerRule =
  | { readonly serverName: string }
  | { readonly serverCommand: readonly string[] }
  | { readonly serverUrl: string };

/** The allow and deny rules of the machine, merged from all settings files. */
export interface ServerRules {
  /** If absent, everything is allowed; if empty, nothing. */
  readonly allowed?: readonly ServerRule[];
  /** The managed part of the allow list; the only one that applies with `allowManagedMcpServersOnly`. */
  readonly allowedManaged?: readonly ServerRule[];
  /** From all files: a file that may not allow servers may still deny them. */
  readonly denied: readonly ServerRule[];
  readonly allowManagedMcpServersOnly: boolean;
  /** Only plugins and managed settings may define servers. */
  readonly pluginOnly: boolean;
}

/** The result for one server, with the deciding rule if any. */
export type RuleVerdict =
  | { readonly kind: 'passes'; readonly rule?: string }
  | { readonly kind: 'blocked'; readonly rule: string };

/** Precedence: deny, allow, default. */
export function judgeByRules(definition: Definition, rules: ServerRules): RuleVerdict {
  return ruleJudge(rules)(definition);
}

/** The same, with the rules compiled once for many servers. */
export function ruleJudge(rules: ServerRules): (definition: Definition) => RuleVerdict {
  const { allowed, allowedManaged, denied, allowManagedMcpServersOnly: managedOnly, pluginOnly } = rules;
  const denies = denied.map(denyTest);
  const deniesCommands = denies.some(({ kind }) => kind === 'serverCommand');
  const lists = [managedOnly ? undefined : allowed, allowedManaged].filter((list) => list !== undefined);
  const allows = lists.length === 0 ? undefined : lists.flat().map(allowTest);
  const missing = managedOnly ? 'not in the managed allow list' : 'not in the allow list';
  return (definition) => {
    if (pluginOnly && definition.scope !== 'plugin' && definition.scope !== 'managed') {
      return { kind: 'blocked', rule: 'pluginOnly: only plugins and managed settings may define servers' };
    }
    const subject = subjectOf(definition);
    const denying = denies.find(({ matches }) => matches(subject));
    if (denying) return { kind: 'blocked', rule: `denied by ${denying.text}` };
    // A server that cannot be compared with the deny list is denied.
    if (subject.isUnclear && deniesCommands)
      return { kind: 'blocked', rule: 'denied: its command line starts too many commands to check' };
    if (!allows) return { kind: 'passes' };
    // An attacker can choose the name, so name rules apply only if the list has no command or URL rule for such
    // servers.
    const strict = allows.filter(({ kind }) => kind === subject.strictKind);
    const counting = strict.length > 0 ? strict : allows.filter(({ kind }) => kind === 'serverName');
    const allowing = counting.find(({ matches }) => matches(subject));
    return allowing ? { kind: 'passes', rule: `allowed by ${allowing.text}` } : { kind: 'blocked', rule: missing };
  };
}

type Kind = 'serverName' | 'serverCommand' | 'serverUrl';

/** The facts about a definition that rules use, computed once for all rules. */
interface Subject {
  readonly definition: Definition;
  readonly strictKind: Kind;
  readonly words: readonly string[];
  readonly address: ReturnType<typeof addressOf>;
  /** Grouped by number of words, so that a rule checks only those it could match. */
  readonly candidates: ReadonlyMap<number, readonly CommandCandidate[]>;
  readonly wrapped: readonly CommandCandidate[];
  readonly isUnclear: boolean;
  readonly addresses: readonly NonNullable<ReturnType<typeof addressOf>>[];
}

function subjectOf(definition: Definition): Subject {
  const { command, args = [], url, transport } = definition;
  const candidates = candidatesOf(definition);
  const byLength = new Map<number, CommandCandidate[]>();
  for (const candidate of candidates) {
    const alike = byLength.get(candidate.words.length);
    if (alike) alike.push(candidate);
    else byLength.set(candidate.words.length, [candidate]);
  }
  const chain = url === undefined ? [] : proxyChain(url).map(addressOf);
  return {
    definition,
    strictKind: transport === 'stdio' ? 'serverCommand' : transport === 'sdk' ? 'serverName' : 'serverUrl',
    words: command === undefined ? [] : [command, ...args],
    address: chain[0],
    candidates: byLength,
    isUnclear: candidates.length > MAX_CANDIDATES,
    wrapped: candidates.filter(({ wrapping }) => wrapping > 0),
    addresses: chain.filter((address) => address !== undefined),
  };
}

interface Test {
  readonly kind: Kind;
  readonly text: string;
  readonly matches: (subject: Subject) => boolean;
}

/** An allow rule matches the launch exactly: without unwrapping commands or resolving proxies. */
function allowTest(rule: ServerRule): Test {
  if ('serverName' in rule) return nameTest(rule.serverName);
  if ('serverUrl' in rule) {
    const matches = urlPattern(rule.serverUrl, 'strict');
    return { ...urlText(rule.serverUrl), matches: ({ address }) => address !== undefined && matches(address) };
  }
  const words = rule.serverCommand.map(wildcard);
  return {
    ...commandText(rule.serverCommand),
    matches: (subject) => subject.words.length === words.length && words.every((is, n) => is(subject.words[n] ?? '')),
  };
}

/** A deny rule matches the launch however it is written: through wrappers, proxies or other spellings of a URL. */
function denyTest(rule: ServerRule): Test {
  if ('serverName' in rule) return nameTest(rule.serverName);
  if ('serverUrl' in rule) {
    const matches = urlPattern(rule.serverUrl, 'generous');
    const isRaw = wildcard(rule.serverUrl);
    return {
      ...urlText(rule.serverUrl),
      matches: ({ addresses, definition: { url } }) => addresses.some(matches) || (url !== undefined && isRaw(url)),
    };
  }
  const [program = '', ...args] = rule.serverCommand;
  const isProgram = programTest(program);
  const areArgs = args.map(wildcard);
  const length = rule.serverCommand.length;
  const endsSo = ({ words, programs, wrapping }: CommandCandidate) => {
    const start = words.length - length;
    if (start < 0 || start > wrapping) return false;
    return (
      isProgram(words[start] ?? '', programs[start] ?? '') && areArgs.every((is, n) => is(words[start + 1 + n] ?? ''))
    );
  };
  return {
    ...commandText(rule.serverCommand),
    matches: ({ candidates, wrapped }) => (candidates.get(length) ?? []).some(endsSo) || wrapped.some(endsSo),
  };
}

function nameTest(pattern: string): Test {
  const matches = wildcard(pattern);
  return {
    kind: 'serverName',
    text: `serverName ${pattern}`,
    matches: ({ definition: { name } }) => matches(name),
  };
}

/** A bare name matches the program in any directory; a path matches only that path. */
function programTest(pattern: string): (word: string, program: string) => boolean {
  const exact = wildcard(pattern);
  const named = wildcard(programName(pattern));
  const isPath = /[\\/]/.test(pattern);
  return (word, program) => exact(word) || (!isPath && named(program));
}

function urlText(pattern: string): { kind: Kind; text: string } {
  return { kind: 'serverUrl', text: `serverUrl ${maskUrl(pattern)}` };
}

function commandText(words: readonly string[]): { kind: Kind; text: string } {
  return { kind: 'serverCommand', text: `serverCommand ${maskArgs(words).map(quoted).join(' ')}` };
}

/** Parses the list from another program's settings; an invalid item is skipped and reported. */
export function parseServerRules(
  value: unknown,
  source: string,
): { readonly rules: readonly ServerRule[] | undefined; readonly problems: readonly Problem[] } {
  if (value === undefined) return { rules: undefined, problems: [] };
  if (!Array.isArray(value)) {
    return {
      rules: undefined,
      problems: [unreadable('a list of server rules has the wrong type and is ignored', source)],
    };
  }
  const read = value.map((item: unknown) => toRule(item));
  return {
    rules: read.filter((rule) => rule !== undefined),
    problems: read.flatMap((rule, n) =>
      rule ? [] : [unreadable(`item ${n + 1} of a list of server rules is invalid and is ignored`, source)],
    ),
  };
}

function unreadable(message: string, source: string): Problem {
  const hint = 'write a list of objects, each with exactly one of "serverName", "serverCommand" and "serverUrl"';
  return { code: 'invalid-policy', severity: 'warning', message, hint, source };
}

/** An item has exactly one of the keys. */
function toRule(item: unknown): ServerRule | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const written = Object.entries(item).filter(([key]) => ['serverName', 'serverCommand', 'serverUrl'].includes(key));
  const [[kind, value] = [], ...more] = written;
  if (more.length > 0) return undefined;
  const isText = typeof value === 'string' && value !== '';
  if (kind === 'serverName' && isText) return { serverName: value };
  if (kind === 'serverUrl' && isText) return { serverUrl: value };
  const isCommand = Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string');
  return kind === 'serverCommand' && isCommand ? { serverCommand: value } : undefined;
}
