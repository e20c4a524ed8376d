import { type Dialect, type Draft, defined, dialect, isDisabled, milliseconds, timeoutIn } from '../dialect.js';
import { at, type Fields, field, names, optionalString, optionalStrings } from '../fields.js';
import { claudeDesktopDialect } from './claude.js';

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
  // `startup: false` only puts the start off until the server is used, which is what we do anyway.
  timeouts: timeoutIn('ms', 'timeout', 'initTimeout'),
});

export const witsyDialect: Dialect = (entry) => {
  const draft = claudeDesktopDialect(entry);
  return draft && field(entry, 'state') === 'disabled' ? { ...draft, enabled: false } : draft;
};

const plainMcphub = dialect({ urlAlone: 'auto', off: isDisabled, deny: 'disabled_tools' });

/** A variable without a value is copied from the environment. */
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
  off: isDisabled,
  timeouts: (entry) => defined({ timeoutMs: milliseconds(entry, 'timeoutMs', 'ms') }),
});

/** Camel case and snake case alike; the command as one word, a list, or called `executable`. */
export const mcporterDialect: Dialect = (entry) => {
  const command = field(entry, 'command') ?? field(entry, 'executable');
  const words = Array.isArray(command) ? names(command) : undefined;
  const draft = plainMcporter({
    ...entry,
    command: words ? words[0] : command,
    args: words ? [...words.slice(1), ...(optionalStrings(entry, 'args') ?? [])] : field(entry, 'args'),
  });
  return draft && withMcporterFields(draft, entry);
};

function withMcporterFields(draft: Draft, entry: Fields): Draft {
  const either = (camel: string, snake: string) => optionalString(entry, camel) ?? optionalString(entry, snake);
  const token = either('bearerToken', 'bearer_token');
  const variable = either('bearerTokenEnv', 'bearer_token_env');
  const allow = names(field(entry, 'allowedTools') ?? field(entry, 'allowed_tools'));
  const deny = names(field(entry, 'blockedTools') ?? field(entry, 'blocked_tools'));
  return {
    ...draft,
    ...(token !== undefined && { headers: { ...draft.headers, Authorization: `Bearer ${token}` } }),
    ...(variable !== undefined && { byName: { headers: { Authorization: { variable, prefix: 'Bearer ' } } } }),
    ...((allow.length > 0 || deny.length > 0) && {
      tools: { ...(allow.length > 0 && { allow }), ...(deny.length > 0 && { deny }) },
    }),
  };
}

/** A name in somebody else's list of servers: known to be there, not to be started by us. */
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
