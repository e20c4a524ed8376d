import type { Readable, Writable } from 'node:stream';
import { SAVED_FILE_BYTES } from '../base/index.js';

export const ENGINE_NAMES = ['bwrap', 'deno', 'pyodide', 'podman', 'docker'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** In order of preference. Containers are used only on request, because they need an image. */
export const AUTOMATIC: readonly EngineName[] = ['bwrap', 'deno', 'pyodide'];

export interface JobTool {
  readonly name: string;
  /** A Python identifier, unique within its server. */
  readonly alias: string;
  readonly description?: string;
  readonly input_schema?: unknown;
}

export interface JobServer {
  readonly name: string;
  /** A Python identifier, unique within its job. */
  readonly alias: string;
  readonly description?: string;
  readonly tools: readonly JobTool[];
  /** Tools that are denied. A call is still passed to the host, which returns the reason. */
  readonly refused?: readonly JobTool[];
  /** The server's tools are not known yet. A call with any tool name is passed to the host, which checks it. */
  readonly unlisted?: boolean;
}

/** The code to run and the servers it may call. */
export interface Job {
  readonly code: string;
  /** The key of a session, whose interpreter keeps its state for the next job. Without one the interpreter is new. */
  readonly session?: string;
  /** The client that sent the job, for fair sharing of interpreters. */
  readonly client?: string;
  readonly servers: readonly JobServer[];
}

export interface Limits {
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** The limit of stdout, of stderr and of the result, separately. */
  readonly outputBytes: number;
  readonly hostCalls: number;
  /** The limit of the arguments and of the result of a host call, separately. */
  readonly hostCallBytes: number;
  /** The limit of the returned file content. */
  readonly fileBytes: number;
  /** The size of the working directory. */
  readonly folderBytes: number;
}

/** Used if `sandbox.image` is not set. Portolan never pulls it. */
export const DEFAULT_IMAGE = 'docker.io/library/python:3.13-slim';

const MEGABYTE = 1024 * 1024;

/** Used for limits that are not set. */
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

/**
 * A request of the code to the host. Servers and tools have their original names and belong to the job; the arguments
 * are not validated.
 */
export type HostCall =
  | { readonly kind: 'tool'; readonly server: string; readonly tool: string; readonly arguments: Arguments }
  | { readonly kind: 'runtime'; readonly name: RuntimeName; readonly arguments: Arguments };

/** A result that is JSON text and is passed on unparsed, so that numbers keep their full precision. */
export class WrittenResult {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/**
 * Answers a request of the code with a tool's complete result or the value of a runtime function. A `PortolanError`
 * becomes `mcp.ToolError`.
 */
export type Capability = (request: HostCall, signal: AbortSignal) => Promise<unknown>;

export interface SavedFile {
  /** Relative to the working directory. */
  readonly path: string;
  readonly bytes: number;
  /** The content as text or base64; absent if it exceeds the limit. */
  readonly text?: string;
  readonly base64?: string;
}

export type Truncated = 'stdout' | 'stderr' | 'result' | 'files';

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly files: readonly SavedFile[];
  /** The outputs that were truncated at a limit; a truncated text ends with a marker. */
  readonly truncated: readonly Truncated[];
  readonly engine: EngineName;
  readonly guarantees: readonly string[];
  readonly hostCalls: number;
  readonly durationMs: number;
  /** The state of earlier runs of the session was lost, before or by this run. */
  readonly stateLost: boolean;
}

export interface GuestError {
  readonly type: string;
  readonly message: string;
  /** The line in the submitted code. */
  readonly line?: number;
  /** The error code of an `mcp.ToolError`. */
  readonly code?: string;
  readonly traceback?: string;
}

export interface GuestValue {
  /** The `repr` of the value. */
  readonly text: string;
  /** Absent if the value cannot be converted to JSON without loss. */
  readonly json?: unknown;
}

/** Why the host ended a run: a limit, a cancellation, a crash of the interpreter, or an invalid message. */
export type StopReason = keyof Limits | 'cancelled' | 'died' | 'protocol';

/** The result of a run. Submitted code cannot cause a rejection. */
export type Outcome =
  | { readonly kind: 'value'; readonly value?: GuestValue; readonly output: Output }
  | { readonly kind: 'threw'; readonly error: GuestError; readonly output: Output }
  | { readonly kind: 'stopped'; readonly limit: StopReason; readonly message: string; readonly output: Output };

/** Whether an engine works on this machine, and which isolation it guarantees. */
export type Probe =
  | { readonly engine: EngineName; readonly ok: true; readonly version: string; readonly guarantees: readonly string[] }
  | { readonly engine: EngineName; readonly ok: false; readonly problem: string; readonly hint: string };

/** A started guest: JSON lines over two pipes, and a separate stream for its raw stderr. */
export interface GuestProcess {
  readonly pid: number | undefined;
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
  /** Whether `errors` carries messages of the engine instead of output of the code. */
  readonly privateErrors: boolean;
  /** Settles once when all processes of the guest have ended, with the reason. */
  readonly ended: Promise<string>;
  kill(): void;
}

/** One way to start the guest. Everything else is the same for all engines. */
export interface Engine {
  readonly name: EngineName;
  /** The number of idle interpreters started in advance. */
  readonly spares: number;
  /** The limit of concurrent runs of all clients; further runs are queued. */
  readonly atOnce: number;
  /** The number of interpreters kept with their state; the least recently used one is ended first. */
  readonly sessions: number;
  /** The time limit for a guest to report that it is ready. */
  readonly startMs: number;
  probe(): Promise<Probe>;
  start(limits: Pick<Limits, 'memoryBytes' | 'folderBytes'>): Promise<GuestProcess>;
}
