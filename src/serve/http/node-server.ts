import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ErrorCode, type Log, PortolanError } from '../../base/index.js';
import { type Waiting, writeWithBackpressure } from './backpressure.js';
import { type HttpAddress, isLoopback } from './listen-address.js';

/** A client whose headers are not complete by then is disconnected. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 60_000;
const CHECK_MS = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
const MAX_CONNECTIONS = 2_000;
/** As long as the last answers may take to leave. */
const FAREWELL_MS = 1_000;
/** What the platform's own `Request` takes, of what it does not. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface NodeServerOptions {
  readonly handle: (request: Request) => Promise<Response>;
  /** Whether others than this machine may reach it. */
  readonly isOpen: boolean;
  readonly log: Log;
  /** How long headers may take, and how often that is checked. */
  readonly headersMs?: number;
  readonly checkMs?: number;
}

/** A port that is listened on, until it is disposed of. */
export interface Listening extends AsyncDisposable {
  readonly address: HttpAddress;
  /** Takes no new connection; those that are open stay so. */
  stop(): void;
}

/** Listens on an address and hands on what comes as the platform's own requests. */
export async function listenHttp(wanted: HttpAddress, options: NodeServerOptions): Promise<Listening> {
  const { handle, isOpen, log, headersMs = HEADERS_MS, checkMs = CHECK_MS } = options;
  const { createServer } = process.getBuiltinModule('node:http');
  const waiting: Waiting = { bytes: 0 };
  const server = createServer(
    {
      // A client that vanished without a word would keep its session for ever.
      keepAlive: true,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: checkMs,
    },
    (incoming, outgoing) => {
      serveOne(incoming, outgoing, handle, waiting).catch((error: unknown) => {
        if (incoming.errored) return; // it hung up in the middle of what it said
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
  // A name may lead elsewhere than it says.
  if (!isOpen && !isLoopback(address.host)) {
    server.close();
    throw new PortolanError(ErrorCode.Usage, `${wanted.host} is ${address.host}, which other machines can reach`, {
      hint: 'listen on 127.0.0.1, or set PORTOLAN_TOKEN',
    });
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
      const why = error.code === 'EADDRINUSE' ? 'another program listens there already' : error.message;
      reject(
        new PortolanError(ErrorCode.ConnectionError, `cannot listen on ${authority({ host, port })}: ${why}`, {
          hint: 'choose another with --http host:port',
          cause: error,
        }),
      );
    });
    server.listen({ host, port }, resolve);
  });
  const given = server.address();
  if (given === null || typeof given === 'string') throw new Error('a port has an address');
  return { host: given.address, port: given.port };
}

/** As it stands in a URL. */
export function authority({ host, port }: HttpAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

async function closed(server: Server, ended: Promise<void>): Promise<void> {
  if (server.listening) server.close();
  server.closeIdleConnections();
  const hangUp = setTimeout(() => server.closeAllConnections(), FAREWELL_MS);
  await ended;
  clearTimeout(hangUp);
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
  outgoing.flushHeaders(); // of a stream that has nothing to say yet, too
  await writeWithBackpressure(response.body, outgoing, waiting);
}

/** Undefined for what is no request to us: one for a proxy, or with a method that nobody serves. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = '', url = '', rawHeaders } = incoming;
  if (!METHODS.has(method) || !url.startsWith('/')) return undefined;
  // One after the other: a header that came twice is two values, and no reader may choose.
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  // The name in the URL means nothing: what the client wrote is in the header.
  return new Request(new URL(`http://localhost${url}`), {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyOf(incoming), duplex: 'half' }),
  });
}

/** Read only when it is asked for. What nobody wants is read to its end and dropped, so that the answer arrives. */
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
