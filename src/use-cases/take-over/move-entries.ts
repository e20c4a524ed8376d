import { assertNever, ErrorCode, PortolanError } from '../../base/index.js';
import {
  addListItem,
  type EditFormat,
  plainOf,
  readEntry,
  removeEntry,
  removeListItem,
  setEntry,
} from '../../config-edit/index.js';
import { entryHash, type LeftEntry, type Move, type MovedEntry, type Startable } from '../../sources/index.js';

/** A text without the entries that a client would start, and what was done to each. */
export interface MovedText {
  readonly text: string;
  readonly moved: readonly MovedEntry[];
  readonly left: readonly LeftEntry[];
}

/** Stops the client from starting these entries. One that cannot be edited safely stays. */
export async function moveEntries(text: string, format: EditFormat, entries: readonly Startable[]): Promise<MovedText> {
  let current = text;
  const moved: MovedEntry[] = [];
  const left: LeftEntry[] = [];
  for (const entry of entries) {
    const { name } = entry.definition;
    try {
      const hash = entryHash(await readEntry(current, format, entry.at));
      const made = await moveOne(current, format, entry, text);
      current = made.text;
      moved.push({ name, path: entry.at.path, list: entry.at.list === true, hash, how: made.how });
    } catch (error) {
      if (!(error instanceof PortolanError) || error.code !== ErrorCode.EditRefused) throw error;
      left.push({ name, because: error.message });
    }
  }
  return { text: current, moved, left };
}

async function moveOne(
  text: string,
  format: EditFormat,
  { definition, at, off }: Startable,
  before: string,
): Promise<{ text: string; how: Move }> {
  if (off && 'list' in off && format === 'json') {
    const made = (await readEntry(before, format, { path: off.list })) === undefined;
    return { text: await addListItem(text, off.list, definition.name), how: { kind: 'listed', list: off.list, made } };
  }
  if (off && 'field' in off && !at.list) {
    const field = { path: [...at.path, ...off.field] };
    const known = await readEntry(text, format, field);
    const how = { kind: 'field', ...off, ...(typeof known === 'boolean' && { before: known }) } as const;
    return { text: await setEntry(text, format, field, off.value), how };
  }
  if (plainOf(await readEntry(text, format, at)) === undefined)
    throw new PortolanError(ErrorCode.EditRefused, 'it contains a value that could not be written back');
  return { text: (await removeEntry(text, format, at)) ?? '', how: { kind: 'removed' } };
}

/** What is left of a file without its last entry: it must parse, because the record of the take-over is beside it. */
export function emptyText(format: EditFormat): string {
  return format === 'toml' ? '' : '{}\n';
}

/** What became of an entry when the take-over was undone. */
export type Restoration =
  | 'restored'
  /** Somebody wrote it again, enabled it or changed how it is disabled; that stays. */
  | 'kept'
  /** Somebody deleted it from the client's file; that stays. */
  | 'deleted';

/** Gives an entry back to the client and changes nothing else. */
export async function restoreEntry(
  text: string | undefined,
  format: EditFormat,
  { path, list, how, name }: MovedEntry,
  copy: string,
): Promise<{ readonly text: string | undefined; readonly result: Restoration }> {
  const at = { path, list };
  const known = text === undefined ? undefined : await readEntry(text, format, at);
  switch (how.kind) {
    case 'removed': {
      const entry = plainOf(await readEntry(copy, format, at));
      if (known !== undefined || entry === undefined) return { text, result: known === undefined ? 'deleted' : 'kept' };
      return { text: await setEntry(text, format, at, entry), result: 'restored' };
    }
    case 'field': {
      if (text === undefined || known === undefined) return { text, result: 'deleted' };
      const field = { path: [...path, ...how.field] };
      if ((await readEntry(text, format, field)) !== how.value) return { text, result: 'kept' };
      const made = how.before === undefined ? await removeEntry(text, format, field) : undefined;
      return { text: made ?? (await setEntry(text, format, field, how.before ?? !how.value)), result: 'restored' };
    }
    case 'listed': {
      const names = text === undefined ? undefined : await readEntry(text, format, { path: how.list });
      if (text === undefined || !Array.isArray(names) || !names.includes(name)) return { text, result: 'kept' };
      const without = await removeListItem(text, how.list, name);
      const isEmpty = how.made && names.length === 1;
      const made = isEmpty ? await removeEntry(without, format, { path: how.list }) : without;
      return { text: made ?? emptyText(format), result: known === undefined ? 'deleted' : 'restored' };
    }
    default:
      return assertNever(how);
  }
}
