import { matchesWildcard, wildcard } from './wildcard.js';

/** How a pattern is read: `strict` where a match opens something, `generous` where it closes something. */
export type Reading = 'strict' | 'generous';

/** An address as whoever connects will read it: a backslash, a tab or an `@` may hide the true host from a plainer eye. */
export interface Address {
  readonly scheme: string;
  /** Lower-case and without a dot at its end. */
  readonly host: string;
  /** The usual one where none is written. */
  readonly port: string;
  readonly isUsualPort: boolean;
  readonly path: string;
  readonly query: string;
}

/** Undefined for what nobody can connect to. */
export function addressOf(url: string): Address | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const scheme = protocol.slice(0, -1);
  return {
    scheme,
    host: bareHost(hostname),
    port: port === '' ? (USUAL_PORTS[scheme] ?? '') : port,
    isUsualPort: port === '',
    // What follows a `#` is never sent.
    path: plainEscapes(pathname),
    query: plainEscapes(search),
  };
}

const USUAL_PORTS: Readonly<Record<string, string>> = { http: '80', ws: '80', https: '443', wss: '443' };

/**
 * A test for addresses: `*` anywhere, hosts without case, ports alike, and without a path any path.
 * Without a scheme any scheme is meant. Read generously, a path without a query means any query.
 */
export function urlPattern(pattern: string, reading: Reading): (address: Address) => boolean {
  const [scheme, rest] = cutScheme(pattern);
  const [, authority = '', path = ''] = /^([^/\\?#]*)(.*)$/s.exec(rest) ?? [];
  const isScheme = wildcard(scheme);
  const isHost = hostPattern(authority.slice(authority.lastIndexOf('@') + 1));
  const isPath = pathPattern(path, reading);
  const isWhole = wildcard(pattern.toLowerCase());
  return (address) =>
    (isScheme(address.scheme) && isHost(address) && isPath(address)) ||
    // `*evil*` in a deny list means it wherever it stands; in an allow list that would be a path anybody can choose.
    (reading === 'generous' && !pattern.includes('://') && isWhole(whole(address).toLowerCase()));
}

/** The same for one text, also one that is no address. */
export function matchesUrl(pattern: string, url: string, reading: Reading): boolean {
  const address = addressOf(url);
  if (address) return urlPattern(pattern, reading)(address);
  return reading === 'generous' && matchesWildcard(pattern, url);
}

function cutScheme(pattern: string): [scheme: string, rest: string] {
  const at = pattern.indexOf('://');
  return at < 0 ? ['*', pattern] : [pattern.slice(0, at).toLowerCase(), pattern.slice(at + 3)];
}

function hostPattern(written: string): (address: Address) => boolean {
  const [, host = '', port] = /^(.*?)(?::([\d*]+))?$/s.exec(written) ?? [];
  const isHost = wildcard(plainHost(host));
  if (port !== undefined) {
    const isPort = wildcard(port);
    return (address) => isPort(address.port) && isHost(address.host);
  }
  // A star at the end stands for a port as well.
  return ({ host: given, port: at, isUsualPort }) => isHost(isUsualPort ? given : `${given}:${at}`);
}

/** As `URL` would write it, so that other spellings of one host are one pattern; a star is a letter to it. */
function plainHost(host: string): string {
  const url = `https://${host}/`;
  return bareHost(URL.canParse(url) ? new URL(url).hostname : host.toLowerCase());
}

function bareHost(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

function pathPattern(written: string, reading: Reading): (address: Address) => boolean {
  if (written === '') return () => true;
  const url = `https://host${written}`;
  const { pathname, search } = URL.canParse(url) ? new URL(url) : { pathname: written, search: '' };
  const [path, query] = [plainEscapes(pathname), plainEscapes(search)];
  const isPath = wildcard(path + query);
  if (reading === 'strict') return (address) => isPath(address.path + address.query);
  const isBarePath = wildcard(withoutEnd(path));
  // Most servers answer the same with a slash more, two in the place of one, or a query that they do not know.
  return (address) =>
    isPath(address.path + address.query) ||
    isPath(address.path) ||
    (query === '' && isBarePath(withoutEnd(address.path.replaceAll(/\/{2,}/g, '/'))));
}

function whole({ scheme, host, port, isUsualPort, path, query }: Address): string {
  return `${scheme}://${host}${isUsualPort ? '' : `:${port}`}${path}${query}`;
}

/** A letter is the same letter when it is escaped, and an escape in either case. */
function plainEscapes(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : escape.toUpperCase();
  });
}

function withoutEnd(path: string): string {
  let end = path.length;
  while (end > 0 && path.charAt(end - 1) === '/') end -= 1;
  return path.slice(0, end);
}
