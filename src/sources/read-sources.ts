import type { Definition, Host, Problem } from '../model/index.js';
import type { Client, Place, RuleFile } from './client.js';
import { InvalidEntry } from './fields.js';
import type { RawEntry } from './find-entries.js';
import type { Document } from './formats/document.js';
import { type AbsentReader, absentReaders } from './installed-clients.js';
import { mergeLayers } from './merge-layers.js';
import { Reader } from './source-reader.js';
import { type LocatedEntry, toDefinition } from './to-definition.js';

/** One path that was read, with the result. */
export interface PathReading {
  readonly client: string;
  readonly scope: Place['scope'];
  readonly path: string;
  readonly found: 'absent' | 'failed' | 'read';
  readonly servers: number;
}

/** The entries of all files, in the order in which they are read. */
export interface SourceReadings {
  readonly definitions: readonly Definition[];
  readonly problems: readonly Problem[];
  readonly pathReadings: readonly PathReading[];
  /** Files in exclusive control; if there is one, entries elsewhere do not count. */
  readonly exclusive: readonly string[];
}

/** Reads every place of every client. A broken entry affects only itself, a broken file only its entries. */
export async function readSources(clients: readonly Client[], host: Host): Promise<SourceReadings> {
  const reader = new Reader(host);
  const reads: ClientRead[] = [];
  for (const [order, client] of clients.entries()) reads.push(await readClient(client, order, reader));
  const all = reads.flatMap(({ places }) => places.flatMap(({ locatedEntries }) => locatedEntries));
  const absent = absentReaders(all, clients, host);
  for (const read of reads) await addDefinitions(read, absent, reader);
  const sorted = reads.flatMap(({ places }) => places.map(({ row }) => row)).sort((a, b) => a.rank - b.rank);
  return {
    definitions: sorted.flatMap((row) => row.definitions),
    problems: distinct(sorted.flatMap((row) => row.problems)),
    pathReadings: sorted.flatMap((row) => row.pathReadings),
    exclusive: sorted.flatMap((row) => row.exclusive),
  };
}

/** The server rules in the clients' own settings. */
export async function readRules(clients: readonly Client[], host: Host): Promise<RuleFile[]> {
  const { context } = new Reader(host);
  const files = await Promise.all(clients.map((client) => client.rules?.(context) ?? []));
  return files.flat();
}

/** The places that take exclusive control, if their file exists. */
export function managedPlaces(clients: readonly Client[], host: Host): Client[] {
  const reader = new Reader(host);
  return clients.flatMap((client) => {
    const places = client.places.filter((place) => place.exclusive);
    const isThere = places.some((place) => [...reader.spots(place, [])].some(({ path }) => host.files.exists(path)));
    return isThere ? [{ ...client, places }] : [];
  });
}

/** The result of one place of one client. */
interface Row {
  readonly rank: number;
  readonly definitions: Definition[];
  readonly problems: Problem[];
  readonly pathReadings: PathReading[];
  readonly exclusive: string[];
}

/** Places without a rank get one from here on. */
const UNRANKED = 1000;

/** The entries of one client, place by place, before they become definitions. */
interface ClientRead {
  readonly client: Client;
  readonly places: readonly { readonly row: Row; readonly locatedEntries: readonly LocatedEntry[] }[];
}

async function readClient(client: Client, order: number, reader: Reader): Promise<ClientRead> {
  const seen = new Set<string>();
  const places: ClientRead['places'][number][] = [];
  for (const place of client.places) {
    const row: Row = {
      rank: place.rank ?? UNRANKED + order,
      definitions: [],
      problems: [],
      pathReadings: [],
      exclusive: [],
    };
    places.push({ row, locatedEntries: await readPlace(client, place, reader, row, seen) });
  }
  return { client, places };
}

async function addDefinitions(
  { client, places }: ClientRead,
  absent: ReadonlyMap<LocatedEntry, AbsentReader>,
  reader: Reader,
): Promise<void> {
  const locatedEntries = places.flatMap((read) => read.locatedEntries);
  if (locatedEntries.length === 0) return;
  const judge = await client.judge?.(reader.context);
  const layered = client.layered ? mergeLayers(locatedEntries) : undefined;
  for (const { row, locatedEntries: own } of places) {
    for (const located of own) {
      const { definition, problems } = toDefinition(layered?.get(located) ?? located, reader.host, judge);
      const absence = absent.get(located);
      if (definition) row.definitions.push(absence ? { ...definition, clientIsAbsent: true } : definition);
      // The references of an entry are those of the owner of its file.
      if (!absence || absence.isOwner) for (const problem of problems) row.problems.push(problem);
    }
  }
}

async function readPlace(
  client: Client,
  place: Place,
  reader: Reader,
  row: Row,
  seen: Set<string>,
): Promise<LocatedEntry[]> {
  const locatedEntries: LocatedEntry[] = [];
  const here = new Set<string>();
  for (const spot of reader.spots(place, row.problems)) {
    // If the home directory is the project, the user's file would appear twice; two patterns may match the same file.
    if (here.has(spot.path) || (spot.inProject && seen.has(spot.path))) continue;
    here.add(spot.path);
    seen.add(spot.path);
    const reading =
      spot.text === undefined ? await reader.read(spot, place) : await reader.parse(spot.text, place, spot.path);
    const servers = reading.kind === 'read' ? await entriesOf(reading.document, spot.path, place, reader, row) : [];
    if (reading.kind === 'failed') row.problems.push({ ...reading.problem, source: spot.path });
    if (reading.kind === 'read' && reading.problem) row.problems.push({ ...reading.problem, source: spot.path });
    row.pathReadings.push({
      client: client.id,
      scope: place.scope,
      path: spot.path,
      found: reading.kind,
      servers: servers.length,
    });
    const precedence = place.precedence + spot.bonus;
    for (const { written, line } of servers) {
      const where = written.elsewhere ?? { source: spot.path, line };
      locatedEntries.push({ client: client.id, place, ...where, precedence, written });
    }
    if (servers.length > 0 && place.remark) row.problems.push({ ...place.remark, source: spot.path });
    if (place.exclusive && reading.kind !== 'absent') row.exclusive.push(spot.path);
    if (place.firstOnly && reading.kind !== 'absent') break;
  }
  return locatedEntries;
}

async function entriesOf(
  document: Document,
  source: string,
  place: Place,
  reader: Reader,
  row: Row,
): Promise<{ written: RawEntry; line: number }[]> {
  try {
    const read = (path: string) => reader.readNamed(path);
    const found = await place.find(document.value, { source, host: reader.host, read });
    for (const { path, ...problem } of found.problems) {
      row.problems.push({ ...problem, source, line: (path && document.lineOf(path)) ?? 1 });
    }
    return found.entries.map((written) => withOrigin(written, document));
  } catch (error) {
    if (!(error instanceof InvalidEntry)) throw error;
    row.problems.push({
      code: 'invalid-entry',
      severity: 'error',
      message: error.message,
      hint: error.hint,
      source,
      line: 1,
    });
    return [];
  }
}

function withOrigin(written: RawEntry, document: Document): { written: RawEntry; line: number } {
  const line = document.lineOf(written.path) ?? 1;
  const origin = document.originOf?.(written.path);
  if (!origin) return { written, line };
  const { takenOver, source } = origin;
  return { written: { ...written, takenOver, ...(source !== undefined && { elsewhere: { source, line } }) }, line };
}

/** Removes duplicates, because several clients may share a broken file. */
function distinct(problems: readonly Problem[]): Problem[] {
  const key = ({ code, source, line, server, message }: Problem) =>
    JSON.stringify([code, source, line, server, message]);
  return [...new Map(problems.map((problem) => [key(problem), problem])).values()];
}
