import { isIPv6 } from 'node:net';
import type { HttpAddress } from './listen-address.js';
import { isLoopback } from './listen-address.js';

/** By which names this server may be called. */
export interface HostRules {
  /** As they stand in a Host header, without a port. */
  readonly bound: ReadonlySet<string>;
  readonly port: number;
  /** Names that lead here by other ways, through a proxy for example, with a port or for any. */
  readonly allowed: readonly string[];
}

const HTTP_PORT = 80;
const HTTPS_PORT = 443;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** Neither user names nor spaces, no second value, no dot at the end: nothing that two readers could read differently. */
const AUTHORITY = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9_.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/;
const ORIGIN = /^(https?):\/\/([^/]+)$/;

/** Whether a request that names this host was meant for us. A page that re-points its own name at us still names itself. */
export function isOurHost(header: string | null, rules: HostRules): boolean {
  return isOurs(header, HTTP_PORT, rules, true);
}

/** Whether a page that sends this came from us. Programs send no Origin, pages of others send theirs or `null`. */
export function isOurOrigin(header: string | null, rules: HostRules): boolean {
  if (header === null) return true;
  const [, scheme, authority = ''] = ORIGIN.exec(header.toLowerCase()) ?? [];
  const isPlain = scheme === 'http';
  return isOurs(authority, isPlain ? HTTP_PORT : HTTPS_PORT, rules, isPlain);
}

function isOurs(authority: string | null, usualPort: number, rules: HostRules, isPlain: boolean): boolean {
  const [, name, written] = AUTHORITY.exec((authority ?? '').toLowerCase()) ?? [];
  if (name === undefined) return false;
  const port = written === undefined ? usualPort : Number(written);
  if (isPlain && port === rules.port && rules.bound.has(name)) return true;
  return rules.allowed.some((entry) => {
    const known = entry.toLowerCase();
    return known === name || known === `${name}:${port}`;
  });
}

/** The names under which an address that we listen on can be called; `local` are the addresses of this machine. */
export function boundNames({ host }: HttpAddress, local: () => readonly string[]): ReadonlySet<string> {
  if (isLoopback(host)) return new Set([...LOOPBACK, inHeader(host)]);
  if (host !== '0.0.0.0' && host !== '::') return new Set([inHeader(host)]);
  return new Set([...LOOPBACK, ...local().map(inHeader)]);
}

function inHeader(host: string): string {
  return isIPv6(host) ? `[${host.toLowerCase()}]` : host.toLowerCase();
}
