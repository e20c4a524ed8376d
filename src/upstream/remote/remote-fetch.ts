import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { ErrorCode, PortolanError, restoreDigits } from '../../base/index.js';
import { forbiddenAmong, forbiddenName, isLoopbackName, kindOfAddress, type Lookup } from './address-rules.js';
import { checkedLookup, headersOf, literalAddress, moduleFor, request } from './checked-request.js';
import type { EntryHeaders } from './entry-headers.js';
import { HttpStatusError } from './remote-failure.js';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A remote server, by the URL in its entry. */
export interface RemoteAddress {
  readonly url: URL;
  readonly headers: EntryHeaders;
  readonly lookup: Lookup;
}

const CONNECT_MS = 15_000;
/** Idle connections are closed after this time, before the server may close them. */
const IDLE_SOCKET_MS = 4_000;
const MAX_SOCKETS = 256;
/** The part of an error response that is read. */
const MAX_ERROR_BYTES = 64 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface RemoteFetch extends Disposable {
  readonly fetch: Fetch;
}

/**
 * A `fetch` for one server: it refuses other origins, sends the headers of the entry, and renews them once after a 401. It
 * connects only to addresses that were checked. It has no response timeout, because callers set their own; the `fetch` of
 * Node would abort after five minutes.
 *
 * Throws an error status as `HttpStatusError` unless `passes` returns true for it.
 */
export function remoteFetch(
  address: RemoteAddress,
  passes: (status: number, method: string) => boolean = () => false,
): RemoteFetch {
  const { Agent } = moduleFor(address.url);
  const agent = new Agent({ keepAlive: true, timeout: IDLE_SOCKET_MS, maxSockets: MAX_SOCKETS });
  const fetch: Fetch = async (input, init = {}) => {
    const url = new URL(input);
    checkPlace(url, address.url);
    let sent = address.headers.current;
    let response = await send(url, init, address, agent);
    if (response.status === 401 && (await address.headers.renew(sent))) {
      await response.body?.cancel();
      sent = address.headers.current;
      response = await send(url, init, address, agent);
    }
    checkRedirect(response, url, address.url);
    if (response.status < 400 || passes(response.status, init.method ?? 'GET')) return response;
    throw new HttpStatusError(response.status, await beginningOf(response));
  };
  return { fetch, [Symbol.dispose]: () => agent.destroy() };
}

/** Throws for a URL of another server and for forbidden addresses. */
export function checkPlace(url: URL, written: URL): void {
  const literal = literalAddress(url);
  const wrong =
    (isWithin(url, written) ? undefined : 'it is not the server of the entry') ??
    forbiddenName(webForm(url)) ??
    (literal.length === 0 ? undefined : forbiddenAmong(literal, url, written));
  if (wrong !== undefined) throw refused(url, wrong);
}

/** Resolves the names of this server. */
export function serverLookup(url: URL, written: URL, lookup: Lookup): LookupFunction {
  return checkedLookup(lookup, (found) => {
    const wrong = found.length === 0 ? 'its name cannot be resolved' : forbiddenAmong(found, url, written);
    return wrong === undefined ? undefined : refused(url, wrong);
  });
}

async function send(url: URL, init: RequestInit, address: RemoteAddress, agent: Agent): Promise<Response> {
  const headers = withEntryHeaders(new Headers(init.headers), address.headers);
  const body = typeof init.body === 'string' ? Buffer.from(restoreDigits(init.body)) : undefined;
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: {
      ...Object.fromEntries(headers),
      'accept-encoding': 'identity',
      ...(body && { 'content-length': String(body.length) }),
    },
    lookup: serverLookup(url, address.url, address.lookup),
    // After a redirect from http to https, the agent of the entry's protocol does not fit.
    agent: url.protocol === address.url.protocol ? agent : false,
    ...(init.signal && { signal: init.signal }),
  };
  // All requests to a server listen to the same signal, which Node would report as a leak.
  if (init.signal) process.getBuiltinModule('node:events').setMaxListeners(0, init.signal);
  const answer = await request(url, options, body, (outgoing) => {
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) return;
      const tooLate = setTimeout(() => outgoing.destroy(timedOut()), CONNECT_MS).unref();
      const connected = () => clearTimeout(tooLate);
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
      outgoing.once('close', connected);
    });
  });
  return toResponse(answer);
}

/** Headers of the request win, except `Authorization`, where the entry wins. */
function withEntryHeaders(headers: Headers, entry: EntryHeaders): Headers {
  for (const [name, value] of Object.entries(entry.current))
    if (!headers.has(name) || name.toLowerCase() === 'authorization') headers.set(name, value);
  return headers;
}

function toResponse(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 599) {
    answer.destroy();
    throw new Error(`it answered ${status}, which is not an HTTP status`);
  }
  const headers = headersOf(answer);
  if ([204, 205, 304].includes(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  const { Readable } = process.getBuiltinModule('node:stream');
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
}

/** Allows redirects within the same server, which the SDK follows. Throws for any other target. */
function checkRedirect(response: Response, url: URL, written: URL): void {
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
  if (location === null) return;
  const target = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  if (target && isWithin(target, written)) return;
  void response.body?.cancel().catch(() => undefined);
  const where = target ? `${placeOf(target)}, ${kindOf(target)}` : 'an invalid URL';
  throw new PortolanError(ErrorCode.ConnectionError, `it redirects to ${where}`, {
    hint: 'if the server has moved there, change the URL in its entry',
  });
}

/** Describes the refused target, without resolving its name. */
function kindOf(target: URL): string {
  const [literal] = literalAddress(target);
  const kind = literal && kindOfAddress(literal.address);
  if (forbiddenName(target)?.includes('metadata') || kind === 'metadata') return 'which is a metadata service';
  if (kind === 'private' || isLoopbackName(target)) return 'which is a private address';
  return 'which is not the server of the entry';
}

/** The same origin, or its https form if both use the default port. */
function isWithin(url: URL, written: URL): boolean {
  const [to, from] = [webForm(url), webForm(written)];
  if (to.protocol === from.protocol && to.host === from.host) return true;
  return (
    from.protocol === 'http:' && to.protocol === 'https:' && to.hostname === from.hostname && !from.port && !to.port
  );
}

/** Turns `ws:` and `wss:` into `http:` and `https:`, to which the same rules apply. */
function webForm(url: URL): URL {
  return /^wss?:$/.test(url.protocol) ? new URL(url.href.replace(/^ws/, 'http')) : url;
}

async function beginningOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= MAX_ERROR_BYTES) break;
    }
  } catch {
    // A partial body is enough for the message.
  }
  return Buffer.concat(parts).toString('utf8', 0, MAX_ERROR_BYTES);
}

function refused(url: URL, why: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `refused to connect to ${placeOf(url)}: ${why}`, {
    hint: 'check the URL in its entry',
  });
}

/** Without path and query, which may contain secrets. */
function placeOf(url: URL): string {
  return /^(?:https?|wss?):$/.test(url.protocol) ? `${url.protocol}//${url.host}` : url.protocol;
}

function timedOut(): Error {
  return Object.assign(new Error('connection timed out'), { code: 'ETIMEDOUT' });
}
