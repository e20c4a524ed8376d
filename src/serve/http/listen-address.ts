import { isIP, isIPv4, isIPv6 } from 'node:net';
import { ErrorCode, PortolanError } from '../../base/index.js';

/** An address to listen on. An IPv6 host has no brackets. */
export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

const USUAL: HttpAddress = { host: '127.0.0.1', port: 7420 };
const HIGHEST_PORT = 65_535;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;

/** Parses `host:port`, `host`, `:port`, a port or an empty string, with defaults. Port 0 is any free port. */
export function readAddress(text: string): HttpAddress {
  const { host, port } = split(text);
  if ((host === '' || isIP(host) > 0 || NAME.test(host)) && /^\d{0,5}$/.test(port) && Number(port) <= HIGHEST_PORT)
    return { host: host || USUAL.host, port: port === '' ? USUAL.port : Number(port) };
  throw new PortolanError(ErrorCode.Usage, `--http ${text} is not a valid address`, {
    hint: `write host:port, such as ${USUAL.host}:${USUAL.port} or [::1]:${USUAL.port}`,
  });
}

function split(text: string): { readonly host: string; readonly port: string } {
  if (/^\d+$/.test(text)) return { host: '', port: text };
  if (isIPv6(text)) return { host: text, port: '' };
  const [, v6, name = '', port = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(text) ?? [];
  // Text that cannot be parsed must not fall back to the default address.
  if (v6 !== undefined) return { host: isIPv6(v6) ? v6 : '?', port };
  return text !== '' && name === '' && port === '' ? { host: '?', port } : { host: name, port };
}

/** Whether only this machine can connect; independent of name resolution. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^::ffff:/, '');
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

/** Without a token, every client that reaches the port could start servers, so only loopback is allowed then. */
export function requireTokenBeyondLoopback({ host }: HttpAddress, token: string | undefined): void {
  if (token !== undefined || isLoopback(host)) return;
  throw new PortolanError(ErrorCode.Usage, `${host} can be reached from other machines, and no token is set`, {
    hint: 'set PORTOLAN_TOKEN (or --token) to a secret that clients send as a bearer token, or listen on 127.0.0.1',
  });
}

const TOKEN = /^[\x21-\x7e]+$/;

/** Refuses a token that no client could send in a header. */
export function checkToken(token: string | undefined): void {
  if (token === undefined || TOKEN.test(token)) return;
  throw new PortolanError(ErrorCode.Usage, 'the token is empty or contains characters that a header cannot contain', {
    hint: 'use letters and digits, for example the output of `openssl rand -hex 32`',
  });
}
