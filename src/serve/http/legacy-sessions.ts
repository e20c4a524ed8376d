import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { randomKey } from '../../base/index.js';
import { LEGACY_VERSIONS } from '../../model/index.js';
import { type Id, RpcCode, readMessage } from '../../rpc/index.js';
import { Session, type SessionOptions } from '../session/session.js';
import type { SurfaceNotification } from '../surfaces/surface.js';
import { onResponseEnd } from './on-response-end.js';
import { faultResponse, HTTP_FAULT, SESSION_GONE } from './rpc-response.js';
import { TransportChannel } from './transport-channel.js';

/** A client that has not come back by then will greet anew. */
const IDLE_MS = 30 * 60_000;
/** Clients rarely say goodbye: when the house is full, whoever was quiet for this long makes room. */
const QUIET_MS = 60_000;
const SWEEP_MS = 60_000;
const MAX_SESSIONS = 1_000;
const SESSION_HEADER = 'mcp-session-id';

export interface LegacyOptions {
  readonly Transport: typeof WebStandardStreamableHTTPServerTransport;
  readonly session: SessionOptions;
  /** Told of each client that comes; what it gives is disposed of when the client is gone. */
  readonly came?: ((session: Session) => Disposable) | undefined;
  readonly maxSessions?: number;
  readonly now?: () => number;
}

interface Kept {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly session: Session;
  /** The token with which it was opened; no other leads to it. */
  readonly bearer: string;
  /** Requests whose answers are being waited for. */
  readonly waiting: Set<Id>;
  usedAt: number;
  /** Answers and streams that are open. */
  open: number;
}

/** The sessions of clients that begin with `initialize`, each known by an id that nobody can guess. */
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

  /** `parsedBody` is what was posted; GET and DELETE have none. */
  async answer(request: Request, parsedBody: unknown, bearer: string): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id !== null) return this.#goOn(id, request, parsedBody, bearer);
    const posted = readMessage(parsedBody);
    if (posted.kind === 'request' && posted.method === 'initialize') return this.#greet(request, parsedBody, bearer);
    const message = `the header ${SESSION_HEADER} is missing: begin with initialize`;
    return faultResponse(400, { code: HTTP_FAULT, message }, answerable(parsedBody));
  }

  notice(notice: SurfaceNotification): void {
    for (const { session } of this.#kept.values()) session.notice(notice);
  }

  async drain(limitMs: number): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ session }) => session.drain(limitMs)));
  }

  /** Ends the sessions that nobody uses any more. */
  expire(): void {
    for (const kept of this.#kept.values()) if (this.#isQuiet(kept, IDLE_MS)) void kept.transport.close();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweep);
  }

  async #goOn(id: string, request: Request, parsedBody: unknown, bearer: string): Promise<Response> {
    const kept = this.#kept.get(id);
    if (kept?.bearer !== bearer) {
      const message = 'there is no such session, or not any more: begin with initialize';
      return faultResponse(404, { code: SESSION_GONE, message }, answerable(parsedBody));
    }
    return this.#pass(kept, request, parsedBody);
  }

  async #greet(request: Request, parsedBody: unknown, bearer: string): Promise<Response> {
    if (!this.#hasRoom()) {
      const busy = { code: RpcCode.internalError, message: 'too many sessions are open' };
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
    const visit = this.#options.came?.(session);
    void session.ended.then(() => {
      visit?.[Symbol.dispose]();
      this.#kept.delete(id);
      session.cancelAll();
    });
    const response = await this.#pass(kept, request, parsedBody);
    // A greeting that the transport does not take opens nothing.
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  async #pass(kept: Kept, request: Request, parsedBody: unknown): Promise<Response> {
    const ids = idsIn(parsedBody);
    // The transport would send the answer of the first on the stream of the second, and nobody the other.
    if (ids.some((id) => kept.waiting.has(id)) || new Set(ids).size < ids.length) {
      const fault = { code: RpcCode.invalidRequest, message: 'this id is still in use' };
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

/** The id under which an error can be told; a batch has none. */
function answerable(body: unknown): Id | null {
  return (Array.isArray(body) ? undefined : idsIn(body)[0]) ?? null;
}

function idsIn(body: unknown): Id[] {
  const messages = (Array.isArray(body) ? body : [body]).map(readMessage);
  return messages.flatMap((message) => (message.kind === 'request' ? message.id : []));
}
