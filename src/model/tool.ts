/** A tool as its server describes it, checked and cleaned. What is not named here is kept as it came. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a server says about itself when it is greeted. */
export interface ServerHandshake {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly instructions?: string;
  /** What it can do, in the words of the protocol. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Puts a question to somebody and gives the answer. */
type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>;

/** How many questions servers have sent to the client during one call. Each reader adds its own. */
export interface ElicitationCount {
  count: number;
  /** Hashes of those that were counted, for a task, which repeats its open questions in every answer. */
  readonly seen?: Set<string>;
}

/** What a running call may ask of whoever made it. */
export interface Conversation {
  /** Says which client it is, in limits and in the audit log. */
  readonly client: string;
  /** Sets the one who calls apart where several may call under one name: a question goes to nobody else. */
  readonly caller?: string | undefined;
  /** The client's connection, for servers that are shared with nobody. */
  readonly session?: string | undefined;
  /** What an earlier gateway kept for this client (variables of its programs) is gone with that gateway. */
  readonly lostState?: boolean | undefined;
  /** Under which the variables of its programs are kept; absent where two clients could be taken for one. */
  readonly stateKey?: string | undefined;
  readonly signal: AbortSignal;
  readonly progress?: ((step: Progress) => void) | undefined;
  /** What the server writes into its log meanwhile, as it came. */
  readonly log?: ((entry: Readonly<Record<string, unknown>>) => void) | undefined;
  /** From which level on the client wants to hear of it. */
  readonly logLevel?: string | undefined;
  /** Puts a question of the server to the client: a sample, a form, its roots. Absent where it takes none. */
  readonly ask?: Ask | undefined;
  /** Shared by all requests that belong to one call of the client; without it each conversation is counted alone. */
  readonly elicitations?: ElicitationCount | undefined;
  /** The client takes a result that asks for more and comes back with the answers itself. */
  readonly takesQuestions?: boolean | undefined;
  /** What it brought when it came back. */
  readonly brought?: { readonly responses?: unknown; readonly state?: string } | undefined;
  /** What another client would do in its place for a server, in the words of the protocol. */
  readonly lent?: (() => Readonly<Record<string, unknown>> | undefined) | undefined;
  /** What the client can do, in the words of the protocol. */
  readonly abilities?: Readonly<Record<string, unknown>> | undefined;
}

/** What a tool gave: the value, and the same as it was written where that can be passed on. */
export interface ToolResult {
  readonly value: Readonly<Record<string, unknown>>;
  readonly json?: string | Buffer;
}
