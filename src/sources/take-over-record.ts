import { basename, dirname, join } from 'node:path';
import { type Files, isObject, sha256 } from '../base/index.js';

const ORIGINAL_SUFFIX = '.portolan-original';
const RECORD_SUFFIX = '.portolan-record';
const VERSION = 1;
/** More than any client starts; the author of a record may be a repository. */
const MAX_ENTRIES = 1000;
/** The permission bits with which others can change a file. */
const OTHERS_WRITE = 0o022;

/** The copy of a client's file as it was before the take-over. It has the format of that file. */
export function originalOf(path: string): string {
  return `${path}${ORIGINAL_SUFFIX}`;
}

/** The record of the take-over beside it. */
export function recordOf(path: string): string {
  return `${path}${RECORD_SUFFIX}`;
}

/** The client's file for a path of either kind. */
export function clientFileOf(path: string): string {
  return path.endsWith(ORIGINAL_SUFFIX) ? path.slice(0, -ORIGINAL_SUFFIX.length) : path;
}

/** How a take-over keeps a client from starting an entry. */
export type Move =
  | { readonly kind: 'removed' }
  /** A field of the entry has this value; it had the value `before`, or was absent. */
  | { readonly kind: 'field'; readonly field: readonly string[]; readonly value: boolean; readonly before?: boolean }
  /** Its name is in a list of the same file; `made` if the list did not exist before. */
  | { readonly kind: 'listed'; readonly list: readonly string[]; readonly made: boolean };

export interface MovedEntry {
  readonly name: string;
  /** The keys that lead to the entry; the last one is its name. */
  readonly path: readonly string[];
  /** The entry is a list item with its name in the field `name`. */
  readonly list: boolean;
  /** The hash of the entry as it was. */
  readonly hash: string;
  readonly how: Move;
}

export interface TakeOverRecord {
  readonly client: string;
  readonly path: string;
  /** The hash of the client's file as the take-over left it. */
  readonly left: string;
  /** Somebody changed the file between two take-overs, so the copy is older than parts of it. */
  readonly edited: boolean;
  readonly entries: readonly MovedEntry[];
}

export type TakeOverReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly message: string; readonly hint: string }
  | { readonly kind: 'read'; readonly record: TakeOverRecord; readonly original: string };

/**
 * The take-over of a client's file. Record and copy must be regular files of the owner of that file, because a link or
 * a file of another user could define servers in the name of this user.
 */
export function readTakeOver(path: string, files: Files): TakeOverReading {
  const [copy, kept] = [originalOf(path), recordOf(path)];
  if (!files.exists(kept)) return { kind: 'absent' };
  for (const own of [kept, copy]) {
    const why = whyRefused(own, path, files);
    if (why !== undefined) return refused(own, why);
  }
  const [record, original] = [files.read(kept), files.read(copy)];
  if (record.kind !== 'read') return refused(kept, record.kind === 'failed' ? record.message : 'does not exist');
  if (original.kind !== 'read') return refused(copy, original.kind === 'failed' ? original.message : 'does not exist');
  const parsed = parseRecord(record.text);
  if (!parsed) return refused(kept, 'is not a record that this version can read');
  // The directory may have been moved or renamed, so only the name of the file is compared.
  if (basename(parsed.path) !== basename(path)) return refused(kept, 'is the record of another file');
  return { kind: 'read', record: parsed, original: original.text };
}

function whyRefused(path: string, file: string, files: Files): string | undefined {
  const status = files.status(path);
  if (!status) return 'does not exist or cannot be read';
  const folder = files.realPath(dirname(path)) ?? dirname(path);
  if (files.realPath(path) !== join(folder, basename(path))) return 'is a link';
  if (status.kind !== 'file') return 'is not a regular file';
  const client = files.status(file);
  if (!client) return undefined;
  if (status.owner !== client.owner) return 'belongs to another user than the file beside it';
  return (status.mode & OTHERS_WRITE & ~client.mode) === 0 ? undefined : 'can be changed by other users';
}

function refused(path: string, why: string): TakeOverReading {
  return {
    kind: 'refused',
    message: `the take-over of this file is ignored: ${path} ${why}`,
    hint: 'restore both .portolan files from a backup, or copy the entries back from .portolan-original and delete both',
  };
}

export function recordText({ client, path, left, edited, entries }: TakeOverRecord): string {
  return `${JSON.stringify({ portolan: 'take-over', version: VERSION, client, path, left, edited, entries }, null, 2)}\n`;
}

/** Returns undefined if the text is not a record; its author may be a repository. */
function parseRecord(text: string): TakeOverRecord | undefined {
  const value = jsonOf(text);
  if (!isObject(value) || value.portolan !== 'take-over' || value.version !== VERSION) return undefined;
  const { client, path, left, edited, entries } = value;
  if (typeof client !== 'string' || typeof path !== 'string' || typeof left !== 'string') return undefined;
  if (typeof edited !== 'boolean' || !Array.isArray(entries) || entries.length > MAX_ENTRIES) return undefined;
  const moved = entries.map(parseEntry);
  const all = moved.filter((one) => one !== undefined);
  return all.length === moved.length ? { client, path, left, edited, entries: all } : undefined;
}

function parseEntry(value: unknown): MovedEntry | undefined {
  if (!isObject(value)) return undefined;
  const { name, path, list, hash } = value;
  const how = parseMove(value.how);
  if (typeof name !== 'string' || typeof hash !== 'string' || typeof list !== 'boolean' || !how) return undefined;
  return isPath(path) ? { name, path, list, hash, how } : undefined;
}

function parseMove(value: unknown): Move | undefined {
  if (!isObject(value)) return undefined;
  const { kind, field, value: set, before, list, made } = value;
  if (kind === 'removed') return { kind };
  if (kind === 'field' && isPath(field) && typeof set === 'boolean')
    return { kind, field, value: set, ...(typeof before === 'boolean' && { before }) };
  return kind === 'listed' && isPath(list) && typeof made === 'boolean' ? { kind, list, made } : undefined;
}

function isPath(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((key) => typeof key === 'string');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A hash of an entry's content; the order of its keys does not matter. */
export function entryHash(value: unknown): string {
  return sha256(JSON.stringify(sorted(value)) ?? '');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value) || value instanceof Date) return value;
  const pairs = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return pairs.map(([key, inner]) => [key, sorted(inner)]);
}
