import type { InboundModernRoute, PerRequestHTTPServerTransport } from '@modelcontextprotocol/server';
import { isObject } from '../../base/index.js';
import { META } from '../../model/index.js';
import { type Params, RpcCode, type RpcFault } from '../../rpc/index.js';
import { Session, type SessionOptions } from '../session/session.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import { paramFault } from './check-param-headers.js';
import { faultResponse, withStatusOf } from './rpc-response.js';
import { standardHeaderFault } from './standard-headers.js';
import { TransportChannel } from './transport-channel.js';

/** Each running request may be a stream that stays open. */
const MAX_RUNNING = 1_000;
const MAX_NAME_CHARACTERS = 100;
/** The status of a response that is never sent, because the client has disconnected. */
const CLIENT_LEFT = 499;

export interface ModernOptions {
  readonly Transport: typeof PerRequestHTTPServerTransport;
  readonly session: SessionOptions;
}

/** Requests of the stateless revision; each one is a whole session. */
export class ModernRequests {
  readonly #options: ModernOptions;
  readonly #running = new Set<Session>();
  #count = 0;

  constructor(options: ModernOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#running.size;
  }

  /** `bearer` separates clients that use different tokens. */
  async answer(route: InboundModernRoute, request: Request, bearer: string): Promise<Response> {
    // In this revision a client sends no notification over HTTP: it cancels by closing the stream.
    if (route.messageKind === 'notification') return new Response(null, { status: 202 });
    const { message } = route;
    const fault = standardHeaderFault(request.headers, message) ?? this.#paramFault(message, request);
    if (fault) return faultResponse(400, fault, message.id);
    if (this.#running.size >= MAX_RUNNING) {
      const busy = { code: RpcCode.internalError, message: 'too many requests are running: try again later' };
      return faultResponse(503, busy, message.id, { 'retry-after': '1' });
    }
    const transport = new this.#options.Transport({ classification: route.classification });
    const channel = new TransportChannel(transport);
    const session = this.#open(channel, principalOf(message.params, bearer));
    try {
      return withStatusOf(await transport.handleMessage(message, { request }), channel.faultCode);
    } catch (error) {
      await transport.close();
      if (request.signal.aborted || !this.#running.has(session)) return new Response(null, { status: CLIENT_LEFT });
      throw error;
    }
  }

  notice(notice: SurfaceNotification): void {
    for (const session of this.#running) session.notice(notice);
  }

  async drain(limitMs: number): Promise<void> {
    await Promise.all([...this.#running].map((session) => session.drain(limitMs)));
  }

  /** Checks nothing for an unknown tool, because the call itself reports that. */
  #paramFault(
    { method, params }: { readonly method: string; readonly params?: Params },
    { headers }: Request,
  ): RpcFault | undefined {
    if (method !== 'tools/call' || !isObject(params) || typeof params.name !== 'string') return undefined;
    return paramFault(this.#options.session.surface.inputSchemaOf?.(params.name), params.arguments, headers);
  }

  #open(channel: TransportChannel, principal: string): Session {
    this.#count += 1;
    const session = new Session(channel, {
      ...this.#options.session,
      label: `r${this.#count}`,
      principal,
      isStateless: true,
    });
    this.#running.add(session);
    void session.ended.then(() => {
      this.#running.delete(session);
      session.cancelAll();
    });
    return session;
  }
}

/** Identifies the client across requests; only the same principal may continue a call that asked a question. */
function principalOf(params: unknown, bearer: string): string {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const sent = meta[META.client];
  const info = isObject(sent) ? sent : {};
  const name = typeof info.name === 'string' ? info.name.slice(0, MAX_NAME_CHARACTERS) : '';
  return JSON.stringify(['http', bearer, name]);
}
