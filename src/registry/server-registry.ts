import { join } from 'node:path';
import { type ProcessIdentity, type WritableDisk, writableDisk } from '../base/index.js';
import { Announcement, type Clocks, identityOfWriter } from './announcement.js';
import { entryName } from './entry-file-names.js';
import { judge, messageOf, readFolder, removeFrom, writeEntry } from './entry-files.js';
import { checkPlace, type Place, placeOf, refused } from './private-folder.js';
import { livenessOf, lookAtProcesses } from './process-liveness.js';
import { refreshView } from './registry-view.js';
import { isServerId, type RegisteredServer, type ServerInfo, type Warn } from './server-info.js';
import { watchServers } from './watch-servers.js';

/** Often enough that a view which a killed process left old is soon right again, and seldom enough to let a disk sleep. */
const HEARTBEAT_MS = 30_000;

export interface RegistryOptions {
  /** Told when an announcement could not be written or a file was refused; without it, a warning of the process. */
  readonly warn?: Warn;
  readonly heartbeatMs?: number;
  readonly disk?: WritableDisk;
  readonly clocks?: Clocks;
}

interface Held {
  /** Undefined for one that is to be withdrawn as soon as the disk allows it. */
  readonly announcement?: Announcement;
  readonly timer: NodeJS.Timeout;
}

/** What this process announces, by folder and id, and the last thing it does in each folder: two registries of one path must not write one file at once. */
const held = new Map<string, Held>();
const turns = new Map<string, Promise<void>>();

/** The servers that run now, as files of a folder: each written by the process that announces it, all read by everybody. */
export class ServerRegistry implements AsyncDisposable {
  readonly path: string;
  readonly #place: Place;
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

  /** Announces a server until it is withdrawn or ends. Never rejects: what cannot be written now is tried again at the next heartbeat. */
  async registerServer(id: string, info: ServerInfo = {}): Promise<void> {
    if (!isServerId(id)) {
      this.#warn(messageOf(refused(JSON.stringify(String(id).slice(0, 80)), 'cannot be the id of a server')));
      return;
    }
    await this.#inTurn(async () => {
      const before = held.get(this.#key(id))?.announcement?.identity;
      this.#forget(id);
      const announcement = new Announcement(id, info, this.#clocks);
      held.set(this.#key(id), { announcement, timer: this.#atHeartbeats(() => this.#beat(announcement)) });
      this.#mine.set(id, announcement);
      await this.#write(announcement, before);
    });
  }

  /** Withdraws a server that this process announced, or that is dead; what another process holds is left to it. Never rejects. */
  async unregisterServer(id: string): Promise<void> {
    if (!isServerId(id)) return;
    await this.#inTurn(async () => {
      this.#forget(id);
      await this.#leave(id);
    });
  }

  /** Never writes and never rejects; what was refused is told to `warn`. */
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

  /** The servers now, and again whenever one comes, goes or says something else of itself; ends with the signal or the registry. */
  watch({ signal }: { readonly signal?: AbortSignal } = {}): AsyncIterable<readonly RegisteredServer[]> {
    const ending = signal ? AbortSignal.any([signal, this.#ending.signal]) : this.#ending.signal;
    return watchServers(() => this.listServers(), this.#place, ending);
  }

  /** Withdraws what was announced through this object, unless another one has announced it anew. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    const mine = [...this.#mine].filter(([id, announcement]) => held.get(this.#key(id))?.announcement === announcement);
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
    // Withdrawn or replaced while this waited for its turn.
    if (held.get(this.#key(announcement.id))?.announcement !== announcement) return;
    const { identity } = announcement;
    if (identity === undefined || livenessOf(identity, await lookAtProcesses()) !== 'dead')
      return this.#write(announcement);
    this.#forget(announcement.id);
    await this.#leave(announcement.id);
  }

  /** A file that cannot be removed now would count for as long as this process lives: it is tried again. */
  async #leave(id: string): Promise<void> {
    const timer = this.#atHeartbeats(async () => {
      if (held.get(this.#key(id))?.timer !== timer) return; // announced again
      await this.#withdraw(id);
      this.#forget(id);
    });
    held.set(this.#key(id), { timer });
    await this.#withdraw(id);
    this.#forget(id);
  }

  #atHeartbeats(act: () => Promise<void>): NodeJS.Timeout {
    return setInterval(() => void this.#inTurn(act), this.#heartbeatMs).unref();
  }

  async #withdraw(id: string): Promise<void> {
    if (checkPlace(this.#place) === 'absent') return;
    const writer = identityOfWriter();
    const { files } = readFolder(this.#place);
    const look = await lookAtProcesses();
    for (const { name, entry } of files.filter((file) => file.entry.id === id)) {
      const isFree = [entry.writer, entry.server.start_identity].some((one) => livenessOf(one, look) === 'dead');
      if (isFree || isSame(entry.writer, writer)) await removeFrom(this.#place, name, this.#disk);
      else this.#warn(`${id} is announced by process ${entry.writer.pid}, and only that one can withdraw it`);
    }
    await this.#refresh(writer);
  }

  #refresh(writer: ProcessIdentity): Promise<void> {
    return refreshView(this.#place, { writer, disk: this.#disk, uptime: this.#clocks.uptime });
  }

  #forget(id: string): void {
    clearInterval(held.get(this.#key(id))?.timer);
    held.delete(this.#key(id));
    this.#mine.delete(id);
  }

  #key(id: string): string {
    return join(this.#place.folder, id);
  }

  /** One after the other in each folder. A failure is a warning: whoever announces has something better to do than to end. */
  async #inTurn(act: () => Promise<void>): Promise<void> {
    const { folder } = this.#place;
    const turn = (turns.get(folder) ?? Promise.resolve()).then(act).catch((error: unknown) => {
      const fault = messageOf(error);
      // A disk that stays full would be told of at every heartbeat.
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

/** The registry of a user's servers that belong to no project, in the folder where Portolan keeps its state. */
export function userRegistryPath(stateFolder: string): string {
  return join(stateFolder, 'running', 'mcp_servers.json');
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.boot === other.boot && one.pid === other.pid && one.start === other.start;
}
