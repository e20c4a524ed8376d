import type { TextFault } from '../base/index.js';
import type { State, Tool } from '../model/index.js';
import type { SearchResult } from '../search/index.js';

/** The state of a server that may run: `idle` is healthy and starts when it is used. */
export type RunState = 'connected' | 'starting' | 'idle' | 'error';
/** The state of a server, or why it may not run. */
type ServerAnswerStatus = RunState | Exclude<State, 'ready'>;

export interface ServerAnswer {
  readonly name: string;
  readonly description?: string;
  /** Absent until its tools have been read. */
  readonly toolCount?: number;
  readonly enabledCount?: number;
  readonly status: ServerAnswerStatus;
  readonly error?: string;
}

export interface ServerList {
  readonly servers: readonly ServerAnswer[];
  /** Servers that are being read for the first time. */
  readonly pending?: readonly string[];
}

/** Warnings that a model should see before it trusts a tool's description. */
interface Marks {
  readonly change?: 'changed' | 'new';
  /** The kinds of invisible or misleading characters that were removed from the tool's texts. */
  readonly hidden?: readonly TextFault[];
}

/** A tool and its server. */
export interface ServersTool {
  readonly server: string;
  readonly alias: string;
  readonly tool: Tool;
}

/** A search result with its warnings. */
export interface FoundTool extends SearchResult, Marks {
  /** The tool as one line, such as `get_forecast(city: string, days?: integer = 1)`. */
  readonly signature: string;
}

export interface SearchAnswer {
  readonly results: readonly FoundTool[];
  /** The query names several needs in one line, which finds fewer of their tools than one line for each. */
  readonly severalNeeds?: true;
  readonly pending?: readonly string[];
  readonly failed?: readonly { readonly server: string; readonly error: string }[];
}

export interface ToolSummary extends Marks {
  readonly name: string;
  readonly summary: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
}

export interface ToolList {
  readonly server: string;
  readonly tools: readonly ToolSummary[];
}

export interface ToolDetails extends Marks {
  readonly server: string;
  readonly tool: string;
  /** Present only if the tool may not be called. */
  readonly enabled?: false;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly example: unknown;
}
