import { matchesWildcard, wildcard } from './wildcard.js';

/** How a pattern is matched: `strict` for allow rules, `generous` for deny rules. */
export type PatternMode = 'strict' | 'generous';

/** A URL as the HTTP client parses it: a backslash, a tab or an `@` can hide the real host from a reader. */
export interface Address {
  readonly scheme: string;
  /** Lower-case and without a trailing dot. */
  readonly host: string;
  /** The host with the port, unless it is the default port. */
  readonly site: string;
  readonly port: string;
  readonly path: string;
  readonly target: string;
  /** The path without duplicate and trailing slashes, which most servers ignore. */
  readonly barePath: string;
}

const USUAL_PORTS: Readonly<Record<string, string>> = { http: '80', ws: '80', https: '443', wss: '443' };

/** Returns undefined for a URL to which no connection is possible. */
export function addressOf(url: string): Address | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const scheme = protocol.slice(0, -1);
  const host = withoutDot(hostname.toLowerCase());
  const path = plainEscapes(pathname);
  return {
    scheme,
    host,
    site: port === '' ? host : `${host}:${port}`,
    port: port === '' ? (USUAL_PORTS[scheme] ?? '') : port,
    path,
    // The fragment is never sent.
    target: path + plainEscapes(search),
    barePath: withoutSlashes(path.replaceAll(/\/{2,}/g, '/')),
  };
}

type Test = (address: Address) => boolean;

/**
 * Compiles a pattern: `*` matches anything, hosts ignore case, default ports are equal; no scheme matches any scheme,
 * and no path any path.
 */
export function urlPattern(pattern: string, reading: PatternMode): Test {
  const [, scheme, rest = ''] = /^(?:([\w.+*-]*):\/\/)?(.*)$/s.exec(pattern) ?? [];
  const [, authority = '', path = ''] = /^([^/\\?#]*)(.*)$/s.exec(rest) ?? [];
  const isScheme = wildcard(scheme?.toLowerCase() ?? '*');
  const isHost = hostPattern(authority.slice(authority.lastIndexOf('@') + 1));
  const isPath = pathPattern(path, reading);
  const byParts: Test = (address) => isScheme(address.scheme) && isHost(address) && isPath(address);
  if (reading === 'strict' || scheme !== undefined) return byParts;
  // In a deny list `*evil*` matches anywhere in the URL. In an allow list it must not match the path, which an attacker
  // can choose.
  const isWhole = wildcard(pattern.toLowerCase());
  return (address) => byParts(address) || isWhole(`${address.scheme}://${address.site}${address.target}`.toLowerCase());
}

/** Matches one text, which need not be a URL: other text never matches an allow rule. */
export function matchesUrl(pattern: string, url: string, reading: PatternMode): boolean {
  const address = addressOf(url);
  if (address) return urlPattern(pattern, reading)(address);
  return reading === 'generous' && matchesWildcard(pattern, url);
}

function hostPattern(written: string): Test {
  const [, host = '', port] = /^(.*?)(?::([\d*]+))?$/s.exec(written) ?? [];
  const isHost = wildcard(plainHost(host));
  // Without a port in the pattern, a `*` at the end of the host also matches a port.
  if (port === undefined) return ({ site }) => isHost(site);
  const isPort = wildcard(port);
  return (address) => isPort(address.port) && isHost(address.host);
}

/** Normalizes a host with `URL`, so that all spellings are the same pattern. `URL` treats a star as a letter. */
function plainHost(host: string): string {
  const url = `https://${host}/`;
  return withoutDot(URL.canParse(url) ? new URL(url).hostname : host.toLowerCase());
}

function pathPattern(written: string, reading: PatternMode): Test {
  if (written === '') return () => true;
  const url = `https://host${written}`;
  const { pathname, search } = URL.canParse(url) ? new URL(url) : { pathname: written, search: '' };
  const path = plainEscapes(pathname);
  const isTarget = wildcard(path + plainEscapes(search));
  if (reading === 'strict') return ({ target }) => isTarget(target);
  const isBarePath = search === '' ? wildcard(withoutSlashes(path)) : () => false;
  // Most servers ignore a trailing slash and unknown query parameters.
  return (address) => isTarget(address.target) || isTarget(address.path) || isBarePath(address.barePath);
}

/** Decodes escaped letters and writes other escapes in upper case. */
function plainEscapes(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (written) => {
    const char = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : written.toUpperCase();
  });
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** A loop, because a regular expression takes quadratic time on a long run of slashes in the middle of the text. */
export function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path.charAt(end - 1) === '/') end -= 1;
  return path.slice(0, end);
}
