/** A tool as the index takes it; everything in it but `server`, `tags` and `enabled` was written by a server. */
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
  /** Between 0 and 1, and the same thing in every answer: how much of the need the tool speaks of. */
  readonly relevance: number;
  readonly tags: readonly string[];
  /** Nothing that was asked for is really there. */
  readonly weak?: true;
  /** The words, as the tool writes them, for which it was found. */
  readonly why: readonly string[];
  /** What the ranking was computed from. */
  readonly parts: ScoreParts;
}

/** What each measure adds to the score of a tool. */
export interface ScoreParts {
  /** The words of the whole need. */
  readonly words: number;
  /** Earlier needs with these words that the tool met. */
  readonly use: number;
  /** The words of that part of a long need which the tool meets best. */
  readonly clauses: number;
  /** How much of the tool's name is in the need. */
  readonly name: number;
  /** The similarity in meaning, if there is a model. */
  readonly meaning: number;
}

/** A need that a tool once met. */
export interface RememberedUse {
  readonly server: string;
  readonly tool: string;
  readonly query: string;
  /** When it was last met, in milliseconds. */
  readonly at: number;
}
