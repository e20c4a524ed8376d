import { isIP, isIPv4, isIPv6 } from 'node:net';
import { ErrorCode, PortolanError } from '../../base/index.js';

/** Where to listen. An IPv6 address stands without brackets. */
export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

const USUAL: HttpAddress = { host: '127.0.0.1', port: 7420 };
const HIGHEST_PORT = 65_535;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;

/** Reads `host:port`, and what is left out of it: `host`, `:port`, a port alone, nothing. Port 0 is any that is free. */
export function readAddress(text: string): HttpAddress {
  const { host, port } = split(text);
  if ((host === '' || isIP(host) > 0 || NAME.test(host)) && /^\d{0,5}$/.test(port) && Number(port) <= HIGHEST_PORT)
    return { host: host || USUAL.host, port: port === '' ? USUAL.port : Number(port) };
  throw new PortolanError(ErrorCode.Usage, `--http ${text} is no address to listen on`, {
    hint: `write host:port, such as ${USUAL.host}:${USUAL.port} or [::1]:${USUAL.port}`,
  });
}

function split(text: string): { readonly host: string; readonly port: string } {
  if (/^\d+$/.test(text)) return { host: '', port: text };
  if (isIPv6(text)) return { host: text, port: '' };
  const [, v6, name = '', port = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(text) ?? [];
  // What does not even look like an address must not pass for the usual one.
  if (v6 !== undefined) return { host: isIPv6(v6) ? v6 : '?', port };
  return text !== '' && name === '' && port === '' ? { host: '?', port } : { host: name, port };
}

/** Reached from this machine only, whatever a name server says. */
export function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^::ffff:/, '');
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

/** Without a token whoever reaches the port may start every server: then only this machine may reach it. */
export function requireTokenBeyondLoopback({ host }: HttpAddress, token: string | undefined): void {
  if (token !== undefined || isLoopback(host)) return;
  throw new PortolanError(ErrorCode.Usage, `${host} can be reached from other machines, and no token protects it`, {
    hint: 'set PORTOLAN_TOKEN (or --token) to a secret that clients send as a bearer token, or listen on 127.0.0.1',
  });
}

const TOKEN = /^[\x21-\x7e]+$/;

/** A token that no client could send in a header protects nothing. */
export function checkToken(token: string | undefined): void {
  if (token === undefined || TOKEN.test(token)) return;
  throw new PortolanError(ErrorCode.Usage, 'the token is empty or has characters that no header can carry', {
    hint: 'use letters and digits, for example what `openssl rand -hex 32` prints',
  });
}
