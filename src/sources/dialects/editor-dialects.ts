import {
  type Dialect,
  type Draft,
  defined,
  dialect,
  isDisabled,
  isNotEnabled,
  milliseconds,
  oauthOf,
  timeoutIn,
  unsupportedTransport,
} from '../dialect.js';
import { at, type Fields, field, isFields, names, optionalRecord, optionalString } from '../fields.js';

/** Cursor and clients with the same format. */
export const cursorDialect: Dialect = dialect({
  types: { stdio: 'stdio', sse: 'sse', http: 'http', 'streamable-http': 'http' },
  urlAlone: 'auto',
  off: isDisabled,
  extend: (draft, entry) => ({ ...draft, ...defined({ oauth: oauthOf(field(entry, 'auth')) ?? draft.oauth }) }),
});

/** VS Code and the GitHub Copilot extensions for other editors. */
export const vscodeDialect: Dialect = dialect({
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  urlAlone: 'http',
});

export const windsurfDialect: Dialect = dialect({
  urls: ['serverUrl', 'url'],
  urlAlone: 'auto',
  off: isDisabled,
  deny: 'disabledTools',
});

export const antigravityDialect: Dialect = dialect({
  urls: ['serverUrl', 'url'],
  urlAlone: 'auto',
  urlWins: true,
  off: isDisabled,
  deny: 'disabledTools',
});

export const devinDialect: Dialect = dialect({
  typeKey: 'transport',
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  urlAlone: 'http',
  off: isDisabled,
});

const plainZed = dialect({ urlAlone: 'http', off: isNotEnabled, timeouts: timeoutIn('s') });

export const zedDialect: Dialect = (entry) => {
  const command = field(entry, 'command');
  if (isFields(command)) {
    // The older format: all fields of the program in one map.
    return plainZed({
      ...entry,
      command: field(command, 'path'),
      args: field(command, 'args'),
      env: field(command, 'env'),
      timeout: field(entry, 'timeout') ?? field(command, 'timeout'),
    });
  }
  const fromExtension = isFields(field(entry, 'settings')) || field(entry, 'source') === 'extension';
  if (command === undefined && field(entry, 'url') === undefined && fromExtension) {
    // Settings for a server that an editor extension provides; it cannot be started from outside.
    return { transport: 'stdio', enabled: !isNotEnabled(entry), problems: [], state: 'inventory-only' };
  }
  return plainZed(entry);
};

const plainCline = dialect({
  types: { stdio: 'stdio', sse: 'sse', streamableHttp: 'http', http: 'http' },
  urlAlone: 'sse',
  off: isDisabled,
  timeouts: timeoutIn('s'),
});

/**
 * The extension writes `type` or previously `transportType`; the command-line version nests all fields in `transport`.
 */
export const clineDialect: Dialect = (entry) => {
  const nested = field(entry, 'transport');
  const type = field(entry, 'type') ?? field(entry, 'transportType');
  return plainCline({
    ...(isFields(nested) ? nested : {}),
    ...entry,
    ...(type !== undefined && { type }),
    ...typeIn(nested),
  });
};

function typeIn(nested: unknown): Fields {
  const type = isFields(nested) ? field(nested, 'type') : undefined;
  return type === undefined ? {} : { type };
}

export const rooDialect: Dialect = dialect({
  types: { stdio: 'stdio', sse: 'sse', 'streamable-http': 'http' },
  urlAlone: 'sse',
  off: isDisabled,
  timeouts: timeoutIn('s'),
  deny: 'disabledTools',
});

export const kiroDialect: Dialect = dialect({
  urlAlone: 'http',
  off: isDisabled,
  timeouts: timeoutIn('ms'),
  deny: 'disabledTools',
});

export const amazonqDialect: Dialect = dialect({
  types: { stdio: 'stdio', http: 'http' },
  urlAlone: 'http',
  off: isDisabled,
  timeouts: timeoutIn('ms'),
  extend(draft, entry) {
    const unsupported = draft.transport === 'sse' ? [unsupportedTransport(draft.transport)] : [];
    return {
      ...draft,
      ...scopesIn(draft, entry),
      problems: [...draft.problems, ...unsupported],
      ...(unsupported.length > 0 && { state: 'client-ignores' as const }),
    };
  },
});

/** Two clients store the OAuth scopes beside `oauth` instead of inside it. */
function scopesIn(draft: Draft, entry: Fields): Pick<Draft, 'oauth'> {
  const scopes = names(field(entry, 'oauthScopes'));
  return scopes.length === 0 ? {} : { oauth: { ...draft.oauth, scopes } };
}

export const copilotDialect: Dialect = dialect({
  types: { local: 'stdio', stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
  urlAlone: 'http',
  off: isDisabled,
  timeouts: timeoutIn('ms'),
  extend(draft, entry) {
    const allow = names(field(entry, 'tools'));
    const clientId = optionalString(entry, 'oauthClientId');
    const oauth = { ...scopesIn(draft, entry).oauth, ...(clientId !== undefined && { clientId }) };
    return {
      ...draft,
      ...(allow.length > 0 && !allow.includes('*') && { tools: { allow } }),
      ...(Object.keys(oauth).length > 0 && { oauth: { ...draft.oauth, ...oauth } }),
    };
  },
});

export const warpDialect: Dialect = dialect({ urlAlone: 'auto', cwd: 'working_directory', off: isDisabled });

export const ampDialect: Dialect = dialect({ urlAlone: 'auto', off: isDisabled, allow: 'includeTools' });

const plainContinue = dialect({
  types: { stdio: 'stdio', sse: 'sse', 'streamable-http': 'http', http: 'http' },
  urlAlone: 'auto',
  off: isDisabled,
});

export const continueDialect: Dialect = (entry) => {
  const draft = plainContinue(entry);
  if (!draft) return undefined;
  const apiKey = optionalString(entry, 'apiKey');
  const requestOptions = at(entry, 'requestOptions');
  const headers = {
    ...draft.headers,
    ...(isFields(requestOptions) && optionalRecord(requestOptions, 'headers')),
    ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
  };
  const { envFile, ...rest } = draft;
  return {
    ...rest,
    ...(draft.transport !== 'stdio' && Object.keys(headers).length > 0 && { headers }),
    ...defined({ startupTimeoutMs: milliseconds(entry, 'connectionTimeout', 'ms') }),
    problems:
      envFile === undefined
        ? draft.problems
        : [
            ...draft.problems,
            {
              code: 'unsupported-field',
              severity: 'warning' as const,
              message: '"envFile" is not supported by Continue and has no effect',
              hint: 'write the variables under "env"',
            },
          ],
  };
};
