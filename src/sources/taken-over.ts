import { assertNever } from '../base/index.js';
import { valueAt, valueWith, valueWithout } from '../config-edit/index.js';
import { isFields } from './fields.js';
import type { Document, DocumentPath, EntryOrigin } from './formats/document.js';
import { type MovedEntry, originalOf, type TakeOverRecord } from './take-over-record.js';

/**
 * The client's file as it would be without the take-over: entries that were removed come from the copy, and what told
 * the client not to start an entry is undone. An entry that somebody wrote again, or enabled again, stays as it is.
 */
export function withTakenOver(now: Document, path: string, record: TakeOverRecord, copy: Document): Document {
  let value = now.value;
  const moved: MovedEntry[] = [];
  for (const entry of record.entries) {
    const undone = undo(value, entry, copy.value);
    if (undone === undefined) continue;
    value = undone;
    moved.push(entry);
  }
  for (const container of containersOf(moved)) value = inOriginalOrder(value, container, copy.value);
  const find = (at: DocumentPath): Found => locate(at, { value, moved, now, copy });
  return {
    value,
    lineOf(at) {
      const { document, path: inside } = find(at);
      return document.lineOf(inside);
    },
    originOf(at): EntryOrigin | undefined {
      const { document, entry } = find(at);
      if (!entry) return undefined;
      return { takenOver: true, ...(document === copy && { source: originalOf(path) }) };
    },
  };
}

/** The value without one effect of the take-over; undefined if somebody has changed it since. */
function undo(value: unknown, { path, list, how, name }: MovedEntry, copy: unknown): unknown {
  const at = { path, list };
  const known = valueAt(value, at);
  switch (how.kind) {
    case 'removed': {
      const entry = valueAt(copy, at);
      return known !== undefined || entry === undefined ? undefined : valueWith(value, at, entry);
    }
    case 'field': {
      const field = { path: [...path, ...how.field] };
      if (list || valueAt(value, field) !== how.value) return undefined;
      return how.before === undefined ? valueWithout(value, field) : valueWith(value, field, how.before);
    }
    case 'listed': {
      const names = valueAt(value, { path: how.list });
      if (known === undefined || !Array.isArray(names) || !names.includes(name)) return undefined;
      return valueWith(
        value,
        { path: how.list },
        names.filter((one) => one !== name),
      );
    }
    default:
      return assertNever(how);
  }
}

interface Container {
  readonly path: readonly string[];
  readonly list: boolean;
}

function containersOf(moved: readonly MovedEntry[]): Container[] {
  const removed = moved.filter(({ how }) => how.kind === 'removed');
  const all = removed.map(({ path, list }): Container => ({ path: path.slice(0, -1), list }));
  return [...new Map(all.map((one) => [JSON.stringify(one.path), one])).values()];
}

/** The order decides the names of servers, so that it must not change with a take-over. */
function inOriginalOrder(value: unknown, { path, list }: Container, copy: unknown): unknown {
  const [container, before] = [valueAt(value, { path }), valueAt(copy, { path })];
  if (list) {
    if (!Array.isArray(container) || !Array.isArray(before)) return value;
    const order = before.map(nameOf);
    const place = (item: unknown) => placeIn(order, nameOf(item));
    return valueWith(
      value,
      { path },
      container.toSorted((a, b) => place(a) - place(b)),
    );
  }
  if (!isFields(container) || !isFields(before)) return value;
  const order = Object.keys(before);
  const pairs = Object.entries(container).toSorted(([a], [b]) => placeIn(order, a) - placeIn(order, b));
  return valueWith(value, { path }, Object.fromEntries(pairs));
}

function placeIn(order: readonly unknown[], name: unknown): number {
  const place = order.indexOf(name);
  return place < 0 ? order.length : place;
}

function nameOf(item: unknown): unknown {
  return isFields(item) ? item.name : undefined;
}

interface Found {
  readonly document: Document;
  /** The path in that document. */
  readonly path: DocumentPath;
  readonly entry?: MovedEntry;
}

interface Merged {
  readonly value: unknown;
  readonly moved: readonly MovedEntry[];
  readonly now: Document;
  readonly copy: Document;
}

/** The document that contains what is at a path of the merged value. */
function locate(at: DocumentPath, { value, moved, now, copy }: Merged): Found {
  for (const entry of moved) {
    const [container, name] = [entry.path.slice(0, -1), entry.path.at(-1)];
    if (!container.every((key, n) => key === at[n])) continue;
    const key = at[container.length];
    const rest = at.slice(container.length + 1);
    if (!entry.list) {
      if (key === name) return { document: entry.how.kind === 'removed' ? copy : now, path: at, entry };
      continue;
    }
    const item = typeof key === 'number' ? valueAt(value, { path: container }) : undefined;
    const itemName = Array.isArray(item) && typeof key === 'number' ? nameOf(item[key]) : undefined;
    const inList = (document: Document): DocumentPath => {
      const items = valueAt(document.value, { path: container });
      const place = Array.isArray(items) ? items.findIndex((one: unknown) => nameOf(one) === itemName) : -1;
      return place < 0 ? at : [...container, place, ...rest];
    };
    if (itemName === undefined) continue;
    const isMoved = moved.find((one) => one.list && one.path.at(-1) === itemName);
    return isMoved ? { document: copy, path: inList(copy), entry: isMoved } : { document: now, path: inList(now) };
  }
  return { document: now, path: at };
}
