import type { InboundModernRoute, PerRequestHTTPServerTransport } from '@modelcontextprotocol/server';
import { isObject, type Params, RpcCode, type RpcFault } from '../../base/index.js';
import { objectOf } from '../answers.js';
import type { Notice } from '../face.js';
import { Session, type SessionOptions } from '../session.js';
import { paramFault } from './param-headers.js';
import { faultResponse, withStatusOf } from './rpc-response.js';
import { headerFault } from './standard-headers.js';
import { TransportChannel } from './transport-channel.js';

/** Each may be a stream that stays open. */
const MAX_RUNNING = 1_000;
const MAX_NAME_CHARACTERS = 100;
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
/** Nobody is left to read it. */
const CLIENT_LEFT = 499;

export interface ModernOptions {
  readonly Transport: typeof PerRequestHTTPServerTransport;
  readonly session: SessionOptions;
}

/** Requests of the stateless revision: each stands for itself and is a whole session. */
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

  /** `bearer` tells apart those who came with different tokens. */
  async answer(route: InboundModernRoute, request: Request, bearer: string): Promise<Response> {
    // The revision has no notification that a client sends over HTTP: it cancels by closing the stream.
    if (route.messageKind === 'notification') return new Response(null, { status: 202 });
    const { message } = route;
    const fault = headerFault(request.headers, message) ?? (await this.#paramFault(message, request));
    if (fault) return faultResponse(400, fault, message.id);
    if (this.#running.size >= MAX_RUNNING) {
      const busy = { code: RpcCode.internalError, message: 'too many requests are under way' };
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

  notice(notice: Notice): void {
    for (const session of this.#running) session.notice(notice);
  }

  async drain(limitMs: number): Promise<void> {
    await Promise.all([...this.#running].map((session) => session.drain(limitMs)));
  }

  /** Where the tools cannot be listed nothing is checked: the call itself says why. */
  async #paramFault(
    { method, params }: { readonly method: string; readonly params?: Params },
    { headers, signal }: Request,
  ): Promise<RpcFault | undefined> {
    if (method !== 'tools/call' || !isObject(params)) return undefined;
    const conversation = { client: 'http', signal };
    const listing = this.#options.session.face.answer({
      method: 'tools/list',
      params: {},
      era: 'modern',
      conversation,
    });
    const listed = await listing?.then(objectOf, () => undefined);
    const tools: readonly unknown[] = Array.isArray(listed?.tools) ? listed.tools : [];
    const tool = tools.find((one) => isObject(one) && one.name === params.name);
    return isObject(tool) ? paramFault(tool.inputSchema, params.arguments, headers) : undefined;
  }

  #open(channel: TransportChannel, principal: string): Session {
    this.#count += 1;
    const session = new Session(channel, { ...this.#options.session, label: `r${this.#count}`, principal });
    this.#running.add(session);
    void session.ended.then(() => {
      this.#running.delete(session);
      session.cancelAll();
    });
    return session;
  }
}

/** The same for all requests of one client: that is who may go on with a call that has a question. */
function principalOf(params: unknown, bearer: string): string {
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const info = isObject(meta[CLIENT_KEY]) ? meta[CLIENT_KEY] : {};
  const name = typeof info.name === 'string' ? info.name.slice(0, MAX_NAME_CHARACTERS) : '';
  return JSON.stringify(['http', bearer, name]);
}
