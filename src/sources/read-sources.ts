import type { Definition, Problem } from '../model/index.js';
import type { Client, Place, World } from './client.js';
import { InvalidEntry } from './fields.js';
import type { Written } from './find.js';
import type { Document, Format, Parsed } from './formats/document.js';
import { parseText } from './formats/index.js';
import { glob } from './glob.js';
import { type Host, variable } from './host.js';
import { mergeLayers } from './layers.js';
import { resolveTemplate, templatesFor } from './locate.js';
import type { ProblemDraft } from './problem-draft.js';
import { type Sighting, toDefinition } from './to-definition.js';

/** One path that was looked at, and what was there. */
export interface Look {
  readonly client: string;
  readonly scope: Place['scope'];
  readonly path: string;
  readonly found: 'absent' | 'failed' | 'read';
  readonly servers: number;
}

/** Everything that the clients' files say, in the order in which they are read. */
export interface Readings {
  readonly definitions: readonly Definition[];
  readonly problems: readonly Problem[];
  readonly looks: readonly Look[];
}

/** Reads every place of every client. One broken entry costs that entry, one broken file that file. */
export async function readSources(clients: readonly Client[], host: Host): Promise<Readings> {
  const reader = new Reader(host);
  const rows: Row[] = [];
  for (const [order, client] of clients.entries()) rows.push(...(await readClient(client, order, reader)));
  const sorted = rows.sort((a, b) => a.rank - b.rank);
  return {
    definitions: sorted.flatMap((row) => row.definitions),
    problems: distinct(sorted.flatMap((row) => row.problems)),
    looks: sorted.flatMap((row) => row.looks),
  };
}

/** What one place of one client gave. */
interface Row {
  readonly rank: number;
  readonly definitions: Definition[];
  readonly problems: Problem[];
  readonly looks: Look[];
}

/** Ranks of places without one of their own begin here. */
const UNRANKED = 1000;

async function readClient(client: Client, order: number, reader: Reader): Promise<Row[]> {
  const seen = new Set<string>();
  const reads: { row: Row; sightings: Sighting[] }[] = [];
  for (const place of client.places) {
    const row: Row = { rank: place.rank ?? UNRANKED + order, definitions: [], problems: [], looks: [] };
    reads.push({ row, sightings: await readPlace(client, place, reader, row, seen) });
  }
  const sightings = reads.flatMap((read) => read.sightings);
  if (sightings.length === 0) return reads.map(({ row }) => row);
  const judge = await client.judge?.(reader.world);
  const layered = client.layered ? mergeLayers(sightings) : undefined;
  for (const { row, sightings: own } of reads) {
    for (const sighting of own) {
      const { definition, problems } = toDefinition(layered?.get(sighting) ?? sighting, reader.host, judge);
      if (definition) row.definitions.push(definition);
      for (const problem of problems) row.problems.push(problem);
    }
  }
  return reads.map(({ row }) => row);
}

async function readPlace(
  client: Client,
  place: Place,
  reader: Reader,
  row: Row,
  seen: Set<string>,
): Promise<Sighting[]> {
  const sightings: Sighting[] = [];
  const here = new Set<string>();
  for (const spot of reader.spots(place, row)) {
    // A project that is the home folder would show the user's file a second time; two patterns may match one file.
    if (here.has(spot.path) || (spot.inProject && seen.has(spot.path))) continue;
    here.add(spot.path);
    seen.add(spot.path);
    const reading =
      spot.text === undefined ? await reader.read(spot, place) : await reader.parse(spot.text, place, spot.path);
    const servers = reading.kind === 'read' ? await entriesOf(reading.document, spot.path, place, reader, row) : [];
    if (reading.kind === 'failed') row.problems.push({ ...reading.problem, source: spot.path });
    row.looks.push({
      client: client.id,
      scope: place.scope,
      path: spot.path,
      found: reading.kind,
      servers: servers.length,
    });
    const precedence = place.precedence + spot.bonus;
    for (const { written, line } of servers) {
      const where = written.elsewhere ?? { source: spot.path, line };
      sightings.push({ client: client.id, place, ...where, precedence, written });
    }
    if (servers.length > 0 && place.remark) row.problems.push({ ...place.remark, source: spot.path });
    if (place.firstOnly && reading.kind !== 'absent') break;
  }
  return sightings;
}

async function entriesOf(
  document: Document,
  source: string,
  place: Place,
  reader: Reader,
  row: Row,
): Promise<{ written: Written; line: number }[]> {
  try {
    const read = (path: string) => reader.readNamed(path);
    const found = await place.find(document.value, { source, host: reader.host, read });
    for (const { path, ...problem } of found.problems) {
      row.problems.push({ ...problem, source, line: (path && document.lineOf(path)) ?? 1 });
    }
    return found.entries.map((written) => ({ written, line: document.lineOf(written.path) ?? 1 }));
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

type Reading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly problem: ProblemDraft & { line?: number } }
  | { readonly kind: 'read'; readonly document: Document };

interface ReadSpot {
  readonly path: string;
  readonly bonus: number;
  readonly inProject: boolean;
  readonly text?: string;
  /** A pattern that nothing matched, so that it shows among the places looked at. */
  readonly unmatched?: boolean;
}

/** Reads files once each, however many clients share them. */
class Reader {
  readonly host: Host;
  readonly world: World;
  readonly #read = new Map<string, Promise<Reading>>();

  constructor(host: Host) {
    this.host = host;
    this.world = {
      host,
      read: async (path, format) => {
        const reading = await this.#file(path, format);
        return reading.kind === 'read' ? reading.document : undefined;
      },
    };
  }

  /** Every path of a place. Later spellings and nearer folders hold over earlier and farther ones. */
  *spots(place: Place, row: Row): Generator<ReadSpot> {
    if (place.unless !== undefined && /^(?!0$|false$)./i.test(variable(this.host, place.unless) ?? '')) return;
    if (place.variable !== undefined) {
      const text = variable(this.host, place.variable);
      if (text) yield { path: `env:${place.variable}`, bonus: 0, inProject: false, text };
      return;
    }
    const templates = templatesFor(place.path, this.host.platform).map((template) => ({
      inProject: /^<(project|repo|up|above|worktree)>/.test(template),
      spots: resolveTemplate(template, this.host),
    }));
    const all = templates.flatMap(({ inProject, spots }) => spots.map((spot) => ({ ...spot, inProject })));
    // Where one file is enough, all spellings in a near folder come before any in a farther one.
    const ordered = place.firstOnly ? all.toSorted((a, b) => a.distance - b.distance) : all;
    for (const [order, { path, base, pattern, distance, inProject }] of ordered.entries()) {
      const bonus = order / 10_000 - distance / 100;
      const { matches, unlisted } = pattern ? glob(this.host.files, path, base) : { matches: [path], unlisted: [] };
      for (const { path: folder, ...why } of unlisted) row.problems.push(unreadable(why, folder));
      for (const match of matches) yield { path: match, bonus, inProject };
      if (matches.length === 0) yield { path, bonus, inProject, unmatched: true };
    }
  }

  read({ path, unmatched }: ReadSpot, place: Place): Promise<Reading> {
    return unmatched ? Promise.resolve({ kind: 'absent' }) : this.#file(path, place.format, place.prepare);
  }

  /** A JSON file that another one names. */
  readNamed(path: string): Promise<Reading> {
    return this.#file(path, 'json');
  }

  async parse(text: string, { format, prepare }: Place, source: string): Promise<Reading> {
    return asReading(await parseText(prepare ? prepare(text, this.host, source) : text, format), format);
  }

  #file(path: string, format: Format, prepare?: Place['prepare']): Promise<Reading> {
    const key = `${prepare ? 'prepared ' : ''}${format} ${path}`;
    const known = this.#read.get(key) ?? this.#open(path, format, prepare);
    this.#read.set(key, known);
    return known;
  }

  async #open(path: string, format: Format, prepare?: Place['prepare']): Promise<Reading> {
    const reading = this.host.files.read(path);
    switch (reading.kind) {
      case 'absent':
        return reading;
      case 'failed':
        return { kind: 'failed', problem: unreadable(reading, path) };
      case 'read':
        return asReading(
          await parseText(prepare ? prepare(reading.text, this.host, path) : reading.text, format),
          format,
        );
    }
  }
}

function asReading(parsed: Parsed, format: Format): Reading {
  if (parsed.kind === 'parsed') return { kind: 'read', document: parsed.document };
  const hint = parsed.empty
    ? 'write {} into it, or remove it'
    : `mend the ${format === 'json' ? 'JSON' : format} at this line; until then none of its servers can be used`;
  // Several clients leave an empty file behind until the first server is added.
  const severity = parsed.empty ? 'warning' : 'error';
  return {
    kind: 'failed',
    problem: { code: 'parse-error', severity, message: parsed.message, hint, line: parsed.line },
  };
}

function unreadable({ message, hint }: { message: string; hint: string }, source: string): Problem {
  return { code: 'unreadable-file', severity: 'error', message: `it ${message}`, hint, source };
}

/** A file that five clients share is still one problem. */
function distinct(problems: readonly Problem[]): Problem[] {
  const key = ({ code, source, line, server, message }: Problem) =>
    JSON.stringify([code, source, line, server, message]);
  return [...new Map(problems.map((problem) => [key(problem), problem])).values()];
}
