import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { randomKey } from '../../base/index.js';
import { LEGACY_VERSIONS } from '../../model/index.js';
import { type Id, RpcCode, readMessage } from '../../rpc/index.js';
import { Session, type SessionOptions } from '../session/session.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import { onResponseEnd } from './on-response-end.js';
import { faultResponse, HTTP_FAULT, SESSION_GONE } from './rpc-response.js';
import { TransportChannel } from './transport-channel.js';

/** An idle session is closed after this time; its client initializes again. */
const IDLE_MS = 30 * 60_000;
/** Clients rarely end sessions, so at the limit the one idle longest, and at least this long, is closed. */
const QUIET_MS = 60_000;
const SWEEP_MS = 60_000;
const MAX_SESSIONS = 1_000;
const SESSION_HEADER = 'mcp-session-id';

export interface LegacyOptions {
  readonly Transport: typeof WebStandardStreamableHTTPServerTransport;
  readonly session: SessionOptions;
  /** Called for each new client; the returned value is disposed of when the client disconnects. */
  readonly onClient?: ((session: Session) => Disposable) | undefined;
  readonly maxSessions?: number;
  readonly now?: () => number;
}

interface Kept {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly session: Session;
  /** The hash of the token that opened the session; other tokens cannot use it. */
  readonly bearer: string;
  /** The ids of requests without a response yet. */
  readonly waiting: Set<Id>;
  usedAt: number;
  /** The number of open responses and streams. */
  open: number;
}

/** The sessions of clients that begin with `initialize`, each identified by a random id. */
export class LegacySessions implements Disposable {
  readonly #options: LegacyOptions;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  readonly #sweep: NodeJS.Timeout;
  #count = 0;

  constructor(options: LegacyOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#sweep = setInterval(() => this.expire(), SWEEP_MS).unref();
  }

  get size(): number {
    return this.#kept.size;
  }

  /** `parsedBody` is the body of a POST; GET and DELETE have none. */
  async answer(request: Request, parsedBody: unknown, bearer: string): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id !== null) return this.#goOn(id, request, parsedBody, bearer);
    const posted = readMessage(parsedBody);
    if (posted.kind === 'request' && posted.method === 'initialize') return this.#greet(request, parsedBody, bearer);
    const message = `the header ${SESSION_HEADER} is missing: send initialize first`;
    return faultResponse(400, { code: HTTP_FAULT, message }, answerable(parsedBody));
  }

  notice(notice: SurfaceNotification): void {
    for (const { session } of this.#kept.values()) session.notice(notice);
  }

  async drain(limitMs: number): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ session }) => session.drain(limitMs)));
  }

  /** Closes sessions that have been idle too long. */
  expire(): void {
    for (const kept of this.#kept.values()) if (this.#isQuiet(kept, IDLE_MS)) void kept.transport.close();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweep);
  }

  async #goOn(id: string, request: Request, parsedBody: unknown, bearer: string): Promise<Response> {
    const kept = this.#kept.get(id);
    if (kept?.bearer !== bearer) {
      const message = 'the session does not exist or has expired: send initialize again';
      return faultResponse(404, { code: SESSION_GONE, message }, answerable(parsedBody));
    }
    return this.#pass(kept, request, parsedBody);
  }

  async #greet(request: Request, parsedBody: unknown, bearer: string): Promise<Response> {
    if (!this.#hasRoom()) {
      const busy = {
        code: RpcCode.internalError,
        message: 'too many sessions are open: close one, or try again later',
      };
      return faultResponse(503, busy, answerable(parsedBody), { 'retry-after': '60' });
    }
    this.#count += 1;
    const id = randomKey();
    const transport = new this.#options.Transport({
      sessionIdGenerator: () => id,
      supportedProtocolVersions: [...LEGACY_VERSIONS],
    });
    const principal = JSON.stringify(['http', bearer, id]);
    const session = new Session(new TransportChannel(transport), {
      ...this.#options.session,
      label: `s${this.#count}`,
      principal,
    });
    const kept: Kept = { transport, session, bearer, waiting: new Set(), usedAt: this.#now(), open: 0 };
    this.#kept.set(id, kept);
    const registration = this.#options.onClient?.(session);
    void session.ended.then(() => {
      registration?.[Symbol.dispose]();
      this.#kept.delete(id);
      session.cancelAll();
    });
    const response = await this.#pass(kept, request, parsedBody);
    // The transport rejected `initialize`, so there is no session.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  async #pass(kept: Kept, request: Request, parsedBody: unknown): Promise<Response> {
    const ids = idsIn(parsedBody);
    // The transport would send both responses for one id on the second stream, and never close the first.
    if (ids.some((id) => kept.waiting.has(id)) || new Set(ids).size < ids.length) {
      const fault = { code: RpcCode.invalidRequest, message: 'a request with this id is still running' };
      return faultResponse(400, fault, answerable(parsedBody));
    }
    for (const id of ids) kept.waiting.add(id);
    kept.open += 1;
    const over = () => {
      for (const id of ids) kept.waiting.delete(id);
      kept.open -= 1;
      kept.usedAt = this.#now();
    };
    try {
      const response = await kept.transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody });
      return onResponseEnd(response, over);
    } catch (error) {
      over();
      throw error;
    }
  }

  #hasRoom(): boolean {
    if (this.#kept.size < (this.#options.maxSessions ?? MAX_SESSIONS)) return true;
    const quiet = [...this.#kept.values()].filter((kept) => this.#isQuiet(kept, QUIET_MS));
    const [longest] = quiet.toSorted((a, b) => a.usedAt - b.usedAt);
    void longest?.transport.close();
    return longest !== undefined;
  }

  #isQuiet({ open, usedAt }: Kept, ms: number): boolean {
    return open === 0 && this.#now() - usedAt >= ms;
  }
}

/** The id for an error response; a batch has none. */
function answerable(body: unknown): Id | null {
  return (Array.isArray(body) ? undefined : idsIn(body)[0]) ?? null;
}

function idsIn(body: unknown): Id[] {
  const messages = (Array.isArray(body) ? body : [body]).map(readMessage);
  return messages.flatMap((message) => (message.kind === 'request' ? message.id : []));
}
