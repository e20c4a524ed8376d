// Our own check: the one of the SDK accepts `user@localhost` and `0x7f.1`.
import { isIPv6 } from 'node:net';
import type { HttpAddress } from './listen-address.js';
import { isLoopback } from './listen-address.js';

/** The names under which clients may address this server. */
export interface HostRules {
  /** As in a Host header, without a port. */
  readonly bound: ReadonlySet<string>;
  readonly port: number;
  /** Further names, for example of a proxy; with a port, or without one to allow any port. */
  readonly allowed: readonly string[];
}

const HTTP_PORT = 80;
const HTTPS_PORT = 443;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** No user name, space, second value or trailing dot, so that no two parsers read a different host. */
const AUTHORITY = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9_.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/;
const ORIGIN = /^(https?):\/\/([^/]+)$/;

/** Whether the Host header names us. A page that points its own name at our address still sends that name. */
export function isOurHost(header: string | null, rules: HostRules): boolean {
  return isOurs(header, HTTP_PORT, rules, true);
}

/** Whether the Origin is allowed. Programs send none; pages of other sites send their own or `null`. */
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

/** The names for an address that we listen on; `local` lists the addresses of this machine. */
export function boundNames({ host }: HttpAddress, local: () => readonly string[]): ReadonlySet<string> {
  if (isLoopback(host)) return new Set([...LOOPBACK, inHeader(host)]);
  if (host !== '0.0.0.0' && host !== '::') return new Set([inHeader(host)]);
  return new Set([...LOOPBACK, ...local().map(inHeader)]);
}

function inHeader(host: string): string {
  return isIPv6(host) ? `[${host.toLowerCase()}]` : host.toLowerCase();
}
