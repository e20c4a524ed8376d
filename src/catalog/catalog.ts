import { ErrorCode, PortolanError } from '../base/index.js';
import type { Era, SupportedEras } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import type { Connection } from '../upstream/index.js';
import {
  type CatalogEntry,
  factsOf,
  isUnknown,
  knowledgeOf,
  type NewFacts,
  toEntry,
  withFacts,
  withKnownTools,
  withPins,
} from './catalog-entry.js';
import type { CatalogOptions, ReadingPurpose } from './catalog-options.js';
import type { Knowledge, Pins } from './catalog-store.js';
import { listFailure, noSuchServer } from './list-failure.js';
import { readTools } from './read-tools.js';
import { eraToTry, recentEras } from './server-eras.js';
import { pinsOf } from './tool-pins.js';

/** A failed server is not read again in this time, unless it is called. */
const RETRY_FAILED_MS = 60_000;

type Lists = Required<Pick<Knowledge, 'tools' | 'handshake' | 'readAt'>>;

/** The known tools of every admitted server. Unknown servers are read in the background. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #now: () => number;
  readonly #entries = new Map<string, CatalogEntry>();
  readonly #failedAt = new Map<string, number>();
  /** By server instead of name, because another server may get the name before the reading ends. */
  readonly #readings = new Map<AdmittedServer, Promise<CatalogEntry>>();
  /** Servers with a background reading that nobody waits for and that may still be queued. */
  readonly #queued = new Set<AdmittedServer>();
  /** Readings to repeat, with the eras of the connections whose lists changed meanwhile. */
  readonly #again = new Map<string, Set<Era | undefined>>();
  /** The stamp of the pins with which an entry was last compared. */
  readonly #pinsSeen = new WeakMap<CatalogEntry, number>();
  /** The tools listed through each connection: a list from another process of the server does not apply to it. */
  readonly #compared = new WeakMap<Connection, CatalogEntry['tools']>();
  readonly #comparing = new WeakMap<Connection, Promise<CatalogEntry>>();
  #servers: ReadonlyMap<string, AdmittedServer> = new Map();
  #kept: Promise<void> = Promise.resolve();

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Replaces the list of servers. The entry of a server with an unchanged definition stays. */
  use(servers: readonly AdmittedServer[]): void {
    this.#servers = new Map(servers.map((server) => [server.name, server]));
    for (const [name, entry] of this.#entries) {
      if (this.#servers.get(name)?.definition === entry.server.definition) continue;
      this.#entries.delete(name);
      this.#failedAt.delete(name); // a corrected server is tried at once
    }
  }

  /** The current entry; the first access reads its file. */
  entry(name: string): CatalogEntry | undefined {
    const known = this.#entries.get(name);
    if (known) return known;
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

  /** The protocol eras of a server, as far as they are known recently: an updated server may support others. */
  erasOf(name: string): SupportedEras {
    return recentEras(this.entry(name)?.eras, this.#now());
  }

  /** The era in which to greet a server whose client uses `wanted`; undefined to find out which eras it supports. */
  eraOf(name: string, wanted?: Era): Era | undefined {
    return eraToTry(this.erasOf(name), wanted);
  }

  /** The server is being read for the first time: neither its tools nor a failure are known. */
  isPending(name: string): boolean {
    const entry = this.isReading(name) ? this.entry(name) : undefined;
    return entry !== undefined && isUnknown(entry);
  }

  isReading(name: string): boolean {
    const server = this.#servers.get(name);
    return server !== undefined && this.#readings.has(server);
  }

  /** Reads unknown and outdated servers in the background, for a client of `era`. Returns the readings worth waiting for. */
  refreshStale(only?: string, era?: Era): readonly Promise<CatalogEntry>[] {
    return this.entries().flatMap((entry) => {
      const { name } = entry.server;
      const readings = this.#readIfStale(entry, name === only ? 'inquiry' : 'read', era);
      return only === undefined || name === only ? readings : [];
    });
  }

  /** Starts a reading of one server if its list is outdated. Callers get the known list meanwhile. */
  refreshIfStale(name: string, era?: Era): void {
    const entry = this.entry(name);
    if (entry) this.#readIfStale(entry, 'read', era);
  }

  /** The reading that a caller has to wait for, if there is one. */
  #readIfStale(entry: CatalogEntry, purpose: ReadingPurpose, era: Era | undefined): readonly Promise<CatalogEntry>[] {
    const now = this.#now();
    const { name } = entry.server;
    if (this.isReading(name)) return isUnknown(entry) ? [this.#refresh(name, purpose, era)] : [];
    const age = now - (entry.readAt ?? Number.NEGATIVE_INFINITY);
    const sinceFailure = now - (this.#failedAt.get(name) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back must not keep an old reading valid forever.
    const isFresh = entry.tools !== undefined && age >= 0 && age < this.#options.ttlMs();
    if (isFresh || (sinceFailure >= 0 && sinceFailure < RETRY_FAILED_MS)) return [];
    const reading = this.#refresh(name, isUnknown(entry) ? purpose : 'read', era);
    reading.catch(() => undefined); // the entry records the failure
    return isUnknown(entry) ? [reading] : [];
  }

  /** Reads a server's tools now, once for all concurrent callers. Rejects if reading fails. */
  refresh(name: string, era?: Era): Promise<CatalogEntry> {
    return this.#refresh(name, 'inquiry', era);
  }

  #refresh(name: string, purpose: ReadingPurpose, era: Era | undefined): Promise<CatalogEntry> {
    const server = this.#servers.get(name);
    if (!server) return Promise.reject(noSuchServer(name));
    const running = this.#readings.get(server);
    if (running) {
      if (purpose === 'inquiry' && this.#queued.delete(server))
        this.#options.connected(server, async () => undefined, purpose, era).catch(() => undefined); // the reading reports it
      return running;
    }
    const reading = this.#read(server, purpose, era).finally(() => {
      if (this.#readings.get(server) === reading) this.#readings.delete(server);
      const again = this.#again.get(name);
      this.#again.delete(name);
      for (const one of again ?? []) this.refreshSoon(name, one);
    });
    this.#readings.set(server, reading);
    return reading;
  }

  /** Called after a list change notification of the connection in this era: a reading in progress may have the old list. */
  refreshSoon(name: string, era?: Era): void {
    if (this.isReading(name)) this.#again.set(name, (this.#again.get(name) ?? new Set()).add(era));
    else this.#refresh(name, 'read', era).catch(() => undefined); // the entry records the failure
  }

  /** Reads the list of a restarted server. Undefined if the known list came from this connection. */
  compare(server: AdmittedServer, connection: Connection): Promise<CatalogEntry> | undefined {
    const listed = this.#compared.get(connection);
    if (listed && listed === this.entry(server.name)?.tools) return undefined;
    const running = this.#comparing.get(connection);
    if (running) return running;
    const comparing = this.#read(server, 'inquiry', undefined, connection).finally(() =>
      this.#comparing.delete(connection),
    );
    this.#comparing.set(connection, comparing);
    return comparing;
  }

  /** Approves tools. The pins are those that the person saw, not what the server may have listed since. */
  async approveTools(name: string, seen?: Pins): Promise<void> {
    const entry = this.entry(name);
    if (!entry?.tools) return;
    const pins = seen ? { ...this.#options.store.readPins(entry.server), ...seen } : pinsOf(entry.tools);
    await this.#options.store.writePins(entry.server, pins);
    this.#replace({ ...entry, tools: withPins(entry.tools, pins) }, entry);
  }

  /** A change marked here may have been approved by another process since. Does nothing if no change is marked. */
  reloadPins(): void {
    const { store } = this.#options;
    const marked = [...this.#entries.values()].filter(({ tools }) => tools?.some(({ pin }) => pin !== 'same'));
    const stamp = marked.length > 0 ? store.pinsStamp() : undefined;
    for (const entry of marked) {
      if (stamp !== undefined && this.#pinsSeen.get(entry) === stamp) continue;
      const pins = store.readPins(entry.server);
      if (!pins) continue; // a missing file approves nothing
      const tools = withPins(entry.tools ?? [], pins);
      const isOther = tools.some(({ pin }, n) => pin !== entry.tools?.[n]?.pin);
      const now = isOther ? this.#replace({ ...entry, tools }, entry) : entry;
      if (stamp !== undefined) this.#pinsSeen.set(now, stamp);
    }
  }

  /** Stores what the behaviour of a running server showed, because the next start must know it. */
  note(name: string, facts: NewFacts): void {
    const entry = this.entry(name);
    const noted = entry && withFacts(entry, facts, this.#now());
    if (noted && noted !== entry) void this.#keep(entry.server, knowledgeOf(this.#replace(noted, entry)));
  }

  /** Records a start (which clears an earlier failure) or a failure. A running reading replaces it. */
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

  async #read(
    server: AdmittedServer,
    purpose: ReadingPurpose,
    era: Era | undefined,
    given?: Connection,
  ): Promise<CatalogEntry> {
    const { connected, listMs, log } = this.#options;
    const before = this.entry(server.name);
    if (purpose === 'read') this.#queued.add(server);
    try {
      const timeoutMs = listMs(server);
      const list = async (connection: Connection) => {
        this.#queued.delete(server);
        const listed = await connection.listTools({ timeoutMs, totalMs: timeoutMs }).catch((error: unknown) => {
          throw listFailure(error, server);
        });
        return { connection, listed, handshake: connection.handshake };
      };
      const { connection, listed, handshake } = await (given ? list(given) : connected(server, list, purpose, era));
      const { tools, refused } = readTools(listed);
      if (refused.length > 0) log('warn', 'tools were rejected', { server: server.name, refused });
      const entry = await this.#learn(server, { tools, handshake, readAt: this.#now() }, before);
      this.#compared.set(connection, entry.tools); // not before the entry contains the result
      return entry;
    } catch (error) {
      this.#queued.delete(server);
      // Not recorded: a cancelled reading, and the failure of a connection in use, which its user sees.
      if (given || (error instanceof PortolanError && error.code === ErrorCode.Cancelled)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      const at = this.#now();
      if (this.#isCurrent(server)) this.#failedAt.set(server.name, at);
      // Facts learned from a running server during this reading take precedence over older ones.
      const now = this.#isCurrent(server) ? (this.#entries.get(server.name) ?? before) : before;
      this.#replace({ ...(now ?? { server }), error: message }, now);
      this.#readings.delete(server); // the reading is over; an unfinished write must not prevent a retry
      await this.#keep(server, { ...knowledgeOf(now), error: { message, at } });
      throw error;
    }
  }

  async #learn(server: AdmittedServer, knowledge: Lists, before: CatalogEntry | undefined): Promise<CatalogEntry> {
    if (this.#isCurrent(server)) this.#failedAt.delete(server.name);
    let pins = this.#options.store.readPins(server);
    if (!pins) {
      pins = pinsOf(knowledge.tools);
      await this.#pin(server, pins);
    }
    const now = this.#isCurrent(server) ? this.#entries.get(server.name) : undefined;
    const known: Knowledge = { ...knowledge, ...factsOf({ ...before, ...now }) };
    const entry = this.#replace(withKnownTools(toEntry(server, known, pins), now), before);
    await this.#keep(server, known);
    return entry;
  }

  /** The list of servers may have changed during the reading: a removed server is not added again. */
  #replace(entry: CatalogEntry, before: CatalogEntry | undefined): CatalogEntry {
    if (!this.#isCurrent(entry.server)) return entry;
    this.#entries.set(entry.server.name, entry);
    this.#options.changed(entry, before);
    return entry;
  }

  #isCurrent({ name, definition }: AdmittedServer): boolean {
    return this.#servers.get(name)?.definition === definition;
  }

  /** Writes are sequential, so that older facts never replace newer ones. */
  #keep(server: AdmittedServer, knowledge: Knowledge): Promise<void> {
    const write = () => this.#options.store.write(server, knowledge);
    // A failed write concerns our own file, not the server, so it is logged without failing the reading.
    this.#kept = this.#kept.then(write).catch((error: Error) => {
      this.#options.log('warn', 'the catalog could not be saved', { of: server.name, error: error.message });
    });
    return this.#kept;
  }

  async #pin(server: AdmittedServer, pins: Pins): Promise<void> {
    await this.#options.store.writePins(server, pins).catch((error: Error) => {
      this.#options.log('warn', 'the pins could not be saved', { of: server.name, error: error.message });
    });
  }
}
