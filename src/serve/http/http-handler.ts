import type { InboundHttpRequest } from '@modelcontextprotocol/server';
import { sha256 } from '../../base/index.js';
import { readMessage, type StreamLimits } from '../../rpc/index.js';
import type { Session, SessionOptions } from '../session/session.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import { admission } from './admission.js';
import type { HostRules } from './host-rules.js';
import { LegacySessions } from './legacy-sessions.js';
import { ModernRequests } from './modern-requests.js';
import { answerPlainly, openPaths, type PlainRoutes } from './plain-routes.js';
import { readBody } from './read-body.js';
import { faultResponse, HTTP_FAULT } from './rpc-response.js';

export interface HttpHandlerOptions {
  readonly session: Omit<SessionOptions, 'label' | 'principal'>;
  readonly limits: () => StreamLimits;
  readonly hosts: () => HostRules;
  readonly token?: string;
  /** Called for each client that initializes; the returned value is disposed of when the client disconnects. */
  readonly onClient?: (session: Session) => Disposable;
  /** Further paths beside `/health`. */
  readonly routes?: PlainRoutes;
}

/** Serves all HTTP clients, without the sockets. */
export interface HttpHandler extends Disposable {
  handle(request: Request): Promise<Response>;
  readonly clients: number;
  /** Sends a notification to every client that subscribed to it. */
  notice(notice: SurfaceNotification): void;
  /** Refuses new requests, waits for the running ones up to the limit, then cancels the rest. */
  drain(limitMs: number): Promise<void>;
}

export const MCP_PATH = '/mcp';
const HEALTH_PATH = '/health';
const MCP_METHODS: readonly string[] = ['POST', 'GET', 'DELETE'];

/** Serves both protocol eras on one path. Loads the SDK's HTTP transports, here and nowhere else. */
export async function openHttpHandler(options: HttpHandlerOptions): Promise<HttpHandler> {
  const { session, limits, hosts, token } = options;
  const sdk = await import('@modelcontextprotocol/server');
  const routes: PlainRoutes = new Map([
    [HEALTH_PATH, { isOpen: true, answer: () => Response.json({ status: 'ok', version: session.version }) }],
    ...(options.routes ?? []),
  ]);
  const refuse = admission({ hosts, open: openPaths(routes), ...(token !== undefined && { token }) });
  const modern = new ModernRequests({ Transport: sdk.PerRequestHTTPServerTransport, session });
  const legacy = new LegacySessions({
    Transport: sdk.WebStandardStreamableHTTPServerTransport,
    session,
    onClient: options.onClient,
  });
  // Every admitted client sent the same token.
  const bearer = token === undefined ? '' : sha256(token);
  let isDraining = false;

  const mcp = async (request: Request): Promise<Response> => {
    if (isDraining) return plain(503, 'the gateway is shutting down');
    if (!MCP_METHODS.includes(request.method)) return notAllowed(MCP_METHODS);
    if (request.method !== 'POST') return legacy.answer(request, undefined, bearer);
    if (!sdk.isJsonContentType(request.headers.get('content-type')))
      return plain(415, 'Content-Type must be application/json');
    const body = await readBody(request, limits());
    if (body.kind === 'refused') return body.response;
    const route = sdk.classifyInboundRequest(inboundOf(request, body.value));
    switch (route.kind) {
      case 'modern':
        return modern.answer(route, request, bearer);
      case 'legacy':
        return legacy.answer(request, body.value, bearer);
      case 'reject': {
        const { code, message, data } = route;
        const posted = readMessage(body.value);
        const id = posted.kind === 'request' ? posted.id : null;
        return faultResponse(route.httpStatus, { code, message, ...(data !== undefined && { data }) }, id);
      }
    }
  };

  return {
    handle: async (request) => {
      const refusal = refuse(request);
      if (refusal) return refusal;
      if (new URL(request.url).pathname === MCP_PATH) return mcp(request);
      return (await answerPlainly(routes, request, notAllowed)) ?? plain(404, 'not found');
    },
    get clients() {
      return legacy.size;
    },
    notice: (notice) => {
      modern.notice(notice);
      legacy.notice(notice);
    },
    drain: async (limitMs) => {
      isDraining = true;
      await Promise.all([modern.drain(limitMs), legacy.drain(limitMs)]);
    },
    [Symbol.dispose]: () => legacy[Symbol.dispose](),
  };
}

function inboundOf({ method, headers }: Request, body: unknown): InboundHttpRequest {
  const [version, named, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((key) => headers.get(key));
  return {
    httpMethod: method,
    ...(typeof version === 'string' && { protocolVersionHeader: version }),
    ...(typeof named === 'string' && { mcpMethodHeader: named }),
    ...(typeof name === 'string' && { mcpNameHeader: name }),
    body,
  };
}

function notAllowed(methods: readonly string[]): Response {
  return plain(405, 'method not allowed', { allow: methods.join(', ') });
}

function plain(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return faultResponse(status, { code: HTTP_FAULT, message }, null, headers);
}
