import type { Host } from '../model/index.js';
import { at, type Fields, isFields, wrongType } from './fields.js';
import type { Document, DocumentPath } from './formats/document.js';
import type { ProblemDraft } from './problem-draft.js';

/** One entry as it is written, before anyone made sense of it. */
export interface RawEntry {
  readonly name: string;
  readonly value: unknown;
  readonly path: DocumentPath;
  /** Why the owning client passes it over although it is there. */
  readonly ignored?: ProblemDraft;
  /** Values of references that only this file or entry knows. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Questions that the file declares for its entries. */
  readonly inputs?: readonly unknown[];
  /** Where it really stands, if the file only names the one that it is in. */
  readonly elsewhere?: { readonly source: string; readonly line: number };
}

export interface FoundEntries {
  readonly entries: readonly RawEntry[];
  readonly problems: readonly FoundProblem[];
}

interface FoundProblem extends ProblemDraft {
  /** Where in the document, if not with the whole of it. */
  readonly path?: DocumentPath;
}

export interface FileInfo {
  readonly source: string;
  readonly host: Host;
  /** Another file that this one names, read like any other. */
  read(path: string): Promise<FileReading>;
}

type FileReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly problem: ProblemDraft }
  | { readonly kind: 'read'; readonly document: Document };

/** Finds the entries in a parsed file. */
export type Finder = (root: unknown, file: FileInfo) => FoundEntries;

/** Finds entries that may stand in yet another file. */
export type FarFinder = (root: unknown, file: FileInfo) => FoundEntries | Promise<FoundEntries>;

/** Nobody has so many servers; a file that says so would fill the memory. */
const MAX_ENTRIES = 50_000;

const NOTHING: FoundEntries = { entries: [], problems: [] };

/** The map (or list with names inside) at a path of keys; a file without it says nothing about servers. */
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

/** The whole file is the map: `{name: entry}`. */
export const flat: Finder = (root) => {
  if (!isFields(root)) return NOTHING;
  const entries = Object.entries(root).filter(([, value]) => isFields(value) && looksLikeEntry(value));
  return { entries: entries.map(([name, value]) => ({ name, value, path: [name] })), problems: [] };
};

/** The first of several spellings that is present; nobody writes two. */
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

/** Entries under a key that the client does not read, so that their owner learns why they never appeared. */
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

/** Entries under a key that the client itself does not read, with a note that names the key it does read. */
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
      hint: `move them to "${right}" if ${client} is to read them too`,
    };
    return { entries: found.entries, problems: [...found.problems, note] };
  };
}

/** The members of a map by key, or of a list by the name inside each. */
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

/** A whole file, or one part of it, that is a single entry. */
export function single(name: string, value: unknown, path: DocumentPath): FoundEntries {
  return { entries: [{ name, value, path }], problems: [] };
}

function nameInside(value: unknown): string {
  const named = ['name', 'key', 'id'].map((key) => at(value, key));
  return named.find((name): name is string => typeof name === 'string' && name !== '') ?? '';
}

/** A flat file may hold other things than servers. */
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
    message: `"${path.join('.')}" has more than ${MAX_ENTRIES} entries; the rest is not read`,
    hint: 'remove what is no server',
  };
}

function reason({ message, hint }: { message: string; hint: string }): { message: string; hint: string } {
  return { message, hint };
}
