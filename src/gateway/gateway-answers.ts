import type { TextFault } from '../base/index.js';
import type { State } from '../model/index.js';
import type { SearchResult } from '../search/index.js';

/** Whether a server runs now; for what may not run, why. */
type ServerAnswerStatus = 'connected' | 'disconnected' | 'error' | Exclude<State, 'ready'>;

export interface ServerAnswer {
  readonly name: string;
  readonly description?: string;
  /** Absent while nobody has read its tools. */
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

/** What a model should know before it trusts a tool's words. */
interface Marks {
  readonly change?: 'changed' | 'new';
  /** What was taken out of the tool's texts because nobody can see it. */
  readonly hidden?: readonly TextFault[];
}

/** What the search gave, with what is to be known of the tool. */
export interface FoundTool extends SearchResult, Marks {}

export interface SearchAnswer {
  readonly results: readonly FoundTool[];
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
  /** Only of a tool that may not be called: all others are. */
  readonly enabled?: false;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly example: unknown;
}
