/** A tool to be indexed. All fields but `server`, `tags` and `enabled` come from a server and are not trusted. */
export interface IndexedTool {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly serverDescription?: string;
  readonly tags?: readonly string[];
  readonly enabled?: boolean;
}

export interface SearchOptions {
  /** Only the tools of this server. */
  readonly server?: string;
  readonly limit?: number;
  readonly includeDisabled?: boolean;
}

export interface SearchResult {
  readonly server: string;
  readonly tool: string;
  readonly summary: string;
  /** From 0 to 1: how much of the need the tool covers. Values of different answers can be compared. */
  readonly relevance: number;
  readonly tags: readonly string[];
  /** The tool covers little of the need. */
  readonly weak?: true;
  /** The words of the tool that match the query, as the tool writes them. */
  readonly why: readonly string[];
  /** What the score consists of. */
  readonly parts: ScoreParts;
}

/** The shares of a tool's score. `use` is negative for a tool that was abandoned, or called only for other needs. */
export interface ScoreParts {
  /** The words that the need and the tool's own texts have in common. */
  readonly words: number;
  /** The similarity in meaning, if there is a model. */
  readonly semantics: number;
  /** Earlier calls for similar needs. */
  readonly use: number;
  /** The words that the need has in common with the server's name and description. */
  readonly server: number;
}

/** A need for which a tool was once called. */
export interface RememberedUse {
  readonly server: string;
  readonly tool: string;
  readonly query: string;
  /** The time of the last call for it, in milliseconds since 1970. */
  readonly at: number;
  /** The tool did not meet the need: its call failed, or another tool took its place. */
  readonly abandoned?: true;
}
