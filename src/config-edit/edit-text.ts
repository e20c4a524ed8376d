import { assertNever, type PortolanError } from '../base/index.js';
import {
  type EntryPath,
  isSameEntry,
  type Plain,
  plainOf,
  refusal,
  valueAt,
  valueWith,
  valueWithout,
} from './edit-entry.js';

/** JSON may contain comments and trailing commas. */
export type EditFormat = 'json' | 'toml' | 'yaml';

/** The editor of one format, loaded on first use. */
interface Editor {
  read(text: string): unknown;
  set(text: string | undefined, at: EntryPath, value: Plain): string;
  remove(text: string, at: EntryPath): string | undefined;
}

const MARK = '\uFEFF';

/** The value at the path. Invalid text is an error with the line number. */
export async function readEntry(text: string, format: EditFormat, at: EntryPath): Promise<unknown> {
  const editor = await editorOf(format);
  return refusing(() => valueAt(editor.read(withoutMark(text)), at));
}

/** Sets the entry and keeps every byte outside it. Without a text, creates one. */
export async function setEntry(
  text: string | undefined,
  format: EditFormat,
  at: EntryPath,
  value: Plain,
): Promise<string> {
  const editor = await editorOf(format);
  return refusing(() => {
    const old = text === undefined ? undefined : withoutMark(text);
    const made = editor.set(old, at, value);
    const expected = valueWith(old === undefined ? undefined : editor.read(old), at, value);
    // Verified by parsing: no edit may change another entry.
    if (!isSameEntry(editor.read(made), expected, [])) throw unsafe(at);
    return `${text?.startsWith(MARK) ? MARK : ''}${made}`;
  });
}

/** Removes the entry. Returns undefined if the file never contained anything else. */
export async function removeEntry(text: string, format: EditFormat, at: EntryPath): Promise<string | undefined> {
  const editor = await editorOf(format);
  return refusing(() => {
    const old = withoutMark(text);
    const made = editor.remove(old, at);
    const along = at.list ? at.path.slice(0, -1) : at.path;
    if (!isSameEntry(made === undefined ? undefined : editor.read(made), valueWithout(editor.read(old), at), along)) {
      throw unsafe(at);
    }
    if (made === undefined) return text.startsWith(MARK) ? MARK : undefined;
    return `${text.startsWith(MARK) ? MARK : ''}${made}`;
  });
}

/** Adds a text to a list of texts, which is created if it does not exist. Only JSON files have such lists. */
export async function addListItem(text: string, at: readonly string[], item: string): Promise<string> {
  const { addToJsonList } = await import('./json-edit.js');
  return editList(text, at, (list) => [...list, item], addToJsonList, item);
}

/** Removes a text from a list of texts; an empty list stays. */
export async function removeListItem(text: string, at: readonly string[], item: string): Promise<string> {
  const { removeFromJsonList } = await import('./json-edit.js');
  return editList(text, at, (list) => list.toSpliced(list.lastIndexOf(item), 1), removeFromJsonList, item);
}

async function editList(
  text: string,
  path: readonly string[],
  expected: (list: readonly Plain[]) => readonly Plain[],
  edit: (text: string, path: readonly string[], item: string) => string,
  item: string,
): Promise<string> {
  const { readJsonEntry } = await import('./json-edit.js');
  return refusing(() => {
    const old = withoutMark(text);
    const root = readJsonEntry(old);
    const list = plainOf(valueAt(root, { path }) ?? []);
    if (!Array.isArray(list)) throw refusal(`"${path.join('.')}" is not a list`);
    const made = edit(old, path, item);
    const wanted = made === old ? root : valueWith(root, { path }, expected(list));
    if (!isSameEntry(readJsonEntry(made), wanted, [])) throw unsafe({ path });
    return `${text.startsWith(MARK) ? MARK : ''}${made}`;
  });
}

function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text;
}

function unsafe({ path }: EntryPath): PortolanError {
  return refusal(`"${path.join('.')}" cannot be changed in this file without changing something else`);
}

/** Parsers are recursive: thousands of nested levels cause a RangeError. */
function refusing<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError) throw refusal('it is nested too deep to be changed');
    throw error;
  }
}

async function editorOf(format: EditFormat): Promise<Editor> {
  switch (format) {
    case 'json': {
      const { readJsonEntry, removeJson, setJson } = await import('./json-edit.js');
      const keys = ({ path, list }: EntryPath) => {
        if (list) throw refusal('a list of named entries cannot be written to JSON');
        return path;
      };
      return {
        read: readJsonEntry,
        set: (text, at, value) => setJson(text, keys(at), value),
        remove: (text, at) => removeJson(text, keys(at)),
      };
    }
    case 'toml': {
      const { readToml, removeToml, setToml } = await import('./toml-edit.js');
      return { read: readToml, set: setToml, remove: removeToml };
    }
    case 'yaml': {
      const { readYaml, removeYaml, setYaml } = await import('./yaml-edit.js');
      return { read: readYaml, set: setYaml, remove: removeYaml };
    }
    default:
      return assertNever(format);
  }
}
