import { matchesWildcard, wildcard } from './wildcard.js';

/** How a pattern is read: `strict` where a match opens something, `generous` where it closes something. */
export type PatternMode = 'strict' | 'generous';

/** An address as whoever connects will read it: a backslash, a tab or an `@` may hide the true host from a plainer eye. */
export interface Address {
  readonly scheme: string;
  /** Lower-case and without a dot at its end. */
  readonly host: string;
  /** With the port, unless it is the usual one. */
  readonly site: string;
  readonly port: string;
  readonly path: string;
  /** The path with the query. */
  readonly target: string;
  /** The path without slashes that make no difference to most servers. */
  readonly barePath: string;
}

const USUAL_PORTS: Readonly<Record<string, string>> = { http: '80', ws: '80', https: '443', wss: '443' };

/** Undefined for what nobody can connect to. */
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
    // What follows a `#` is never sent.
    target: path + plainEscapes(search),
    barePath: withoutSlashes(path.replaceAll(/\/{2,}/g, '/')),
  };
}

type Test = (address: Address) => boolean;

/** A test for addresses: `*` anywhere, hosts without case, ports alike; no scheme means any, and no path any path. */
export function urlPattern(pattern: string, reading: PatternMode): Test {
  const [, scheme, rest = ''] = /^(?:([\w.+*-]*):\/\/)?(.*)$/s.exec(pattern) ?? [];
  const [, authority = '', path = ''] = /^([^/\\?#]*)(.*)$/s.exec(rest) ?? [];
  const isScheme = wildcard(scheme?.toLowerCase() ?? '*');
  const isHost = hostPattern(authority.slice(authority.lastIndexOf('@') + 1));
  const isPath = pathPattern(path, reading);
  const byParts: Test = (address) => isScheme(address.scheme) && isHost(address) && isPath(address);
  if (reading === 'strict' || scheme !== undefined) return byParts;
  // `*evil*` in a deny list means it wherever it stands; in an allow list that would be a path which anybody can choose.
  const isWhole = wildcard(pattern.toLowerCase());
  return (address) => byParts(address) || isWhole(`${address.scheme}://${address.site}${address.target}`.toLowerCase());
}

/** The same for one text, also one that is no address: that matches no pattern which opens something. */
export function matchesUrl(pattern: string, url: string, reading: PatternMode): boolean {
  const address = addressOf(url);
  if (address) return urlPattern(pattern, reading)(address);
  return reading === 'generous' && matchesWildcard(pattern, url);
}

function hostPattern(written: string): Test {
  const [, host = '', port] = /^(.*?)(?::([\d*]+))?$/s.exec(written) ?? [];
  const isHost = wildcard(plainHost(host));
  // Where no port is written, a star at the end of the host stands for one as well.
  if (port === undefined) return ({ site }) => isHost(site);
  const isPort = wildcard(port);
  return (address) => isPort(address.port) && isHost(address.host);
}

/** As `URL` would write it, so that every spelling of a host is the same pattern; to `URL` a star is a letter. */
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
  // Most servers answer the same with a slash more or with a query that they do not know.
  return (address) => isTarget(address.target) || isTarget(address.path) || isBarePath(address.barePath);
}

/** A letter is the same letter when it is escaped, and an escape in either case. */
function plainEscapes(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (written) => {
    const char = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : written.toUpperCase();
  });
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** A loop, because the regular expression for it takes quadratic time on a long row of slashes that does not end the text. */
export function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path.charAt(end - 1) === '/') end -= 1;
  return path.slice(0, end);
}
