import { splitWords } from '../../base/index.js';
import { type Dialect, type Draft, defined, dialect, isDisabled, milliseconds, timeoutIn } from '../dialect.js';
import { at, type Fields, field, names, optionalString, optionalStrings } from '../fields.js';
import { claudeDesktopDialect } from './claude-dialects.js';

export const fiveIreDialect: Dialect = dialect({
  types: { local: 'stdio', stdio: 'stdio', remote: 'remote', sse: 'sse', streamable: 'http', http: 'http' },
  urlAlone: 'auto',
  off: (entry) => field(entry, 'isActive') === false,
});

export const janDialect: Dialect = dialect({
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  urlAlone: 'http',
  off: (entry) => field(entry, 'active') === false,
  timeouts: timeoutIn('s'),
});

export const anythingllmDialect: Dialect = dialect({
  types: { stdio: 'stdio', sse: 'sse', streamable: 'http', http: 'http' },
  urlAlone: 'sse',
  off: (entry) => at(entry, 'anythingllm', 'autoStart') === false,
  extend(draft, entry) {
    const deny = names(at(entry, 'anythingllm', 'suppressedTools'));
    return deny.length > 0 ? { ...draft, tools: { deny } } : draft;
  },
});

export const librechatDialect: Dialect = dialect({
  types: { stdio: 'stdio', websocket: 'ws', sse: 'sse', 'streamable-http': 'http', http: 'http' },
  urlAlone: 'sse',
  // Not started with the others, but only on request.
  off: (entry) => field(entry, 'startup') === false,
  timeouts: timeoutIn('ms', 'timeout', 'initTimeout'),
});

/** In its own list, Witsy stores the arguments of a program as one string under `url`. */
export const witsyDialect: Dialect = (entry) => {
  const { url, args, type } = entry;
  const inUrl = type === 'stdio' && args === undefined && typeof url === 'string';
  const draft = claudeDesktopDialect(inUrl ? { ...entry, args: splitWords(url) } : entry);
  return draft && field(entry, 'state') === 'disabled' ? { ...draft, enabled: false } : draft;
};

const plainMcphub = dialect({ urlAlone: 'auto', off: isDisabled, deny: 'disabled_tools' });

/** A variable with a null value is copied from the environment. */
export const mcphubDialect: Dialect = (entry) => {
  const draft = plainMcphub(entry);
  const env = field(entry, 'env');
  if (!draft || typeof env !== 'object' || env === null) return draft;
  const copied = Object.entries(env).filter(([, value]) => value === null || value === '');
  if (copied.length === 0) return draft;
  const written = Object.entries(draft.env ?? {}).filter(([, value]) => value !== '');
  return {
    ...draft,
    env: Object.fromEntries(written),
    byName: { env: Object.fromEntries(copied.map(([variable]) => [variable, { variable }])) },
  };
};

const plainMcporter = dialect({
  urls: ['baseUrl', 'base_url', 'url', 'serverUrl', 'server_url'],
  urlAlone: 'auto',
  urlWins: true,
  off: isDisabled,
  timeouts: (entry) => defined({ timeoutMs: milliseconds(entry, 'timeoutMs', 'ms') }),
});

/** Camel case or snake case; the command as a string, a command line, a list, or under `executable`. */
export const mcporterDialect: Dialect = (entry) => {
  const command = field(entry, 'command') ?? field(entry, 'executable');
  const args = optionalStrings(entry, 'args') ?? [];
  const words = commandWords(command, args);
  const draft = plainMcporter(words ? { ...entry, command: words[0], args: [...words.slice(1), ...args] } : entry);
  return draft && withMcporterFields(draft, entry);
};

/** A command string without separate arguments is split into words as in a shell. */
function commandWords(command: unknown, args: readonly string[]): string[] | undefined {
  if (Array.isArray(command)) return names(command);
  if (typeof command !== 'string') return undefined;
  return args.length === 0 ? splitWords(command) : [command];
}

function withMcporterFields(draft: Draft, entry: Fields): Draft {
  const either = (camel: string, snake: string) => optionalString(entry, camel) ?? optionalString(entry, snake);
  const token = either('bearerToken', 'bearer_token');
  const variable = draft.transport === 'stdio' ? undefined : either('bearerTokenEnv', 'bearer_token_env');
  const allow = names(field(entry, 'allowedTools') ?? field(entry, 'allowed_tools'));
  const deny = names(field(entry, 'blockedTools') ?? field(entry, 'blocked_tools'));
  return {
    ...draft,
    ...(token !== undefined &&
      draft.transport !== 'stdio' && { headers: { ...draft.headers, Authorization: `Bearer ${token}` } }),
    ...(variable !== undefined && { byName: { headers: { Authorization: { variable, prefix: 'Bearer ' } } } }),
    ...((allow.length > 0 || deny.length > 0) && {
      tools: { ...(allow.length > 0 && { allow }), ...(deny.length > 0 && { deny }) },
    }),
  };
}

/** A server in the list of another program that Portolan cannot start. */
export const inventoryDialect: Dialect = (entry) => {
  const command = field(entry, 'command');
  const url = field(entry, 'url');
  const args = field(entry, 'args');
  return {
    transport: typeof url === 'string' && typeof command !== 'string' ? 'auto' : 'stdio',
    enabled: true,
    problems: [],
    state: 'inventory-only',
    ...(typeof command === 'string' && command !== '' && { command, args: names(args) }),
    ...(typeof url === 'string' && url !== '' && { url }),
  };
};
