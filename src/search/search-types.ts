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

/** What each measure adds to the score of a tool. */
export interface ScoreParts {
  /** The words of the whole need. */
  readonly words: number;
  /** The words of earlier needs that the tool met. */
  readonly use: number;
  /** The words of the part of a long need that the tool meets best. */
  readonly clauses: number;
  /** The share of the tool's name that is in the need. */
  readonly name: number;
  /** The similarity in meaning, if there is a model. */
  readonly meaning: number;
}

/** A need that a tool met. */
export interface RememberedUse {
  readonly server: string;
  readonly tool: string;
  readonly query: string;
  /** The time of the last use, in milliseconds since 1970. */
  readonly at: number;
}
