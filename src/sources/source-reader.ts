import type { Problem } from '../model/index.js';
import { type Host, variable } from '../model/index.js';
import type { Place, ReadContext } from './client.js';
import type { Document, Format, Parsed } from './formats/document.js';
import { parseText } from './formats/index.js';
import { glob } from './glob.js';
import { resolveTemplate, templatesFor } from './path-template.js';
import type { ProblemDraft } from './problem-draft.js';

/** The content of a file, or why it cannot be read. */
export type ParsedFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly problem: ProblemDraft & { line?: number } }
  | { readonly kind: 'read'; readonly document: Document };

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
  readonly world: ReadContext;
  readonly #read = new Map<string, Promise<ParsedFile>>();

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
      inProject: /^<(project|repo|up|above|worktree)>/.test(template),
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
    return unmatched ? Promise.resolve({ kind: 'absent' }) : this.#file(path, place.format, place.prepare);
  }

  /** Reads a JSON file that another file refers to. */
  readNamed(path: string): Promise<ParsedFile> {
    return this.#file(path, 'json');
  }

  async parse(text: string, { format, prepare }: Place, source: string): Promise<ParsedFile> {
    return asReading(await parseText(prepare ? prepare(text, this.host, source) : text, format), format);
  }

  #file(path: string, format: Format, prepare?: Place['prepare']): Promise<ParsedFile> {
    const key = `${prepare ? 'prepared ' : ''}${format} ${path}`;
    const known = this.#read.get(key) ?? this.#open(path, format, prepare);
    this.#read.set(key, known);
    return known;
  }

  async #open(path: string, format: Format, prepare?: Place['prepare']): Promise<ParsedFile> {
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
