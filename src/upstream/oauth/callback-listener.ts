import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ErrorCode, PortolanError, randomKey } from '../../base/index.js';

/** The parameters of the redirect from the authorization server. */
export interface Callback {
  readonly code: string;
  readonly iss?: string;
}

const MAX_CONNECTIONS = 16;
const MAX_HEADER_BYTES = 16 * 1024;
const CLIENT_MS = 10_000;
const LOOPBACK = '127.0.0.1';

/** A local HTTP server that receives the redirect from the authorization server. */
export class CallbackListener implements AsyncDisposable {
  readonly redirect: URL;
  /** Random, so that only the opened sign-in page can know it. */
  readonly state = randomKey();
  readonly #servers: readonly Server[];
  readonly #answer: Promise<Callback>;

  private constructor(redirect: URL, servers: readonly Server[]) {
    this.redirect = redirect;
    this.#servers = servers;
    this.#answer = new Promise((resolve, reject) => {
      for (const server of servers)
        server.on('request', (request, response) => {
          const result = this.#read(request);
          answer(response, result.kind);
          if (result.kind === 'code') resolve(result.callback);
          else if (result.kind === 'refused') reject(result.error);
        });
    });
    this.#answer.catch(() => undefined); // `wait` reports the error
  }

  /** Listens on a free port, or on the port of the registered redirect URI. */
  static async open(agreed?: URL): Promise<CallbackListener> {
    const first = await listen(LOOPBACK, Number(agreed?.port ?? 0));
    const address = first.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    // A browser may resolve `localhost` to IPv4 or IPv6.
    const second = agreed ? await listen('::1', port).catch(() => undefined) : undefined;
    const redirect = agreed ?? new URL(`http://${LOOPBACK}:${port}/callback`);
    return new CallbackListener(redirect, second ? [first, second] : [first]);
  }

  async wait(signal: AbortSignal): Promise<Callback> {
    let end: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      end = () => reject(timedOut(signal));
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
    try {
      return await Promise.race([this.#answer, ended]);
    } finally {
      if (end) signal.removeEventListener('abort', end);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.close();
      server.closeIdleConnections();
      // The final page may still be in transfer.
      setTimeout(() => server.closeAllConnections(), 500).unref();
    }
  }

  /** Ignores requests without the right state; they do not end the wait. */
  #read({ method, url = '', headers }: IncomingMessage): CallbackResult {
    const { redirect } = this;
    // DNS rebinding: a web page whose name resolves to this machine sends its own name.
    if (method !== 'GET' || headers.host !== redirect.host || !url.startsWith('/')) return { kind: 'other' };
    const asked = URL.canParse(url, redirect.href) ? new URL(url, redirect) : undefined;
    if (asked?.pathname !== redirect.pathname) return { kind: 'other' };
    const parameters = asked.searchParams;
    if (['state', 'code', 'iss', 'error'].some((name) => parameters.getAll(name).length > 1)) return { kind: 'other' };
    if (!isSame(parameters.get('state') ?? '', this.state)) return { kind: 'other' };
    const [code, iss, error] = ['code', 'iss', 'error'].map((name) => parameters.get(name) ?? undefined);
    if (error !== undefined) return { kind: 'refused', error: denied(error) };
    if (code === undefined || code === '') return { kind: 'other' };
    return { kind: 'code', callback: { code, ...(iss !== undefined && { iss }) } };
  }
}

type CallbackResult =
  | { readonly kind: 'other' }
  | { readonly kind: 'refused'; readonly error: PortolanError }
  | { readonly kind: 'code'; readonly callback: Callback };

async function listen(host: string, port: number): Promise<Server> {
  const { createServer } = await import('node:http');
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: CLIENT_MS,
    headersTimeout: CLIENT_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(taken(port, error)));
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return server;
}

const PAGES: Readonly<Record<CallbackResult['kind'], readonly [status: number, text: string]>> = {
  code: [200, 'Portolan received the answer. You can close this window and return to your terminal.'],
  refused: [200, 'The sign-in was refused. You can close this window; your terminal shows the reason.'],
  other: [400, 'Portolan does not expect this request.'],
};

/** The page contains nothing from the request. */
function answer(response: ServerResponse, kind: CallbackResult['kind']): void {
  const [status, text] = PAGES[kind];
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`<!doctype html><title>Portolan</title><p>${text}</p>\n`);
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && process.getBuiltinModule('node:crypto').timingSafeEqual(a, b);
}

/** Repeats the error code only if it has the form of RFC 6749. */
function denied(error: string): PortolanError {
  const errorCode = /^[a-z_]{1,40}$/.test(error) ? error : 'an error';
  return new PortolanError(ErrorCode.ConnectionError, `the authorization server answered ${errorCode}`, {
    hint:
      errorCode === 'access_denied'
        ? 'the sign-in was refused in the browser'
        : 'try again, or ask the operator of the server',
  });
}

function timedOut(signal: AbortSignal): PortolanError {
  const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  return new PortolanError(ErrorCode.Cancelled, isTimeout ? 'the sign-in timed out' : 'the sign-in was cancelled', {
    hint: 'try again and complete the sign-in in the browser',
  });
}

function taken(port: number, cause: Error): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, `cannot listen on port ${port} of this machine`, {
    hint: 'the entry of the server requires this port: stop the program that uses it, and try again',
    cause,
  });
}
