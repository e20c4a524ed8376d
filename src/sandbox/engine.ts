import type { Readable, Writable } from 'node:stream';
import { SAVED_FILE_BYTES } from '../base/index.js';

export const ENGINE_NAMES = ['bwrap', 'deno', 'pyodide', 'podman', 'docker'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** The strongest that needs no word of the user first; containers only for those who ask for them. */
export const AUTOMATIC: readonly EngineName[] = ['bwrap', 'deno', 'pyodide'];

export interface JobTool {
  readonly name: string;
  /** A Python identifier, no two alike within a server. */
  readonly alias: string;
  readonly description?: string;
  readonly input_schema?: unknown;
}

export interface JobServer {
  readonly name: string;
  /** A Python identifier, no two alike within a job. */
  readonly alias: string;
  readonly description?: string;
  readonly tools: readonly JobTool[];
  /** Tools that may not be called: a call of one is passed on all the same, because whoever refuses it says why. */
  readonly refused?: readonly JobTool[];
  /** Nobody has read its tools yet: any name is passed on, and whoever answers the call says whether there is such a tool. */
  readonly unlisted?: boolean;
}

/** What to run and which servers it may reach. */
export interface Job {
  readonly code: string;
  /** State is kept under this key for the next job that names it; without one the interpreter is new and thrown away. */
  readonly session?: string;
  /** Whose it is: no one client has all interpreters. */
  readonly client?: string;
  readonly servers: readonly JobServer[];
}

export interface Limits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Of stdout, of stderr and of the result, each. */
  readonly outputBytes: number;
  readonly hostCalls: number;
  /** Of the arguments and of the result of one host call, each. */
  readonly hostCallBytes: number;
  /** Of the content of saved files that is handed back. */
  readonly fileBytes: number;
  /** Of the working folder. */
  readonly folderBytes: number;
}

/** Used where `sandbox.image` says nothing. It is never fetched by us. */
export const DEFAULT_IMAGE = 'docker.io/library/python:3.13-slim';

const MEGABYTE = 1024 * 1024;

/** What a run gets if nobody says otherwise. */
export const DEFAULT_LIMITS: Limits = {
  timeoutMs: 30_000,
  memoryBytes: 256 * MEGABYTE,
  outputBytes: 64 * 1024,
  hostCalls: 1_000,
  hostCallBytes: 8 * MEGABYTE,
  fileBytes: SAVED_FILE_BYTES,
  folderBytes: 64 * MEGABYTE,
};

export const RUNTIME_NAMES = [
  'discovered_servers',
  'list_servers',
  'list_tools',
  'query_tool_docs',
  'search_tool_docs',
  'capability_summary',
  'save_memory',
  'load_memory',
  'update_memory',
  'delete_memory',
  'list_memories',
  'memory_exists',
] as const;
type RuntimeName = (typeof RUNTIME_NAMES)[number];

type Arguments = Readonly<Record<string, unknown>>;

/** What the code asks of us. Servers and tools have their real names and are among those of the job; the arguments are as the code gave them. */
export type HostCall =
  | { readonly kind: 'tool'; readonly server: string; readonly tool: string; readonly arguments: Arguments }
  | { readonly kind: 'runtime'; readonly name: RuntimeName; readonly arguments: Arguments };

/** A result that is JSON already and goes to the code as it came: numbers that JavaScript cannot hold stay whole. */
export class WrittenResult {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** Answers what the code asks: a tool's whole result, or the value of a runtime function. A `PortolanError` becomes `mcp.ToolError`. */
export type Capability = (request: HostCall, signal: AbortSignal) => Promise<unknown>;

export interface SavedFile {
  /** Relative to the working folder. */
  readonly path: string;
  readonly bytes: number;
  /** The content, as far as the limit allows: one of both, or none. */
  readonly text?: string;
  readonly base64?: string;
}

export type Truncated = 'stdout' | 'stderr' | 'result' | 'files';

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly files: readonly SavedFile[];
  /** What was cut at a limit; a text that was cut ends with a mark. */
  readonly truncated: readonly Truncated[];
  readonly engine: EngineName;
  readonly guarantees: readonly string[];
  readonly hostCalls: number;
  readonly durationMs: number;
  /** What earlier runs of the session left is gone: this run did not find it, or ended it. */
  readonly stateLost: boolean;
}

export interface GuestError {
  readonly type: string;
  readonly message: string;
  /** In the submitted code. */
  readonly line?: number;
  /** Of an `mcp.ToolError`. */
  readonly code?: string;
  readonly traceback?: string;
}

export interface GuestValue {
  /** As Python's `repr` writes it. */
  readonly text: string;
  /** Absent where the value has no form in JSON. */
  readonly json?: unknown;
}

/** Why a run was ended from outside: a limit, whoever asked for it, its own crash, or lines that no guest writes. */
export type StopReason = keyof Limits | 'cancelled' | 'died' | 'protocol';

/** How a run went. Whatever the code does is one of these, never a rejection. */
export type Outcome =
  | { readonly kind: 'value'; readonly value?: GuestValue; readonly output: Output }
  | { readonly kind: 'threw'; readonly error: GuestError; readonly output: Output }
  | { readonly kind: 'stopped'; readonly limit: StopReason; readonly message: string; readonly output: Output };

/** Whether an engine can be used here, and what it keeps the code from. */
export type Probe =
  | { readonly engine: EngineName; readonly ok: true; readonly version: string; readonly guarantees: readonly string[] }
  | { readonly engine: EngineName; readonly ok: false; readonly problem: string; readonly hint: string };

/** A started guest: lines of JSON over two pipes, and what it writes past them. */
export interface GuestProcess {
  readonly pid: number | undefined;
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
  /** Whether `errors` is the engine's own talk rather than what the code wrote. */
  readonly privateErrors: boolean;
  /** Settles once, when nothing of it is left; says how it ended. */
  readonly ended: Promise<string>;
  kill(): void;
}

/** One way to start the guest. All else is the same for every engine. */
export interface Engine {
  readonly name: EngineName;
  /** Interpreters that wait, started, for the next job. */
  readonly spares: number;
  /** Programs that run at the same time, whoever sent them; more wait. */
  readonly atOnce: number;
  /** Interpreters kept with their state; the one unused for longest goes first. */
  readonly sessions: number;
  /** By then a guest has said that it is ready, or it never will. */
  readonly startMs: number;
  probe(): Promise<Probe>;
  start(limits: Pick<Limits, 'memoryBytes' | 'folderBytes'>): Promise<GuestProcess>;
}
