import { join } from 'node:path';
import { type ProcessIdentity, type WritableDisk, writableDisk } from '../base/index.js';
import { Announcement, type Clocks, identityOfWriter } from './announcement.js';
import { entryName } from './entry-file-names.js';
import { judge, messageOf, readFolder, removeFrom, writeEntry } from './entry-files.js';
import { checkRegistryPaths, placeOf, type RegistryPaths, refused } from './private-folder.js';
import { livenessOf, readProcesses } from './process-liveness.js';
import { refreshView } from './registry-view.js';
import { isServerId, type RegisteredServer, type ServerInfo, type Warn } from './server-info.js';
import { watchServers } from './watch-servers.js';

/** Often enough to repair a view that a killed process left outdated, and seldom enough to let a disk sleep. */
const HEARTBEAT_MS = 30_000;

export interface RegistryOptions {
  /** Receives warnings of failed writes and rejected files. Default: a process warning. */
  readonly warn?: Warn;
  readonly heartbeatMs?: number;
  readonly disk?: WritableDisk;
  readonly clocks?: Clocks;
}

interface Announced {
  /** Undefined for an entry that is removed as soon as the disk allows it. */
  readonly announcement?: Announcement;
  readonly timer: NodeJS.Timeout;
}

/**
 * The announcements of this process by directory and id, and the last operation per directory: two registries with the
 * same path must not write one file at once.
 */
const announced = new Map<string, Announced>();
const turns = new Map<string, Promise<void>>();

/**
 * The running servers as files in a directory: each written by its announcing process, all readable by every process of
 * the user.
 */
export class ServerRegistry implements AsyncDisposable {
  readonly path: string;
  readonly #place: RegistryPaths;
  readonly #warn: Warn;
  readonly #heartbeatMs: number;
  readonly #disk: WritableDisk;
  readonly #clocks: Clocks;
  readonly #mine = new Map<string, Announcement>();
  readonly #ending = new AbortController();
  #lastProblems = '';
  #lastFault = '';

  constructor(path: string = projectRegistryPath(process.cwd()), options: RegistryOptions = {}) {
    this.#place = placeOf(path);
    this.path = this.#place.view;
    this.#warn = options.warn ?? ((message) => process.emitWarning(message, 'PortolanWarning'));
    this.#heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    this.#disk = options.disk ?? writableDisk;
    this.#clocks = options.clocks ?? { now: Date.now, uptime: () => process.getBuiltinModule('node:os').uptime() };
  }

  /**
   * Announces a server until it is withdrawn or ends. Never rejects: a failed write is retried at the next heartbeat.
   */
  async registerServer(id: string, info: ServerInfo = {}): Promise<void> {
    if (!isServerId(id)) {
      this.#warn(messageOf(refused(JSON.stringify(String(id).slice(0, 80)), 'cannot be the id of a server')));
      return;
    }
    await this.#inTurn(async () => {
      const before = announced.get(this.#key(id))?.announcement?.identity;
      this.#forget(id);
      const announcement = new Announcement(id, info, this.#clocks);
      announced.set(this.#key(id), { announcement, timer: this.#atHeartbeats(() => this.#beat(announcement)) });
      this.#mine.set(id, announcement);
      await this.#write(announcement, before);
    });
  }

  /** Withdraws a server that this process announced or that is dead. Servers of other processes stay. Never rejects. */
  async unregisterServer(id: string): Promise<void> {
    if (!isServerId(id)) return;
    await this.#inTurn(async () => {
      this.#forget(id);
      await this.#leave(id);
    });
  }

  /** Never writes and never rejects; rejected files are reported to `warn`. */
  async listServers(): Promise<readonly RegisteredServer[]> {
    try {
      const reading = readFolder(this.#place);
      this.#tell(reading.problems);
      return (await judge(reading, this.#clocks.uptime())).running;
    } catch (error) {
      this.#tell([messageOf(error)]);
      return [];
    }
  }

  /**
   * Yields the current servers, and again after each change, until the signal aborts or the registry is disposed of.
   */
  watch({ signal }: { readonly signal?: AbortSignal } = {}): AsyncIterable<readonly RegisteredServer[]> {
    const ending = signal ? AbortSignal.any([signal, this.#ending.signal]) : this.#ending.signal;
    return watchServers(() => this.listServers(), this.#place, ending);
  }

  /** Withdraws the servers announced through this object, unless another one has announced them since. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    const mine = [...this.#mine].filter(
      ([id, announcement]) => announced.get(this.#key(id))?.announcement === announcement,
    );
    await Promise.all(mine.map(([id]) => this.unregisterServer(id)));
  }

  async #write(announcement: Announcement, before?: ProcessIdentity): Promise<void> {
    const writer = identityOfWriter();
    const file = announcement.toFile(writer, this.#clocks);
    await writeEntry(this.#place, file, this.#disk);
    // The same id for another process is another file.
    if (before && !isSame(before, file.server.start_identity))
      await removeFrom(this.#place, entryName(announcement.id, before, writer), this.#disk);
    await this.#refresh(writer);
    this.#lastFault = '';
  }

  async #beat(announcement: Announcement): Promise<void> {
    // Withdrawn or replaced while this waited in the queue.
    if (announced.get(this.#key(announcement.id))?.announcement !== announcement) return;
    const { identity } = announcement;
    if (identity === undefined || livenessOf(identity, await readProcesses()) !== 'dead')
      return this.#write(announcement);
    this.#forget(announcement.id);
    await this.#leave(announcement.id);
  }

  /** A file that cannot be removed now would count as long as this process lives, so removal is retried. */
  async #leave(id: string): Promise<void> {
    const timer = this.#atHeartbeats(async () => {
      if (announced.get(this.#key(id))?.timer !== timer) return; // announced again
      await this.#withdraw(id);
      this.#forget(id);
    });
    announced.set(this.#key(id), { timer });
    await this.#withdraw(id);
    this.#forget(id);
  }

  #atHeartbeats(act: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => void this.#inTurn(act), this.#heartbeatMs).unref();
  }

  async #withdraw(id: string): Promise<void> {
    if (checkRegistryPaths(this.#place) === 'absent') return;
    const writer = identityOfWriter();
    const { files } = readFolder(this.#place);
    const snapshot = await readProcesses();
    for (const { name, entry } of files.filter((file) => file.entry.id === id)) {
      const isFree = [entry.writer, entry.server.start_identity].some((one) => livenessOf(one, snapshot) === 'dead');
      if (isFree || isSame(entry.writer, writer)) await removeFrom(this.#place, name, this.#disk);
      else this.#warn(`${id} is announced by process ${entry.writer.pid}; only that process can withdraw it`);
    }
    await this.#refresh(writer);
  }

  #refresh(writer: ProcessIdentity): Promise<void> {
    return refreshView(this.#place, { writer, disk: this.#disk, uptime: this.#clocks.uptime });
  }

  #forget(id: string): void {
    clearInterval(announced.get(this.#key(id))?.timer);
    announced.delete(this.#key(id));
    this.#mine.delete(id);
  }

  #key(id: string): string {
    return join(this.#place.folder, id);
  }

  /**
   * Runs operations one at a time per directory. A failure becomes a warning, because it must not end the announcing
   * process.
   */
  async #inTurn(act: () => Promise<void>): Promise<void> {
    const { folder } = this.#place;
    const turn = (turns.get(folder) ?? Promise.resolve()).then(act).catch((error: unknown) => {
      const fault = messageOf(error);
      // Reported once, not at every heartbeat of a disk that stays full.
      if (fault !== this.#lastFault) this.#warn(`the registry of running servers could not be written: ${fault}`);
      this.#lastFault = fault;
    });
    turns.set(folder, turn);
    await turn;
    if (turns.get(folder) === turn) turns.delete(folder);
  }

  #tell(problems: readonly string[]): void {
    const all = problems.join('\n');
    if (all !== this.#lastProblems) for (const problem of problems) this.#warn(problem);
    this.#lastProblems = all;
  }
}

/** The registry of a project. */
export function projectRegistryPath(project: string): string {
  return join(project, '.portolan', 'mcp_servers.json');
}

/** The registry of a user's servers without a project, in Portolan's state directory. */
export function userRegistryPath(stateFolder: string): string {
  return join(stateFolder, 'running', 'mcp_servers.json');
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.boot === other.boot && one.pid === other.pid && one.start === other.start;
}
