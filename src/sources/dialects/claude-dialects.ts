import { type Dialect, type Draft, defined, dialect, isDisabled, milliseconds } from '../dialect.js';
import { type Fields, field, InvalidEntry, optionalString } from '../fields.js';

/** Claude Code ignores shorter tool timeouts. */
const SHORTEST_TIMEOUT_MS = 1000;

/** The format of Claude Code and of the many clients that copied it. */
export const claudeDialect: Dialect = dialect({
  types: {
    stdio: 'stdio',
    http: 'http',
    'streamable-http': 'http',
    sse: 'sse',
    'sse-ide': 'sse',
    ws: 'ws',
    'ws-ide': 'ws',
    sdk: 'sdk',
    'claudeai-proxy': 'claudeai-proxy',
  },
  urlAlone: 'auto',
  // Claude Code has no such flag, but a server that its author marked as disabled must not be enabled.
  off: isDisabled,
  timeouts(entry) {
    const written = [milliseconds(entry, 'timeout', 'ms'), milliseconds(entry, 'request_timeout_ms', 'ms')];
    const timeoutMs = written.find((amount) => amount !== undefined && amount >= SHORTEST_TIMEOUT_MS);
    return timeoutMs === undefined ? {} : { timeoutMs };
  },
  extend: withClaudeFields,
});

/** Fields that Claude Code requires for an entry of that type. */
const REQUIRED: ReadonlyMap<unknown, string> = new Map([
  ['sse-ide', 'ideName'],
  ['ws-ide', 'ideName'],
  ['claudeai-proxy', 'id'],
  ['sdk', 'name'],
]);

function checkRequired(type: unknown, entry: Fields): void {
  const key = REQUIRED.get(type);
  if (key === undefined || optionalString(entry, key)?.trim()) return;
  throw new InvalidEntry(`it has no "${key}"`, `a server of type ${type} needs a "${key}" that is not empty`);
}

function withClaudeFields(draft: Draft, entry: Fields): Draft {
  const type = field(entry, 'type');
  const ide = type === 'sse-ide' || type === 'ws-ide';
  checkRequired(type, entry);
  const fields = {
    ...draft,
    ...defined({
      headersHelper: optionalString(entry, 'headersHelper'),
      authToken: optionalString(entry, 'authToken'),
      id: type === 'claudeai-proxy' ? optionalString(entry, 'id') : undefined,
      ide: ide
        ? {
            name: optionalString(entry, 'ideName') ?? '',
            runningInWindows: field(entry, 'ideRunningInWindows') === true,
          }
        : undefined,
    }),
  };
  // An `sdk` server runs inside the program that created it and cannot be reached from outside.
  if (draft.transport === 'sdk') return { ...fields, state: 'client-ignores' };
  if (type !== undefined || draft.url === undefined) return fields;
  return {
    ...fields,
    problems: [
      ...draft.problems,
      {
        code: 'url-without-type',
        severity: 'warning',
        message: 'it has a URL but no type; Claude Code treats such an entry as a local program and fails to start it',
        hint: 'add "type": "http" (or "sse")',
      },
    ],
  };
}

/** Only local programs, as in the first version of the format. */
export const claudeDesktopDialect: Dialect = dialect({ urlAlone: 'auto', remote: false, off: isDisabled });
