import type { LookupAddress } from 'node:dns';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { deadline, ErrorCode, PortolanError } from '../../base/index.js';
import { dnsLookup, forbiddenAmong, forbiddenName, isLoopbackName, type Lookup } from '../remote/address-rules.js';
import { checkedLookup, headersOf, literalAddress, request } from '../remote/checked-request.js';
import type { Fetch } from '../remote/remote-fetch.js';

/** Metadata, registrations and tokens are small. */
const MAX_BODY_BYTES = 512 * 1024;
const REQUEST_MS = 15_000;

export interface FetchRules {
  /** URLs that a person wrote: that of the server, and of the metadata if the entry names it. */
  readonly written: readonly URL[];
  readonly signal?: AbortSignal;
  readonly lookup?: Lookup;
}

/**
 * A `fetch` for URLs that a server supplied. It connects to the address that was checked, which prevents DNS rebinding.
 * Redirects are returned and not followed.
 */
export function checkedFetch({ written, signal, lookup = dnsLookup }: FetchRules): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input);
    const literal = literalAddress(url);
    const refusal =
      forbiddenName(url) ??
      insecure(url, written) ??
      (literal.length === 0 ? undefined : forbidden(literal, url, written));
    if (refusal !== undefined) throw refused(url, refusal);
    const sent = new Request(url, { ...init, redirect: 'manual' });
    return send(sent, url, {
      signal: deadline(REQUEST_MS, signal, init.signal).signal, // also covers reading the body
      lookup: checkedLookup(lookup, (found) => {
        const why = found.length === 0 ? 'its name cannot be resolved' : forbidden(found, url, written);
        return why === undefined ? undefined : refused(url, why);
      }),
    });
  };
}

/** Requires https, except for this machine and for origins that a person wrote. */
export function insecure(url: URL, written: readonly URL[]): string | undefined {
  if (url.protocol === 'https:' || isLoopbackName(url)) return undefined;
  return written.some((one) => one.origin === url.origin) ? undefined : 'it is not https';
}

/** Allowed if it is allowed for any of the URLs that a person wrote. */
function forbidden(found: readonly LookupAddress[], url: URL, written: readonly URL[]): string | undefined {
  const refusals = written.map((from) => forbiddenAmong(found, url, from));
  return refusals.includes(undefined) ? undefined : (refusals[0] ?? 'the entry names no URL');
}

async function send(sent: Request, url: URL, options: Pick<RequestOptions, 'signal' | 'lookup'>): Promise<Response> {
  const body = Buffer.from(await sent.arrayBuffer());
  const headers = { ...Object.fromEntries(sent.headers), 'content-length': String(body.length) };
  // No agent: each request gets its own checked connection.
  const whole = { ...options, method: sent.method, headers, agent: false };
  const answer = await request(url, whole, body).catch((error: unknown) => {
    throw error instanceof PortolanError ? error : unreachable(url, error);
  });
  const text = await readBody(answer, url);
  const status = answer.statusCode ?? 500;
  return new Response([101, 204, 205, 304].includes(status) ? null : text, { status, headers: headersOf(answer) });
}

async function readBody(answer: IncomingMessage, url: URL): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of answer) {
      size += part.length;
      if (size > MAX_BODY_BYTES) throw refused(url, 'its response is too large');
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof PortolanError ? error : unreachable(url, error);
  } finally {
    answer.destroy();
  }
  return Buffer.concat(parts);
}

function refused(url: URL, why: string): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `refused to connect to ${placeOf(url)}: ${why}`, {
    hint: 'the server named this URL for the sign-in; report it to the operator of the server',
  });
}

function unreachable(url: URL, error: unknown): PortolanError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  const why = code === 'ABORT_ERR' ? 'it took too long' : (code ?? 'the connection was lost');
  return new PortolanError(ErrorCode.ConnectionError, `${placeOf(url)} could not be reached (${why})`, {
    hint: 'check your network connection, and try again',
    cause: error,
  });
}

/** Without the query, which may contain secrets. */
function placeOf(url: URL): string {
  return /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : url.protocol;
}
