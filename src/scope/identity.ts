import { splitWords } from '../base/index.js';
import type { LaunchFields, Transport } from '../model/index.js';

/** What tells one server from another: two launches with the same key start or reach the same thing. */
export function identityOf(launch: LaunchFields & { readonly transport: Transport; readonly name: string }): string {
  const { command, args = [], env = {}, cwd, url, headers = {}, transport, name } = launch;
  if (command !== undefined) return JSON.stringify(['starts', unwrapped([command, ...args]), pairs(env), cwd ?? '']);
  if (url !== undefined) return JSON.stringify(['reaches', plainUrl(url), pairs(lowerCaseKeys(headers))]);
  // Nothing to start and nothing to reach: only its name is left.
  return JSON.stringify(['named', transport, name]);
}

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh']);
/** Any of these means that the shell does more than cut words. */
const SHELL_SYNTAX = /[|&;<>()$`\\"'*?[\]#~={}!%^\n]/;

/** The words of a command without what only wraps it: `cmd /c`, the ending of a shim, a shell that does nothing. */
export function unwrapped(words: readonly string[]): readonly string[] {
  const [command = '', ...args] = words;
  const program =
    command
      .split(/[\\/]/)
      .at(-1)
      ?.toLowerCase()
      .replace(/\.exe$/, '') ?? '';
  if (program === 'cmd') {
    const at = args.findIndex((arg) => !arg.startsWith('/'));
    const rest = at < 0 ? [] : args.slice(at);
    if (rest.length === 0 || !args.slice(0, at).some((flag) => /^\/[ck]$/i.test(flag))) return words;
    return unwrapped(rest.length === 1 ? splitWords(rest[0] ?? '') : rest);
  }
  const [flag = '', script] = args;
  if (SHELLS.has(program) && /^-[a-z]*c$/.test(flag) && args.length === 2 && script !== undefined) {
    return SHELL_SYNTAX.test(script) ? words : unwrapped(splitWords(script));
  }
  return [command.replace(/\.(cmd|bat|exe|ps1)$/i, ''), ...args];
}

/** Paths of proxies that carry the address they stand for in a parameter. */
const PROXY_PATHS = ['/v2/session_ingress/shttp/mcp/', '/v2/ccr-sessions/'];

/** The address without differences that make none: the host's case, a usual port, a slash or an empty part at the end. */
export function plainUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  const behind = parsed.searchParams.get('mcp_url');
  if (behind !== null && PROXY_PATHS.some((path) => parsed.pathname.includes(path)) && URL.canParse(behind)) {
    return plainUrl(behind);
  }
  const { protocol, username, password, port, pathname, search } = parsed;
  const host = parsed.hostname.replace(/\.$/, '');
  const user = username === '' ? '' : `${username}:${password}@`;
  return `${protocol}//${user}${host}${port === '' ? '' : `:${port}`}${pathname.replace(/\/+$/, '')}${search}`;
}

function pairs(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function lowerCaseKeys(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]));
}
