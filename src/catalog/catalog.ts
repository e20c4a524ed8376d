import { ErrorCode, type Log, PortolanError } from '../base/index.js';
import type { Era, ServerGreeting } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import { type Connection, eraOfVersion } from '../upstream/index.js';
import { comparePin, type PinVerdict, pinsOf } from './pins.js';
import { type ListedTool, readTools } from './read-tools.js';
import type { Knowledge, Pins, Store } from './store.js';

export interface CatalogTool extends ListedTool {
  readonly pin: PinVerdict;
}

/** What is known of one server at one moment. Replaced whole, never edited. */
export interface CatalogEntry {
  readonly server: AdmittedServer;
  /** Absent until the server was read once. */
  readonly tools?: readonly CatalogTool[];
  readonly greeting?: ServerGreeting;
  readonly readAt?: number;
  readonly error?: string;
  /** It wanted to know where its client works, now or when it last ran. */
  readonly asksForRoots?: true;
}

export interface CatalogOptions {
  readonly store: Store;
  /** Does something with an open connection that is held only as long as that takes. */
  readonly connected: <T>(server: AdmittedServer, act: (connection: Connection) => Promise<T>) => Promise<T>;
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
  readonly #again = new Set<string>();
  #servers: ReadonlyMap<string, AdmittedServer> = new Map();

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

  isReading(name: string): boolean {
    const server = this.#servers.get(name);
    return server !== undefined && this.#readings.has(server);
  }

  /** Reads in the background what is unknown or too old. Gives the readings that somebody may want to wait for: of unknown servers. */
  refreshStale(): readonly Promise<CatalogEntry>[] {
    return this.entries().flatMap((entry) => this.#readIfStale(entry));
  }

  /** Has one server's list read again if it is old; whoever asks for it now is answered from what is known. */
  refreshIfStale(name: string): void {
    const entry = this.entry(name);
    if (entry) this.#readIfStale(entry);
  }

  /** The reading that somebody who asks has to wait for, if there is one. */
  #readIfStale(entry: CatalogEntry): readonly Promise<CatalogEntry>[] {
    const now = this.#now();
    const { name } = entry.server;
    const running = this.#readings.get(this.#servers.get(name) ?? entry.server);
    if (running) return entry.tools ? [] : [running];
    const age = now - (entry.readAt ?? Number.NEGATIVE_INFINITY);
    const sinceFailure = now - (this.#failedAt.get(name) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back must not keep an old reading forever.
    const isFresh = entry.tools !== undefined && age >= 0 && age < this.#options.ttlMs();
    if (isFresh || (sinceFailure >= 0 && sinceFailure < RETRY_FAILED_MS)) return [];
    const reading = this.refresh(name);
    reading.catch(() => undefined); // the entry says what happened
    return entry.tools ? [] : [reading];
  }

  /** Reads a server's tools now, once for all who ask at the same time. Rejects if it cannot be read. */
  refresh(name: string): Promise<CatalogEntry> {
    const server = this.#servers.get(name);
    if (!server)
      return Promise.reject(new PortolanError(ErrorCode.ServerNotFound, `there is no server called ${name}`));
    const running = this.#readings.get(server);
    if (running) return running;
    const reading = this.#read(server).finally(() => {
      this.#readings.delete(server);
      if (this.#again.delete(name)) this.refreshSoon(name);
    });
    this.#readings.set(server, reading);
    return reading;
  }

  /** The server says that its list changed: whatever is being read now may be the old one. */
  refreshSoon(name: string): void {
    if (this.isReading(name)) this.#again.add(name);
    else this.refresh(name).catch(() => undefined); // the entry says what happened
  }

  /** A person has looked at tools: from now on what they saw is what is compared with, and not what may have come since. */
  async approveTools(name: string, seen?: Pins): Promise<void> {
    const entry = this.entry(name);
    if (!entry?.tools) return;
    const pins = seen ? { ...this.#options.store.readPins(entry.server), ...seen } : pinsOf(entry.tools);
    await this.#options.store.writePins(entry.server, pins);
    this.#replace({ ...entry, tools: withPins(entry.tools, pins) }, entry);
  }

  /** The server wanted to know where its client works: whoever starts it next has to know. */
  noteRoots(name: string): void {
    const entry = this.entry(name);
    if (!entry || entry.asksForRoots) return;
    const noted = this.#replace({ ...entry, asksForRoots: true }, entry);
    void this.#keep(entry.server, knowledgeOf(noted));
  }

  async #read(server: AdmittedServer): Promise<CatalogEntry> {
    const { connected, listMs, log } = this.#options;
    const before = this.entry(server.name);
    try {
      const timeoutMs = listMs(server);
      const { listed, greeting } = await connected(server, async (connection) => ({
        listed: await connection.listTools({ timeoutMs, totalMs: timeoutMs }),
        greeting: connection.greeting,
      }));
      const { tools, refused } = readTools(listed);
      if (refused.length > 0) log('warn', 'tools left out', { server: server.name, refused });
      return await this.#learn(server, { tools, greeting, readAt: this.#now() }, before);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const at = this.#now();
      if (this.#isCurrent(server)) this.#failedAt.set(server.name, at);
      this.#replace({ ...(before ?? { server }), error: message }, before);
      await this.#keep(server, { ...knowledgeOf(before), error: { message, at } });
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

  async #keep(server: AdmittedServer, knowledge: Knowledge): Promise<void> {
    await this.#options.store.write(server, knowledge).catch((error: Error) => {
      this.#options.log('warn', 'catalog not kept', { server: server.name, error: error.message });
    });
  }

  async #pin(server: AdmittedServer, pins: Pins): Promise<void> {
    await this.#options.store.writePins(server, pins).catch((error: Error) => {
      this.#options.log('warn', 'pins not kept', { server: server.name, error: error.message });
    });
  }
}

function toEntry(server: AdmittedServer, knowledge: Knowledge, pins: Pins | undefined): CatalogEntry {
  const { tools, greeting, readAt, error, asksForRoots } = knowledge;
  return {
    server,
    ...(tools && { tools: withPins(tools, pins) }),
    ...(greeting && { greeting }),
    ...(readAt !== undefined && { readAt }),
    ...(error && { error: error.message }),
    ...(asksForRoots && { asksForRoots }),
  };
}

function withPins(tools: readonly ListedTool[], pins: Pins | undefined): CatalogTool[] {
  return tools.map(({ tool, hash, faults }) => ({ tool, hash, faults, pin: comparePin(pins, { tool, hash, faults }) }));
}

function knowledgeOf(entry: CatalogEntry | undefined): Knowledge {
  return {
    ...(entry?.tools && { tools: entry.tools.map(({ tool, hash, faults }) => ({ tool, hash, faults })) }),
    ...(entry?.greeting && { greeting: entry.greeting }),
    ...(entry?.readAt !== undefined && { readAt: entry.readAt }),
    ...(entry?.asksForRoots && { asksForRoots: entry.asksForRoots }),
  };
}
