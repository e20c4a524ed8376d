import type { Draft, Named } from '../dialect.js';
import {
  commandList,
  type Dialect,
  defined,
  dialect,
  envList,
  isDisabled,
  isNotEnabled,
  milliseconds,
  oauthOf,
  timeoutIn,
  unsupportedTransport,
} from '../dialect.js';
import {
  at,
  type Fields,
  field,
  InvalidEntry,
  isFields,
  names,
  optionalNumber,
  optionalRecord,
  optionalString,
} from '../fields.js';
import type { ProblemDraft } from '../problem-draft.js';

/**
 * OpenCode: the command is one list of words, and `environment` replaces `env`. Its second generation inverts the flag
 * and has two timeouts.
 */
export const opencodeDialect: Dialect = (entry) => {
  const timeout = field(entry, 'timeout');
  const timeouts = isFields(timeout) ? timeoutIn('ms', 'request', 'startup')(timeout) : timeoutIn('ms')(entry);
  return opencode(entry, !isNotEnabled(entry) && !isDisabled(entry), timeouts);
};

function opencode(entry: Fields, enabled: boolean, timeouts: Pick<Draft, 'timeoutMs' | 'startupTimeoutMs'>): Draft {
  const type = optionalString(entry, 'type');
  const shared = { enabled, problems: [], ...timeouts, ...defined({ oauth: oauthOf(field(entry, 'oauth')) }) };
  if (type === 'local') {
    const words =
      typeof field(entry, 'command') === 'string'
        ? { command: optionalString(entry, 'command') ?? '', args: [] }
        : commandList(entry, 'command');
    return {
      ...shared,
      transport: 'stdio',
      ...words,
      ...defined({ env: optionalRecord(entry, 'environment'), cwd: optionalString(entry, 'cwd') }),
    };
  }
  if (type === 'remote') {
    const url = optionalString(entry, 'url');
    if (!url) throw new InvalidEntry('it has no "url"', 'a server of type remote needs a "url"');
    return { ...shared, transport: 'auto', url, ...defined({ headers: optionalRecord(entry, 'headers') }) };
  }
  throw new InvalidEntry(
    type === undefined ? 'it has no "type"' : `its type "${type.slice(0, 40)}" is unknown`,
    'write "type": "local" with a "command", or "type": "remote" with a "url"',
  );
}

/** The Go program that previously had the name OpenCode. */
export const opencodeGoDialect: Dialect = (entry) => plainOpencodeGo({ ...entry, env: envList(entry, 'env') });
const plainOpencodeGo = dialect({ types: { stdio: 'stdio', sse: 'sse' }, urlAlone: 'sse', off: isDisabled });

/** Codex: secrets by the name of their variable, and a helper command for headers. */
export const codexDialect: Dialect = (entry) => {
  const command = optionalString(entry, 'command');
  const url = optionalString(entry, 'url');
  if (command !== undefined && url !== undefined) {
    throw new InvalidEntry('it has both a "command" and a "url"', 'remove one of them');
  }
  const draft = plainCodex({
    ...entry,
    headers: { ...optionalRecord(entry, 'headers'), ...optionalRecord(entry, 'http_headers') },
  });
  if (!draft) return undefined;
  const bearer = optionalString(entry, 'bearer_token_env_var');
  const headers: Record<string, Named> = {
    ...Object.fromEntries(
      Object.entries(optionalRecord(entry, 'env_http_headers') ?? {}).map(([name, variable]) => [name, { variable }]),
    ),
    ...(bearer && { Authorization: { variable: bearer, prefix: 'Bearer ' } }),
  };
  const env = Object.fromEntries(variableNames(field(entry, 'env_vars')).map((variable) => [variable, { variable }]));
  const inline = optionalString(entry, 'bearer_token') !== undefined;
  const { headers: written, ...rest } = draft;
  return {
    ...rest,
    ...(written && Object.keys(written).length > 0 && { headers: written }),
    ...defined({ headersHelper: helperOf(field(entry, 'http_headers_helper')) }),
    byName: draft.transport === 'stdio' ? { env } : { headers },
    ...(inline && {
      state: 'client-ignores' as const,
      problems: [
        ...draft.problems,
        {
          code: 'secret-in-file',
          severity: 'error' as const,
          message: '"bearer_token" holds a secret in the file; Codex refuses it',
          hint: 'put the token into a variable and name that under "bearer_token_env_var"',
        },
      ],
    }),
  };
};

const plainCodex = dialect({
  urlAlone: 'http',
  off: isNotEnabled,
  allow: 'enabled_tools',
  deny: 'disabled_tools',
  timeouts: (entry) =>
    defined({
      timeoutMs: milliseconds(entry, 'tool_timeout_sec', 's'),
      startupTimeoutMs:
        milliseconds(entry, 'startup_timeout_sec', 's') ?? milliseconds(entry, 'startup_timeout_ms', 'ms'),
    }),
});

/** The file of a plugin for Codex or for Claude Code, whose flags for disabled servers are inverse. */
export const codexJsonDialect: Dialect = (entry) => {
  const draft = codexDialect(entry);
  return draft && isDisabled(entry) ? { ...draft, enabled: false } : draft;
};

/** Variable names as strings, or as maps with a name. */
function variableNames(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return names(value.map((item: unknown) => (isFields(item) ? at(item, 'name') : item)));
}

function helperOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : Array.isArray(value) ? names(value).join(' ') : undefined;
}

const plainGemini = dialect({
  urls: ['httpUrl', 'url', 'tcp'],
  urlAlone: 'auto',
  urlWins: true,
  timeouts: timeoutIn('ms', 'timeout', 'discoveryTimeoutMs'),
  off: isDisabled,
  allow: 'includeTools',
  deny: 'excludeTools',
});

/** Gemini CLI: three URL keys, each with its own transport; `httpUrl` has precedence over `url`, then a command. */
export const geminiDialect: Dialect = (entry) => {
  const { httpUrl, url, tcp } = entry;
  const draft = plainGemini(tcp && !httpUrl && !url ? { ...entry, tcp: webSocketUrl(tcp) } : entry);
  if (!draft) return undefined;
  return {
    ...draft,
    ...(Boolean(httpUrl) && field(entry, 'type') === undefined && { transport: 'http' as const }),
    ...(Boolean(httpUrl && url) && draft.problems.length === 0 && { problems: [TWO_URLS] }),
  };
};

const TWO_URLS: ProblemDraft = {
  code: 'ambiguous-entry',
  severity: 'warning',
  message: 'it has both an "httpUrl" and a "url"; the "httpUrl" is used',
  hint: 'remove the other one',
};

function webSocketUrl(tcp: unknown): unknown {
  return typeof tcp === 'string' && !/^[a-z]+:\/\//i.test(tcp) ? `ws://${tcp}` : tcp;
}

/** Extension types that are part of Goose or of the file, and not servers to start. */
const GOOSE_OWN = new Set(['builtin', 'platform', 'frontend', 'inline_python']);

export const gooseDialect: Dialect = (entry) => {
  const type = optionalString(entry, 'type');
  if (type !== undefined && GOOSE_OWN.has(type)) return undefined;
  if (type === undefined) throw new InvalidEntry('it has no "type"', 'write "type": stdio or streamable_http');
  if (type === 'stdio' && !field(entry, 'cmd'))
    throw new InvalidEntry('it has no "cmd"', 'name the program to start under "cmd"');
  const draft = plainGoose({ ...entry, command: field(entry, 'cmd') });
  if (!draft) return undefined;
  const keys = names(field(entry, 'env_keys')).map((variable) => [variable, { variable, asks: true }]);
  return {
    ...draft,
    ...(keys.length > 0 && { byName: { env: Object.fromEntries(keys) } }),
    ...(type === 'sse' && { state: 'client-ignores' as const, problems: [unsupportedTransport('sse')] }),
  };
};

const plainGoose = dialect({
  urls: ['uri', 'url'],
  types: { stdio: 'stdio', streamable_http: 'http', sse: 'sse' },
  urlAlone: 'http',
  env: 'envs',
  off: isNotEnabled,
  timeouts: timeoutIn('s'),
  allow: 'available_tools',
});

export const crushDialect: Dialect = (entry) => plainCrush({ type: 'stdio', ...entry });
const plainCrush = dialect({
  types: { stdio: 'stdio', sse: 'sse', http: 'http' },
  urlAlone: 'http',
  off: isDisabled,
  timeouts: timeoutIn('s'),
  allow: 'enabled_tools',
  deny: 'disabled_tools',
  extend(draft, entry) {
    const clientId = optionalString(entry, 'oauth_client_id');
    const callbackPort = optionalNumber(entry, 'oauth_callback_port');
    const oauth = defined({ clientId, clientSecret: optionalString(entry, 'oauth_client_secret'), callbackPort });
    return Object.keys(oauth).length > 0 ? { ...draft, oauth: Object.fromEntries(Object.entries(oauth)) } : draft;
  },
});

export const vibeDialect: Dialect = dialect({
  typeKey: 'transport',
  types: { stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
  urlAlone: 'http',
  off: (entry) => isDisabled(entry) || isNotEnabled(entry),
  timeouts: (entry) =>
    defined({
      timeoutMs: milliseconds(entry, 'tool_timeout_sec', 's'),
      startupTimeoutMs: milliseconds(entry, 'startup_timeout_sec', 's'),
    }),
});
