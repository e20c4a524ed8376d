import { ErrorCode, type Log, PortolanError } from '../base/index.js';
import type { Era } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { type Connection, eraOfVersion } from '../upstream/index.js';
import { type CatalogEntry, isUnknown, knowledgeOf, toEntry, withPins } from './catalog-entry.js';
import type { Knowledge, Pins, Store } from './catalog-store.js';
import { listFailure } from './list-failure.js';
import { readTools } from './read-tools.js';
import { pinsOf } from './tool-pins.js';

/** What is read in the background waits for its turn; an inquiry, for which somebody waits, does not. */
type ReadingPurpose = 'inquiry' | 'read';

export interface CatalogOptions {
  readonly store: Store;
  /** Does something with an open connection that is held only as long as that takes. Rejects with `Cancelled` where we end ourselves. */
  readonly connected: <T>(
    server: AdmittedServer,
    act: (connection: Connection) => Promise<T>,
    purpose: ReadingPurpose,
  ) => Promise<T>;
  readonly ttlMs: () => number;
  readonly listMs: (server: AdmittedServer) => number;
  readonly changed: (entry: CatalogEntry, before: CatalogEntry | undefined) => void;
  readonly log: Log;
  readonly now?: () => number;
}

/** A server that could not be read is not tried again for this long unless somebody calls it. */
const RETRY_FAILED_MS = 60_000;
const ERA_MS = 7 * 24 * 3_600_000;

/** What every admitted server can do. Answers from memory or disk at once, and reads what it does not know in the background. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #now: () => number;
  readonly #entries = new Map<string, CatalogEntry>();
  readonly #failedAt = new Map<string, number>();
  /** By the server itself: under the same name there may be another one before the reading ends. */
  readonly #readings = new Map<AdmittedServer, Promise<CatalogEntry>>();
  /** Those that are read in the background, nobody waits for, and may still have to wait for their turn. */
  readonly #inLine = new Set<AdmittedServer>();
  readonly #again = new Set<string>();
  /** Which pins an entry was last compared with. */
  readonly #pinsSeen = new WeakMap<CatalogEntry, number>();
  /** What each connection has listed itself: what another process of the same server listed later says nothing of it. */
  readonly #compared = new WeakMap<Connection, CatalogEntry['tools']>();
  readonly #comparing = new WeakMap<Connection, Promise<CatalogEntry>>();
  #servers: ReadonlyMap<string, AdmittedServer> = new Map();
  #kept: Promise<void> = Promise.resolve();

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** From now on these are the servers. What is known of one whose definition is the same stays. */
  use(servers: readonly AdmittedServer[]): void {
    this.#servers = new Map(servers.map((server) => [server.name, server]));
    for (const [name, entry] of this.#entries) {
      if (this.#servers.get(name)?.definition === entry.server.definition) continue;
      this.#entries.delete(name);
      this.#failedAt.delete(name); // whoever mended an entry wants it tried now
    }
  }

  /** What is known now; the first look at a server reads its file. */
  entry(name: string): CatalogEntry | undefined {
    const held = this.#entries.get(name);
    if (held) return held;
    const server = this.#servers.get(name);
    if (!server) return undefined;
    const knowledge = this.#options.store.read(server);
    if (knowledge.error) this.#failedAt.set(name, knowledge.error.at);
    const pins = knowledge.tools && this.#options.store.readPins(server);
    return this.#replace(toEntry(server, knowledge, pins), undefined);
  }

  entries(): readonly CatalogEntry[] {
    return [...this.#servers.keys()].flatMap((name) => this.entry(name) ?? []);
  }

  /** How a server wants to be greeted, as far as that is known and not too long ago: one that was updated may be another. */
  eraOf(name: string): Era | undefined {
    const { greeting, readAt } = this.entry(name) ?? {};
    const isRecent = readAt !== undefined && Math.abs(this.#now() - readAt) < ERA_MS;
    return greeting && isRecent ? eraOfVersion(greeting.protocolVersion) : undefined;
  }

  /** It is read for the first time: neither its tools are known nor a reason why they are not. */
  isPending(name: string): boolean {
    const entry = this.isReading(name) ? this.entry(name) : undefined;
    return entry !== undefined && isUnknown(entry);
  }

  isReading(name: string): boolean {
    const server = this.#servers.get(name);
    return server !== undefined && this.#readings.has(server);
  }

  /** Reads in the background what is unknown or too old. Gives the readings that somebody may want to wait for: of unknown servers, or of the one that is asked about. */
  refreshStale(only?: string): readonly Promise<CatalogEntry>[] {
    return this.entries().flatMap((entry) => {
      const { name } = entry.server;
      const readings = this.#readIfStale(entry, name === only ? 'inquiry' : 'read');
      return only === undefined || name === only ? readings : [];
    });
  }

  /** Has one server's list read again if it is old; whoever asks for it now is answered from what is known. */
  refreshIfStale(name: string): void {
    const entry = this.entry(name);
    if (entry) this.#readIfStale(entry, 'read');
  }

  /** The reading that somebody who asks has to wait for, if there is one. */
  #readIfStale(entry: CatalogEntry, purpose: ReadingPurpose): readonly Promise<CatalogEntry>[] {
    const now = this.#now();
    const { name } = entry.server;
    if (this.isReading(name)) return isUnknown(entry) ? [this.#refresh(name, purpose)] : [];
    const age = now - (entry.readAt ?? Number.NEGATIVE_INFINITY);
    const sinceFailure = now - (this.#failedAt.get(name) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back must not keep an old reading forever.
    const isFresh = entry.tools !== undefined && age >= 0 && age < this.#options.ttlMs();
    if (isFresh || (sinceFailure >= 0 && sinceFailure < RETRY_FAILED_MS)) return [];
    const reading = this.#refresh(name, isUnknown(entry) ? purpose : 'read');
    reading.catch(() => undefined); // the entry says what happened
    return isUnknown(entry) ? [reading] : [];
  }

  /** Reads a server's tools now, once for all who ask at the same time. Rejects if it cannot be read. */
  refresh(name: string): Promise<CatalogEntry> {
    return this.#refresh(name, 'inquiry');
  }

  #refresh(name: string, purpose: ReadingPurpose): Promise<CatalogEntry> {
    const server = this.#servers.get(name);
    if (!server)
      return Promise.reject(new PortolanError(ErrorCode.ServerNotFound, `there is no server called ${name}`));
    const running = this.#readings.get(server);
    if (running) {
      if (purpose === 'inquiry' && this.#inLine.delete(server))
        this.#options.connected(server, async () => undefined, purpose).catch(() => undefined); // the reading says it
      return running;
    }
    const reading = this.#read(server, purpose).finally(() => {
      if (this.#readings.get(server) === reading) this.#readings.delete(server);
      if (this.#again.delete(name)) this.refreshSoon(name);
    });
    this.#readings.set(server, reading);
    return reading;
  }

  /** The server says that its list changed: whatever is being read now may be the old one. */
  refreshSoon(name: string): void {
    if (this.isReading(name)) this.#again.add(name);
    else this.#refresh(name, 'read').catch(() => undefined); // the entry says what happened
  }

  /** Reads what this very connection lists: what was started anew may be another than what was read. Undefined where what is known is its list. */
  compare(server: AdmittedServer, connection: Connection): Promise<CatalogEntry> | undefined {
    const listed = this.#compared.get(connection);
    if (listed && listed === this.entry(server.name)?.tools) return undefined;
    const running = this.#comparing.get(connection);
    if (running) return running;
    const comparing = this.#read(server, 'inquiry', connection).finally(() => this.#comparing.delete(connection));
    this.#comparing.set(connection, comparing);
    return comparing;
  }

  /** A person has looked at tools: from now on what they saw is what is compared with, and not what may have come since. */
  async approveTools(name: string, seen?: Pins): Promise<void> {
    const entry = this.entry(name);
    if (!entry?.tools) return;
    const pins = seen ? { ...this.#options.store.readPins(entry.server), ...seen } : pinsOf(entry.tools);
    await this.#options.store.writePins(entry.server, pins);
    this.#replace({ ...entry, tools: withPins(entry.tools, pins) }, entry);
  }

  /** What is marked here may have been approved elsewhere since. Where nothing is marked, nothing is looked at. */
  lookAtPins(): void {
    const { store } = this.#options;
    const marked = [...this.#entries.values()].filter(({ tools }) => tools?.some(({ pin }) => pin !== 'same'));
    const stamp = marked.length > 0 ? store.pinsStamp() : undefined;
    for (const entry of marked) {
      if (stamp !== undefined && this.#pinsSeen.get(entry) === stamp) continue;
      const pins = store.readPins(entry.server);
      if (!pins) continue; // a file that is gone approves nothing
      const tools = withPins(entry.tools ?? [], pins);
      const isOther = tools.some(({ pin }, n) => pin !== entry.tools?.[n]?.pin);
      const now = isOther ? this.#replace({ ...entry, tools }, entry) : entry;
      if (stamp !== undefined) this.#pinsSeen.set(now, stamp);
    }
  }

  /** The server wanted to know where its client works: whoever starts it next has to know. */
  noteRoots(name: string): void {
    const entry = this.entry(name);
    if (!entry || entry.asksForRoots) return;
    const noted = this.#replace({ ...entry, asksForRoots: true }, entry);
    void this.#keep(entry.server, knowledgeOf(noted));
  }

  /** It has started, which ends what kept it from that before; or it failed. A reading that is under way will say more. */
  noteOutcome(server: AdmittedServer, failure?: string): void {
    const entry = this.#isCurrent(server) ? this.entry(server.name) : undefined;
    if (!entry || entry.error === failure || this.isReading(server.name)) return;
    const { error: _before, ...rest } = entry;
    const error = failure === undefined ? undefined : { message: failure, at: this.#now() };
    if (error) this.#failedAt.set(server.name, error.at);
    else this.#failedAt.delete(server.name);
    const noted = this.#replace({ ...rest, ...(failure !== undefined && { error: failure }) }, entry);
    void this.#keep(server, { ...knowledgeOf(noted), ...(error && { error }) });
  }

  async #read(server: AdmittedServer, purpose: ReadingPurpose, given?: Connection): Promise<CatalogEntry> {
    const { connected, listMs, log } = this.#options;
    const before = this.entry(server.name);
    if (purpose === 'read') this.#inLine.add(server);
    try {
      const timeoutMs = listMs(server);
      const list = async (connection: Connection) => {
        this.#inLine.delete(server);
        const listed = await connection.listTools({ timeoutMs, totalMs: timeoutMs }).catch((error: unknown) => {
          throw listFailure(error, server);
        });
        return { connection, listed, greeting: connection.greeting };
      };
      const { connection, listed, greeting } = await (given ? list(given) : connected(server, list, purpose));
      const { tools, refused } = readTools(listed);
      if (refused.length > 0) log('warn', 'tools left out', { server: server.name, refused });
      const entry = await this.#learn(server, { tools, greeting, readAt: this.#now() }, before);
      this.#compared.set(connection, entry.tools); // not before the entry says what was found
      return entry;
    } catch (error) {
      this.#inLine.delete(server);
      // What was broken off by ourselves is nobody's failure: whoever comes next has to try. Of a connection that is in use
      // its user hears, and whether it was lost or ended says the pool.
      if (given || (error instanceof PortolanError && error.code === ErrorCode.Cancelled)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      const at = this.#now();
      if (this.#isCurrent(server)) this.#failedAt.set(server.name, at);
      // What was learnt meanwhile from a server that runs counts for more than what was known when this began.
      const now = this.#isCurrent(server) ? (this.#entries.get(server.name) ?? before) : before;
      this.#replace({ ...(now ?? { server }), error: message }, now);
      this.#readings.delete(server); // it is over; that it is still written down keeps nobody from trying again
      await this.#keep(server, { ...knowledgeOf(now), error: { message, at } });
      throw error;
    }
  }

  async #learn(
    server: AdmittedServer,
    knowledge: Required<Omit<Knowledge, 'error' | 'asksForRoots'>>,
    before: CatalogEntry | undefined,
  ): Promise<CatalogEntry> {
    if (this.#isCurrent(server)) this.#failedAt.delete(server.name);
    let pins = this.#options.store.readPins(server);
    if (!pins) {
      pins = pinsOf(knowledge.tools);
      await this.#pin(server, pins);
    }
    const asked = this.#entries.get(server.name)?.asksForRoots ?? before?.asksForRoots;
    const known: Knowledge = { ...knowledge, ...(asked && { asksForRoots: asked }) };
    const entry = this.#replace(toEntry(server, known, pins), before);
    await this.#keep(server, known);
    return entry;
  }

  /** The chart may have been replaced while a server was read: what is not in it any more is not brought back. */
  #replace(entry: CatalogEntry, before: CatalogEntry | undefined): CatalogEntry {
    if (!this.#isCurrent(entry.server)) return entry;
    this.#entries.set(entry.server.name, entry);
    this.#options.changed(entry, before);
    return entry;
  }

  #isCurrent({ name, definition }: AdmittedServer): boolean {
    return this.#servers.get(name)?.definition === definition;
  }

  /** One after the other: what was known first must not be written last. */
  #keep(server: AdmittedServer, knowledge: Knowledge): Promise<void> {
    const write = () => this.#options.store.write(server, knowledge);
    // Of a server, not about it: what fails is a file of ours, and whoever ran a command hears of those.
    this.#kept = this.#kept.then(write).catch((error: Error) => {
      this.#options.log('warn', 'catalog not kept', { of: server.name, error: error.message });
    });
    return this.#kept;
  }

  async #pin(server: AdmittedServer, pins: Pins): Promise<void> {
    await this.#options.store.writePins(server, pins).catch((error: Error) => {
      this.#options.log('warn', 'pins not kept', { of: server.name, error: error.message });
    });
  }
}
