import type { ProcessIdentity } from '../base/index.js';

/** The transports that a registry can record. */
export const TRANSPORTS = ['stdio', 'sse', 'http', 'websocket', 'socket'] as const;
type TransportType = (typeof TRANSPORTS)[number];

export interface AnnouncedTransport {
  readonly type: TransportType;
  readonly url?: string;
  /** The path of a socket or named pipe. */
  readonly path?: string;
}

export interface ServerHttp {
  readonly enabled: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly url?: string;
}

/** The facts that a server announces. The field names are those of the file, which other programs read. */
export interface ServerInfo {
  /** Default: the part of the id before `_{pid}`. */
  readonly name?: string;
  /** Default: the caller's pid. */
  readonly pid?: number;
  readonly stdio_active?: boolean;
  readonly http?: ServerHttp;
  /** ISO 8601. Default: the time of the announcement. */
  readonly started_at?: string;
  readonly cwd?: string;
  readonly transports?: readonly AnnouncedTransport[];
  /** Names of tools. */
  readonly tools?: readonly string[];
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /**
   * The fingerprint of the server's launch, as in `portolan list --json`. A client with the same launch can share this
   * server.
   */
  readonly fingerprint?: string;
  /** The number of answered requests; a function is called at each heartbeat. */
  readonly requests?: number | (() => number);
}

/** One server in the file. */
export interface ServerEntry {
  readonly name: string;
  readonly pid: number;
  readonly stdio_active: boolean;
  readonly http: ServerHttp;
  readonly started_at: string;
  readonly cwd: string;
  readonly transports: readonly AnnouncedTransport[];
  readonly tools: readonly string[];
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly fingerprint?: string;
  /** Distinguishes this process from a later one with the same pid. */
  readonly start_identity: ProcessIdentity;
  /** The time of the last write, ISO 8601. Informational: no decision depends on a clock that can be set. */
  readonly heartbeat: string;
  /** The uptime of the machine at the last write, in seconds; unlike a clock it cannot be set. */
  readonly heartbeat_uptime: number;
  /** For how many seconds the server had been announced at the last write. */
  readonly uptime_seconds: number;
  readonly requests: number;
}

/** A running server. `elsewhere` is another container of this machine, whose processes are not visible here. */
export interface RegisteredServer extends ServerEntry {
  readonly id: string;
  readonly liveness: 'alive' | 'elsewhere';
}

/** The file of one server: its entry, and the only process that writes it. */
export interface EntryFile {
  readonly id: string;
  readonly writer: ProcessIdentity;
  readonly server: ServerEntry;
}

/** Receives warnings. Announcing continues after each. */
export type Warn = (message: string) => void;

const MAX_ID_CHARACTERS = 160;

/** The id under which a server is announced; characters that are invalid in a file name become `_`. */
export function serverId(name: string, pid: number): string {
  const most = MAX_ID_CHARACTERS - String(pid).length - 2;
  const cleaned = name.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, most);
  return `${/^[A-Za-z0-9]/.test(cleaned) ? '' : 's'}${cleaned}_${pid}`;
}

/** A SHA-256 in hexadecimal digits. */
export function isFingerprint(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Returns whether the id is a valid file name on every system and contains no path. */
export function isServerId(id: unknown): id is string {
  return typeof id === 'string' && id.length <= MAX_ID_CHARACTERS && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id);
}
