import type { Era } from './protocol-revisions.js';

/** A tool as its server describes it, validated and cleaned. Unknown fields are kept unchanged. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a server reports about itself in the handshake. */
export interface ServerHandshake {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly instructions?: string;
  /** Its capabilities, as in the protocol. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Sends a request to the client and returns the response. */
type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

/** The number of requests that servers have sent to the client during one call. Each reader adds its own. */
export interface ElicitationCount {
  count: number;
  /** Hashes of counted requests, because a task repeats its open ones in every response. */
  readonly seen?: Set<string>;
}

/** The client side of a running call. */
export interface Conversation {
  /** Identifies the client in limits and in the audit log. */
  readonly client: string;
  /** Distinguishes callers that share a name: a request goes only to the caller. */
  readonly caller?: string | undefined;
  /** The client's connection, for servers that are not shared. */
  readonly session?: string | undefined;
  /** State that an earlier gateway kept for this client (variables of its programs) is lost. */
  readonly lostState?: boolean | undefined;
  /** The key under which the variables of its programs are kept; absent if two clients could be confused. */
  readonly stateKey?: string | undefined;
  readonly signal: AbortSignal;
  /** The protocol era of the client; absent for callers without a protocol. */
  readonly era?: Era | undefined;
  readonly progress?: ((step: Progress) => void) | undefined;
  /** The caller waits for a server that is starting as long as its start may take. */
  readonly waitsForStart?: boolean | undefined;
  /** Receives the server's log messages during the call, unchanged. */
  readonly log?: ((entry: Readonly<Record<string, unknown>>) => void) | undefined;
  /** The minimum log level that the client requested. */
  readonly logLevel?: string | undefined;
  /**
   * Sends a request of the server to the client: sampling, elicitation or roots. Absent if the client supports none.
   */
  readonly ask?: Ask | undefined;
  /** Shared by all requests of one client call; otherwise each conversation is counted separately. */
  readonly elicitations?: ElicitationCount | undefined;
  /** The client accepts a result with input requests and retries with the responses itself. */
  readonly acceptsInputRequests?: boolean | undefined;
  /** The responses and state of such a retry. */
  readonly retryInput?: { readonly responses?: unknown; readonly state?: string } | undefined;
  /** The capabilities of another client that would answer in its place. */
  readonly otherCapabilities?: (() => Readonly<Record<string, unknown>> | undefined) | undefined;
  /** The client's capabilities, as in the protocol. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
}

/** The result of a tool: the value, and its original text if that can be passed on. */
export interface ToolResult {
  readonly value: Readonly<Record<string, unknown>>;
  readonly json?: string | Buffer;
}
