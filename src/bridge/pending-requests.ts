import type { DaemonConnection } from './daemon-connection.js';

/** A request of the client that is not answered yet. */
export interface PendingRequest {
  readonly id: string;
  readonly method: string;
  readonly bytes: Buffer;
  readonly mayRepeat: boolean;
  line: DaemonConnection | undefined;
}

/** Answered when it is over, not when it is done. */
export const LISTEN = 'subscriptions/listen';
/** They change nothing, wherever and however often they are answered. */
const READS: ReadonlySet<string> = new Set([
  ...['initialize', 'server/discover', 'ping', 'logging/setLevel', 'completion/complete', LISTEN],
  ...['tools/list', 'prompts/list', 'prompts/get', 'resources/list', 'resources/templates/list', 'resources/read'],
  ...['resources/subscribe', 'resources/unsubscribe', 'bridge/clients', 'bridge/status'],
]);
/** Our own tools that only look; a server may have tools of the same names, which then are not ours. */
const READING_TOOLS: ReadonlySet<string> = new Set([
  'list_mcp_servers',
  'search_tools',
  'list_tools',
  'get_tool_details',
]);

/** Whether a request may be made a second time although the first may have arrived. */
export function isRepeatable(method: string, params: Readonly<Record<string, unknown>>, hasOwnTools: boolean): boolean {
  if (READS.has(method)) return true;
  return hasOwnTools && method === 'tools/call' && typeof params.name === 'string' && READING_TOOLS.has(params.name);
}

/** All that the client waits for, each with the connection on which it was asked. */
export class PendingRequests {
  readonly #flights = new Map<string, PendingRequest>();

  get size(): number {
    return this.#flights.size;
  }

  begin(flight: PendingRequest): void {
    // A second one with the same id is refused by the daemon; the first is the one that can be answered.
    if (!this.#flights.has(flight.id)) this.#flights.set(flight.id, flight);
  }

  of(id: string): PendingRequest | undefined {
    return this.#flights.get(id);
  }

  /** Whether the answer is for the client; not one that comes from where it is not expected any more. */
  end(id: string, line: DaemonConnection): boolean {
    const flight = this.#flights.get(id);
    if (!flight) return true;
    // It listens on at the next daemon.
    if (flight.line !== line || (line.isLeaving && flight.method === LISTEN)) return false;
    this.#flights.delete(id);
    return true;
  }

  forget(id: string): void {
    this.#flights.delete(id);
  }

  all(): PendingRequest[] {
    return [...this.#flights.values()];
  }

  on(line: DaemonConnection): PendingRequest[] {
    return this.all().filter((flight) => flight.line === line);
  }

  /** What nobody has been asked yet, in the order in which it came. */
  unasked(): PendingRequest[] {
    return this.all().filter(({ line }) => line === undefined);
  }
}
