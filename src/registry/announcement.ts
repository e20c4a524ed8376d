import { currentBoot, identityOf, type ProcessIdentity } from '../base/index.js';
import { toRegistryEntry } from './parse-entry.js';
import { isTaken } from './process-liveness.js';
import type { EntryFile, ServerInfo } from './server-info.js';

/** The clocks of the machine; tests inject others. */
export interface Clocks {
  /** Wall clock time in milliseconds. */
  readonly now: () => number;
  /** Seconds since boot. */
  readonly uptime: () => number;
}

/** One server that this process announces, from the first attempt until it is withdrawn. */
export class Announcement {
  readonly id: string;
  readonly #info: ServerInfo;
  readonly #startedAt: string;
  readonly #since = performance.now();
  #identity: ProcessIdentity | undefined;

  constructor(id: string, info: ServerInfo, clocks: Clocks) {
    this.id = id;
    this.#info = info;
    this.#startedAt = info.started_at ?? new Date(clocks.now()).toISOString();
  }

  /** Undefined before the first write. */
  get identity(): ProcessIdentity | undefined {
    return this.#identity;
  }

  /** The content of the file at this moment. Throws if the process does not exist. */
  toFile(writer: ProcessIdentity, clocks: Clocks): EntryFile {
    const info = this.#info;
    const pid = info.pid ?? process.pid;
    this.#identity ??= pid === writer.pid ? writer : identityFor(pid);
    const server = toRegistryEntry({
      ...info,
      name: info.name ?? this.id.replace(/_\d+$/, ''),
      pid,
      cwd: info.cwd ?? process.cwd(),
      transports: info.transports ?? transportsOf(info),
      started_at: this.#startedAt,
      start_identity: this.#identity,
      heartbeat: new Date(clocks.now()).toISOString(),
      heartbeat_uptime: Math.round(clocks.uptime()),
      uptime_seconds: Math.round((performance.now() - this.#since) / 1000),
      requests: typeof info.requests === 'function' ? info.requests() : info.requests,
    });
    if (server === undefined) throw new Error(`${this.id} has no name`);
    return { id: this.id, writer, server };
  }
}

/** The identity of this process. A process without a unique identity must not write files. */
export function identityOfWriter(): ProcessIdentity {
  // Cached, because reading it starts a process on macOS, and our file names contain it.
  writer ??= identityOf(process.pid);
  if (process.platform === 'win32') writer ??= { boot: '', pid: process.pid, start: '' };
  if (writer === undefined) throw new Error('the identity of this process cannot be read at the moment');
  return writer;
}

let writer: ProcessIdentity | undefined;

/** The start time of another user's process may be unreadable although the process exists. */
function identityFor(pid: number): ProcessIdentity {
  const identity = identityOf(pid);
  if (identity !== undefined) return identity;
  // On Linux and macOS the identity of our own processes is always readable, so this one is a zombie.
  if (!isTaken(pid) || (process.platform !== 'win32' && isOurOwn(pid)))
    throw new Error(`there is no process with pid ${pid}`);
  return { boot: currentBoot(), pid, start: '' };
}

function isOurOwn(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function transportsOf({ stdio_active, http }: ServerInfo): unknown {
  return [
    ...(stdio_active === true ? [{ type: 'stdio' }] : []),
    ...(http?.enabled === true ? [{ type: 'http', url: http.url }] : []),
  ];
}
