import type { DaemonConnection } from './daemon-connection.js';

/** The method of a request, and the tool that it calls. */
interface CallName {
  readonly method: string;
  readonly tool?: string;
}

/** A request of the client without a response yet. */
export interface PendingRequest extends CallName {
  readonly id: string;
  readonly bytes: Buffer;
  line: DaemonConnection | undefined;
}

/** Its response marks the end of the subscription. */
export const LISTEN = 'subscriptions/listen';
/** Requests without side effects, which can be repeated at any daemon. */
const READS: ReadonlySet<string> = new Set([
  ...['initialize', 'server/discover', 'ping', 'logging/setLevel', 'completion/complete', LISTEN],
  ...['tools/list', 'prompts/list', 'prompts/get', 'resources/list', 'resources/templates/list', 'resources/read'],
  ...['resources/subscribe', 'resources/unsubscribe', 'bridge/clients', 'bridge/status'],
]);

/** Whether a request may be repeated although the daemon may have received it. `readOnlyTools` are that daemon's. */
export function isRepeatable({ method, tool }: CallName, readOnlyTools: ReadonlySet<string>): boolean {
  return READS.has(method) || (method === 'tools/call' && tool !== undefined && readOnlyTools.has(tool));
}

/** The client's pending requests, each with the connection it was sent on. */
export class PendingRequests {
  readonly #requests = new Map<string, PendingRequest>();

  get size(): number {
    return this.#requests.size;
  }

  begin(request: PendingRequest): void {
    // The daemon rejects a second request with the same id, so only the first can get a response.
    if (!this.#requests.has(request.id)) this.#requests.set(request.id, request);
  }

  of(id: string): PendingRequest | undefined {
    return this.#requests.get(id);
  }

  /**
   * Whether to forward the response to the client. A response on a connection that no longer has the request is
   * dropped.
   */
  end(id: string, line: DaemonConnection): boolean {
    const request = this.#requests.get(id);
    if (!request) return true;
    // A listening request continues at the next daemon.
    if (request.line !== line || (line.isLeaving && request.method === LISTEN)) return false;
    this.#requests.delete(id);
    return true;
  }

  forget(id: string): void {
    this.#requests.delete(id);
  }

  all(): PendingRequest[] {
    return [...this.#requests.values()];
  }

  on(line: DaemonConnection): PendingRequest[] {
    return this.all().filter((request) => request.line === line);
  }

  /** The requests that were not sent to a daemon, in order of arrival. */
  unasked(): PendingRequest[] {
    return this.all().filter(({ line }) => line === undefined);
  }
}
