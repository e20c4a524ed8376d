// Our own adapter to `node:http`: `@hono/node-server` buffered 302 MB for a client that never reads.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import { type Waiting, writeWithBackpressure } from './backpressure.js';
import { type HttpAddress, isLoopback } from './listen-address.js';

/** The time limit for a client to send its headers. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 60_000;
const CHECK_MS = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
const MAX_CONNECTIONS = 2_000;
/** The time limit for sending the last responses on shutdown. */
const CLOSE_LIMIT_MS = 1_000;
/** The methods that the `Request` constructor accepts. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface NodeServerOptions {
  readonly handle: (request: Request) => Promise<Response>;
  /** Whether other machines may connect. */
  readonly isOpen: boolean;
  readonly log: Log;
  /** The time limit for headers, and the interval of the check. */
  readonly headersMs?: number;
  readonly checkMs?: number;
}

/** A server that listens until it is disposed of. */
export interface Listening extends AsyncDisposable {
  readonly address: HttpAddress;
  /** Accepts no new connections; open ones stay open. */
  stop(): void;
}

/** Listens on an address and passes requests on as web-standard `Request` objects. */
export async function listenHttp(wanted: HttpAddress, options: NodeServerOptions): Promise<Listening> {
  const { handle, isOpen, log, headersMs = HEADERS_MS, checkMs = CHECK_MS } = options;
  const { createServer } = process.getBuiltinModule('node:http');
  const waiting: Waiting = { bytes: 0 };
  const server = createServer(
    {
      // Detects clients that vanished without closing, whose sessions would never end.
      keepAlive: true,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: checkMs,
    },
    (incoming, outgoing) => {
      serveOne(incoming, outgoing, handle, waiting).catch((error: unknown) => {
        if (incoming.errored) return; // the client disconnected during its request
        log('error', 'internal error', { error: error instanceof Error ? error.stack : String(error) });
        if (!outgoing.headersSent) outgoing.writeHead(500, { connection: 'close' }).end();
        else outgoing.destroy();
      });
    },
  );
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = MAX_CONNECTIONS;
  const ended = new Promise<void>((resolve) => server.once('close', resolve));
  const address = await bound(server, wanted);
  // A host name may resolve to an address that is not loopback.
  if (!isOpen && !isLoopback(address.host)) {
    server.close();
    throw new PortolanError(
      ErrorCode.Usage,
      `${wanted.host} resolves to ${address.host}, which other machines can reach, and no token is set`,
      {
        hint: 'set PORTOLAN_TOKEN to a secret, or listen on 127.0.0.1',
      },
    );
  }
  return {
    address,
    stop: () => server.close(),
    [Symbol.asyncDispose]: () => closed(server, ended),
  };
}

async function bound(server: Server, { host, port }: HttpAddress): Promise<HttpAddress> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program is already listening there' : error.message;
      reject(
        new PortolanError(ErrorCode.ConnectionError, `cannot listen on ${authority({ host, port })}: ${why}`, {
          hint: 'choose another address with --http host:port',
          cause: error,
        }),
      );
    });
    server.listen({ host, port }, resolve);
  });
  const given = server.address();
  if (given === null || typeof given === 'string') throw new Error('the HTTP server has no address');
  return { host: given.address, port: given.port };
}

/** Host and port as in a URL. */
export function authority({ host, port }: HttpAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

async function closed(server: Server, ended: Promise<void>): Promise<void> {
  if (server.listening) server.close();
  server.closeIdleConnections();
  const disconnect = setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS);
  await ended;
  clearTimeout(disconnect);
}

async function serveOne(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
  waiting: Waiting,
): Promise<void> {
  const leaving = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) leaving.abort();
  });
  const request = toRequest(incoming, leaving.signal);
  if (!request) {
    outgoing.writeHead(400, { connection: 'close' }).end();
    return;
  }
  const response = await handle(request);
  const headers = Object.fromEntries(response.headers);
  outgoing.writeHead(response.status, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', ...headers });
  if (!response.body || incoming.method === 'HEAD') {
    outgoing.end();
    await response.body?.cancel();
    return;
  }
  outgoing.flushHeaders(); // so that a stream without data yet is open for the client
  await writeWithBackpressure(response.body, outgoing, waiting);
}

/** Undefined for a proxy request or an unsupported method. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = '', url = '', rawHeaders } = incoming;
  if (!METHODS.has(method) || !url.startsWith('/')) return undefined;
  // Appended one by one, so that a repeated header keeps both values and fails the checks.
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  // The host of the URL is a placeholder; checks use the Host header.
  return new Request(new URL(`http://localhost${url}`), {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyOf(incoming), duplex: 'half' }),
  });
}

/** Read on demand. After a cancel the rest is read and dropped, so that the client gets the response. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        incoming.pause();
        incoming.on('data', (chunk: Buffer) => {
          incoming.pause();
          controller.enqueue(chunk);
        });
        incoming.once('end', () => controller.close());
        incoming.once('error', (error) => controller.error(error));
      },
      pull: () => void incoming.resume(),
      cancel: () => {
        for (const name of ['data', 'end', 'error']) incoming.removeAllListeners(name);
        incoming.on('error', () => undefined).resume();
      },
    },
    { highWaterMark: 0 },
  );
}
