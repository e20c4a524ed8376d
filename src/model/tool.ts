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
export interface ServerGreeting {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly instructions?: string;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a running call may ask of whoever made it. */
export interface Conversation {
  /** Says which client it is, in limits and in the audit log. */
  readonly client: string;
  readonly signal: AbortSignal;
  progress?(step: Progress): void;
}

/** What a tool gave: the value, and its bytes where they can be passed on as they are. */
export interface ToolResult {
  readonly value: Readonly<Record<string, unknown>>;
  readonly bytes?: Buffer;
}
