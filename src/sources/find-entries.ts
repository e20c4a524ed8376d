import type { Host } from '../model/index.js';
import { at, type Fields, isFields, wrongType } from './fields.js';
import type { Document, DocumentPath } from './formats/document.js';
import type { ProblemDraft } from './problem-draft.js';

/** One unparsed entry. */
export interface RawEntry {
  readonly name: string;
  readonly value: unknown;
  readonly path: DocumentPath;
  /** Why the client ignores the entry. */
  readonly ignored?: ProblemDraft;
  /** Values of references that are specific to this file or entry. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The inputs that the file declares for its entries. */
  readonly inputs?: readonly unknown[];
  /** The actual location, if the file only refers to another one. */
  readonly elsewhere?: { readonly source: string; readonly line: number };
  /** A take-over disabled or moved the entry. */
  readonly takenOver?: true;
}

export interface FoundEntries {
  readonly entries: readonly RawEntry[];
  readonly problems: readonly FoundProblem[];
}

interface FoundProblem extends ProblemDraft {
  /** The path in the document; by default the whole document. */
  readonly path?: DocumentPath;
}

export interface FileInfo {
  readonly source: string;
  readonly host: Host;
  /** Reads another file that this one refers to. */
  read(path: string): Promise<FileReading>;
}

type FileReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly problem: ProblemDraft }
  | { readonly kind: 'read'; readonly document: Document };

/** Finds the entries in a parsed file. */
export type Finder = (root: unknown, file: FileInfo) => FoundEntries;

/** Finds entries that may be in another file. */
export type AsyncFinder = (root: unknown, file: FileInfo) => FoundEntries | Promise<FoundEntries>;

/** More entries than any real file has; the limit protects memory. */
const MAX_ENTRIES = 50_000;

const NOTHING: FoundEntries = { entries: [], problems: [] };

/** Finds the map (or list with names inside) at a path of keys. A file without it defines no servers. */
export function under(...path: readonly string[]): Finder {
  return (root) => {
    if (root === undefined || root === null) return NOTHING;
    if (!isFields(root)) return { entries: [], problems: [wrongDocument(root)] };
    const container = at(root, ...path);
    const inputs = at(root, ...path.slice(0, -1), 'inputs');
    const shared = Array.isArray(inputs) ? { inputs } : {};
    return membersOf(container, path, shared);
  };
}

/** Treats the whole file as the map: `{name: entry}`. */
export const flat: Finder = (root) => {
  if (!isFields(root)) return NOTHING;
  const entries = Object.entries(root).filter(([, value]) => isFields(value) && looksLikeEntry(value));
  return { entries: entries.map(([name, value]) => ({ name, value, path: [name] })), problems: [] };
};

/** Uses the first of several keys that is present. */
export function firstOf(...finders: readonly Finder[]): Finder {
  return (root, file) => {
    for (const finder of finders) {
      const found = finder(root, file);
      if (found.entries.length > 0 || found.problems.length > 0) return found;
    }
    return NOTHING;
  };
}

export function allOf(...finders: readonly Finder[]): Finder {
  return (root, file) => {
    const all = finders.map((finder) => finder(root, file));
    return { entries: all.flatMap((one) => one.entries), problems: all.flatMap((one) => one.problems) };
  };
}

/** Reports entries under a key that the client does not read, because their owner may expect it to. */
export function ignoredUnder(key: string, right: string, client: string): Finder {
  const problem: ProblemDraft = {
    code: 'wrong-key',
    severity: 'warning',
    message: `${client} does not read "${key}" in this file`,
    hint: `write the servers under "${right}"`,
  };
  return (root) => {
    const container = at(root, key);
    if (!isFields(container)) return NOTHING;
    const entries = Object.entries(container).filter(([, value]) => isFields(value));
    return {
      entries: entries.map(([name, value]) => ({ name, value, path: [key, name], ignored: problem })),
      problems: [],
    };
  };
}

/** Finds entries under a key that the client does not read, with a note that names the key it reads. */
export function alsoUnder(key: string, right: string, client: string): Finder {
  const find = under(key);
  return (root, file) => {
    const found = find(root, file);
    if (found.entries.length === 0) return found;
    const note: FoundProblem = {
      path: [key],
      code: 'wrong-key',
      severity: 'info',
      message: `${client} reads the servers under "${right}" in this file; those under "${key}" are read by Portolan only`,
      hint: `move them to "${right}" so that ${client} reads them too`,
    };
    return { entries: found.entries, problems: [...found.problems, note] };
  };
}

/** The members of a map by key, or of a list by the name in each item. */
export function membersOf(container: unknown, path: DocumentPath, shared: Partial<RawEntry> = {}): FoundEntries {
  if (container === undefined || container === null) return NOTHING;
  const isList = Array.isArray(container);
  if (!isList && !isFields(container)) return { entries: [], problems: [wrongContainer(path, container)] };
  const size = isList ? container.length : Object.keys(container).length;
  const some: (readonly [string | number, unknown])[] = isList
    ? [...container.slice(0, MAX_ENTRIES).entries()]
    : Object.entries(container).slice(0, MAX_ENTRIES);
  const members = some.map(([key, value]) => ({
    ...shared,
    name: typeof key === 'string' ? key : nameInside(value),
    value,
    path: [...path, key],
  }));
  const isNameless = (member: RawEntry) => isList && member.name === '';
  return {
    entries: members.filter((member) => !isNameless(member)),
    problems: [
      ...members.filter(isNameless).map((member) => nameless(member.path)),
      ...(size > MAX_ENTRIES ? [tooMany(path)] : []),
    ],
  };
}

/** Treats the whole file, or one part of it, as a single entry. */
export function single(name: string, value: unknown, path: DocumentPath): FoundEntries {
  return { entries: [{ name, value, path }], problems: [] };
}

function nameInside(value: unknown): string {
  const named = ['name', 'key', 'id'].map((key) => at(value, key));
  return named.find((name): name is string => typeof name === 'string' && name !== '') ?? '';
}

/** Filters a flat file, which may contain other things than servers. */
function looksLikeEntry(value: Fields): boolean {
  return ['command', 'url', 'serverUrl', 'httpUrl', 'type'].some((key) => Object.hasOwn(value, key));
}

function wrongDocument(value: unknown): ProblemDraft {
  return { code: 'invalid-entry', severity: 'error', ...reason(wrongType('the file', 'a map', value)) };
}

function wrongContainer(path: DocumentPath, value: unknown): FoundProblem {
  return {
    path,
    code: 'invalid-entry',
    severity: 'error',
    ...reason(wrongType(path.join('.'), 'a map of servers', value)),
  };
}

function nameless(path: DocumentPath): FoundProblem {
  return {
    path,
    code: 'invalid-entry',
    severity: 'error',
    message: `item ${Number(path.at(-1)) + 1} of "${path.slice(0, -1).join('.')}" has no name`,
    hint: 'give it a "name"',
  };
}

function tooMany(path: DocumentPath): FoundProblem {
  return {
    path,
    code: 'too-many-entries',
    severity: 'error',
    message: `"${path.join('.')}" has more than ${MAX_ENTRIES} entries; the rest is ignored`,
    hint: 'remove items that are not servers',
  };
}

function reason({ message, hint }: { message: string; hint: string }): { message: string; hint: string } {
  return { message, hint };
}
