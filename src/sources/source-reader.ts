import type { Problem } from '../model/index.js';
import { type Host, variable } from '../model/index.js';
import type { Place, ReadContext } from './client.js';
import type { Document, Format, Parsed } from './formats/document.js';
import { parseText } from './formats/index.js';
import { glob } from './glob.js';
import { isProjectTemplate, resolveTemplate, templatesFor } from './path-template.js';
import type { ProblemDraft } from './problem-draft.js';
import { originalOf, readTakeOver } from './take-over-record.js';

/** The content of a file, or why it cannot be read. */
export type ParsedFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly problem: ProblemDraft & { line?: number } }
  | { readonly kind: 'read'; readonly document: Document; readonly problem?: ProblemDraft };

/** One path of a place, which may not exist. */
export interface ReadPath {
  readonly path: string;
  readonly bonus: number;
  readonly inProject: boolean;
  readonly text?: string;
  /** A pattern without matches; it is listed among the paths that were read. */
  readonly unmatched?: boolean;
}

/** Reads each file once, even if several clients share it. */
export class Reader {
  readonly host: Host;
  readonly context: ReadContext;
  readonly #read = new Map<string, Promise<ParsedFile>>();

  constructor(host: Host) {
    this.host = host;
    this.context = {
      host,
      read: async (path, format) => {
        // The place that the client reads decides whether a take-over counts; settings without servers have none.
        const known = this.#read.get(keyOf(path, format, { takeOver: true }));
        const reading = await (known ?? this.#file(path, format, { takeOver: false }));
        return reading.kind === 'read' ? reading.document : undefined;
      },
    };
  }

  /** Every path of a place. Later spellings and nearer directories have precedence. */
  *spots(place: Place, problems: Problem[]): Generator<ReadPath> {
    if (place.unless !== undefined && /^(?!0$|false$)./i.test(variable(this.host, place.unless) ?? '')) return;
    if (place.given) {
      yield { path: place.given.source, bonus: 0, inProject: false, text: place.given.text };
      return;
    }
    if (place.variable !== undefined) {
      const text = variable(this.host, place.variable);
      if (text) yield { path: `env:${place.variable}`, bonus: 0, inProject: false, text };
      return;
    }
    const templates = templatesFor(place.path, this.host.platform).map((template) => ({
      inProject: isProjectTemplate(template),
      spots: resolveTemplate(template, this.host),
    }));
    const all = templates.flatMap(({ inProject, spots }) => spots.map((spot) => ({ ...spot, inProject })));
    // If only the first file counts, all spellings in a near directory come before any in a farther one.
    const ordered = place.firstOnly ? all.toSorted((a, b) => a.distance - b.distance) : all;
    for (const [order, { path, base, pattern, distance, inProject }] of ordered.entries()) {
      const bonus = order / 10_000 - distance / 100;
      const { matches, unlisted } = pattern ? glob(this.host.files, path, base) : { matches: [path], unlisted: [] };
      for (const { path: folder, ...why } of unlisted) problems.push(unreadable(why, folder));
      for (const match of matches) yield { path: match, bonus, inProject };
      if (matches.length === 0) yield { path, bonus, inProject, unmatched: true };
    }
  }

  read({ path, unmatched }: ReadPath, place: Place): Promise<ParsedFile> {
    if (unmatched) return Promise.resolve({ kind: 'absent' });
    // Nothing beside a managed file may change its meaning.
    return this.#file(path, place.format, { takeOver: place.scope !== 'managed', prepare: place.prepare });
  }

  /** Reads a JSON file that another file refers to. */
  readNamed(path: string): Promise<ParsedFile> {
    return this.#file(path, 'json', { takeOver: false });
  }

  async parse(text: string, { format, prepare }: Place, source: string): Promise<ParsedFile> {
    return asReading(await parseText(prepare ? prepare(text, this.host, source) : text, format), format);
  }

  #file(path: string, format: Format, how: FileReadOptions): Promise<ParsedFile> {
    const key = keyOf(path, format, how);
    const known = this.#read.get(key) ?? this.#open(path, format, how);
    this.#read.set(key, known);
    return known;
  }

  async #open(path: string, format: Format, { takeOver, prepare }: FileReadOptions): Promise<ParsedFile> {
    const reading = this.host.files.read(path);
    switch (reading.kind) {
      case 'absent':
        return reading;
      case 'failed':
        return { kind: 'failed', problem: unreadable(reading, path) };
      case 'read': {
        const parse = (text: string) => parseText(prepare ? prepare(text, this.host, path) : text, format);
        const now = asReading(await parse(reading.text), format);
        return takeOver && now.kind === 'read' ? this.#takenOver(path, now.document, parse) : now;
      }
    }
  }

  async #takenOver(path: string, now: Document, parse: (text: string) => Promise<Parsed>): Promise<ParsedFile> {
    const found = readTakeOver(path, this.host.files);
    if (found.kind === 'absent') return { kind: 'read', document: now };
    const copy = found.kind === 'read' ? await parse(found.original) : undefined;
    if (found.kind === 'read' && copy?.kind === 'parsed') {
      const { withTakenOver } = await import('./taken-over.js');
      return { kind: 'read', document: withTakenOver(now, path, found.record, copy.document) };
    }
    const { message, hint } =
      found.kind === 'refused'
        ? found
        : {
            message: `the take-over of this file is ignored: ${originalOf(path)} ${copy?.kind === 'broken' ? copy.message : ''}`,
            hint: 'correct that file, or restore it from a backup',
          };
    return {
      kind: 'read',
      document: now,
      problem: { code: 'take-over-ignored', severity: 'error', message, hint },
    };
  }
}

/** How a file is read. */
interface FileReadOptions {
  /** Whether a take-over of the file counts. */
  readonly takeOver: boolean;
  readonly prepare?: Place['prepare'];
}

function keyOf(path: string, format: Format, { takeOver, prepare }: FileReadOptions): string {
  return `${prepare ? 'prepared ' : ''}${takeOver ? '' : 'plain '}${format} ${path}`;
}

function asReading(parsed: Parsed, format: Format): ParsedFile {
  if (parsed.kind === 'parsed') return { kind: 'read', document: parsed.document };
  const hint = parsed.empty
    ? 'write {} to the file, or delete it'
    : `correct the ${format === 'json' ? 'JSON' : format} at this line; until then none of its servers can be used`;
  // Several clients create an empty file until the first server is added, so this is only a warning.
  const severity = parsed.empty ? 'warning' : 'error';
  return {
    kind: 'failed',
    problem: { code: 'parse-error', severity, message: parsed.message, hint, line: parsed.line },
  };
}

function unreadable({ message, hint }: { message: string; hint: string }, source: string): Problem {
  return { code: 'unreadable-file', severity: 'error', message: `it ${message}`, hint, source };
}
