import { withoutSlashes } from '../base/index.js';
import type { Definition, LaunchFields } from './definition.js';
import { unwrapped } from './unwrap-command.js';

type Identified = LaunchFields &
  Pick<Definition, 'transport' | 'name'> &
  Pick<Partial<Definition>, 'headersHelper' | 'authToken' | 'envFile' | 'id' | 'missing'>;

/** The identity of a server: two launches with the same key start or reach the same server. */
export function launchIdentity(launch: Identified): string {
  const key = keyOf(launch);
  // Unexpanded variables are normalized, because each client has its own notation for them.
  return launch.missing
    ? key.replaceAll(REFERENCE, (_, ...names) => `\${${names.find((name) => name !== undefined)}}`)
    : key;
}

const REFERENCE = /\$\{env:([A-Za-z_]\w*)\}|(?<!\$)\{env:([A-Za-z_]\w*)\}|\$env:([A-Za-z_]\w*)/g;

function keyOf(launch: Identified): string {
  const { command, args = [], env = {}, cwd, url, headers = {}, transport, name } = launch;
  if (command !== undefined) {
    const words = unwrapped([command, ...args]);
    return JSON.stringify(['starts', words, pairs(env), cwd ?? '', launch.envFile ?? '']);
  }
  if (url !== undefined) {
    // Other credentials mean another account.
    const account = [pairs(lowerCaseKeys(headers)), launch.headersHelper ?? '', launch.authToken ?? ''];
    return JSON.stringify(['reaches', plainUrl(url), ...account]);
  }
  // Without a command or URL, only the name is left.
  return JSON.stringify(['named', transport, launch.id ?? name]);
}

/** Paths of proxies that carry the URL of the server in a parameter. */
const PROXY_PATHS = ['/v2/session_ingress/shttp/mcp/', '/v2/ccr-sessions/'];
const MAX_PROXIES = 4;

/** The URL behind a proxy's URL; undefined for other URLs. */
function behindProxy(url: string): string | undefined {
  if (!url.includes('mcp_url') || !URL.canParse(url)) return undefined;
  const { pathname, searchParams } = new URL(url);
  const behind = searchParams.get('mcp_url');
  const isProxy = PROXY_PATHS.some((path) => pathname.includes(path));
  return isProxy && behind !== null && URL.canParse(behind) ? behind : undefined;
}

/** The URL, then the one behind it, and so on, up to a limit. */
export function proxyChain(url: string): readonly string[] {
  const chain = [url];
  for (let next = behindProxy(url); next !== undefined && chain.length <= MAX_PROXIES; next = behindProxy(next)) {
    chain.push(next);
  }
  return chain;
}

/** Normalizes a URL: the case of the host, a default port, a trailing slash or an empty part at the end. */
export function plainUrl(url: string): string {
  const vendor = proxyChain(url).at(-1) ?? url;
  if (!URL.canParse(vendor)) return vendor;
  const { protocol, username, password, hostname, port, pathname, search } = new URL(vendor);
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const user = username === '' && password === '' ? '' : `${username}:${password}@`;
  return `${protocol}//${user}${host}${port === '' ? '' : `:${port}`}${withoutSlashes(pathname)}${search}`;
}

function pairs(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function lowerCaseKeys(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]));
}
