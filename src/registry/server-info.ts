import type { ProcessIdentity } from '../base/index.js';

/** The ways to reach a server that a registry knows. */
export const TRANSPORTS = ['stdio', 'sse', 'http', 'websocket', 'socket'] as const;
type TransportType = (typeof TRANSPORTS)[number];

export interface ServerTransport {
  readonly type: TransportType;
  readonly url?: string;
  /** Of a socket or named pipe. */
  readonly path?: string;
}

export interface ServerHttp {
  readonly enabled: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly url?: string;
}

/** What a server says of itself when it announces itself. The names are those of the file, which other programs read. */
export interface ServerInfo {
  /** Without it, what stands in the id before `_{pid}`. */
  readonly name?: string;
  /** The caller's, if it is not said. */
  readonly pid?: number;
  readonly stdio_active?: boolean;
  readonly http?: ServerHttp;
  /** ISO 8601; the time of the announcement, if it is not said. */
  readonly started_at?: string;
  readonly cwd?: string;
  readonly transports?: readonly ServerTransport[];
  /** Names of tools. */
  readonly tools?: readonly string[];
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Of the launch that it came from, as `portolan list --json` shows it: who has the same written down need not start it again. */
  readonly fingerprint?: string;
  /** How many requests it has answered; a function is asked again at each heartbeat. */
  readonly requests?: number | (() => number);
}

/** One server as it stands in the file. */
export interface ServerEntry {
  readonly name: string;
  readonly pid: number;
  readonly stdio_active: boolean;
  readonly http: ServerHttp;
  readonly started_at: string;
  readonly cwd: string;
  readonly transports: readonly ServerTransport[];
  readonly tools: readonly string[];
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly fingerprint?: string;
  /** What tells this process from a later one with the same number. */
  readonly start_identity: ProcessIdentity;
  /** When it was last written, ISO 8601. For people: no verdict depends on a clock that can be set. */
  readonly heartbeat: string;
  /** The seconds that the machine had been running then, which nobody can set. */
  readonly heartbeat_uptime: number;
  /** For how many seconds it had been announced then. */
  readonly uptime_seconds: number;
  readonly requests: number;
}

/** A server that runs now. `elsewhere` is another container of this machine: its processes cannot be seen from here. */
export interface RegisteredServer extends ServerEntry {
  readonly id: string;
  readonly liveness: 'alive' | 'elsewhere';
}

/** The file of one server: who it is, and which process alone writes it. */
export interface EntryFile {
  readonly id: string;
  readonly writer: ProcessIdentity;
  readonly server: ServerEntry;
}

/** Told of what went wrong; whoever announces goes on. */
export type Warn = (message: string) => void;

const MAX_ID_CHARACTERS = 160;

/** The id under which a server announces itself; what a file name cannot hold becomes `_`. */
export function serverId(name: string, pid: number): string {
  const most = MAX_ID_CHARACTERS - String(pid).length - 2;
  const cleaned = name.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, most);
  return `${/^[A-Za-z0-9]/.test(cleaned) ? '' : 's'}${cleaned}_${pid}`;
}

/** A SHA-256 in hexadecimal digits. */
export function isFingerprint(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Whether it can be a file's name on every system, with nothing that leads elsewhere. */
export function isServerId(id: unknown): id is string {
  return typeof id === 'string' && id.length <= MAX_ID_CHARACTERS && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id);
}
