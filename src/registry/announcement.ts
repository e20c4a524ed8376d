import { currentBoot, identityOf, type ProcessIdentity } from '../base/index.js';
import { toEntry } from './parse-entry.js';
import { isTaken } from './process-liveness.js';
import type { EntryFile, ServerInfo } from './server-info.js';

/** What an announcement needs of the machine; a test hands in clocks that jump. */
export interface Clocks {
  /** The time that people set, in milliseconds. */
  readonly now: () => number;
  /** Seconds since the machine started. */
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

  /** Undefined before it was first written. */
  get identity(): ProcessIdentity | undefined {
    return this.#identity;
  }

  /** The file as it is to be written now; throws where there is no such process. */
  toFile(writer: ProcessIdentity, clocks: Clocks): EntryFile {
    const info = this.#info;
    const pid = info.pid ?? process.pid;
    this.#identity ??= pid === writer.pid ? writer : identityFor(pid);
    const server = toEntry({
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

/** Who writes. Without a name of its own that no later process can have, a process writes nothing. */
export function identityOfWriter(): ProcessIdentity {
  // Kept, for on macOS asking costs a process, and because the names of our files are made from it.
  writer ??= identityOf(process.pid);
  if (process.platform === 'win32') writer ??= { boot: '', pid: process.pid, start: '' };
  if (writer === undefined) throw new Error('this process cannot be told from others just now');
  return writer;
}

let writer: ProcessIdentity | undefined;

/** A process of another user may be there without letting us see when it started. */
function identityFor(pid: number): ProcessIdentity {
  const identity = identityOf(pid);
  if (identity !== undefined) return identity;
  // On Linux and macOS what can be signalled can be seen: such a one has ended, and only waits to be asked how.
  if (!isTaken(pid) || (process.platform !== 'win32' && isOurOwn(pid))) throw new Error(`there is no process ${pid}`);
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
