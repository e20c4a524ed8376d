import { assertNever, type PortolanError } from '../base/index.js';
import { type EntryPath, isSame, type Plain, refusal, valueAt, valueWith, valueWithout } from './edit-entry.js';

/** JSON is read with comments and trailing commas. */
export type EditFormat = 'json' | 'toml' | 'yaml';

/** What one format can do; each is loaded when a file of its kind is changed. */
interface Editor {
  read(text: string): unknown;
  set(text: string | undefined, at: EntryPath, value: Plain): string;
  remove(text: string, at: EntryPath): string | undefined;
}

const MARK = '\uFEFF';

/** What is written at the path; a text that does not parse is an error that names the line. */
export async function readEntry(text: string, format: EditFormat, at: EntryPath): Promise<unknown> {
  const editor = await editorOf(format);
  return refusing(() => valueAt(editor.read(withoutMark(text)), at));
}

/** The text with the entry set to the value, every byte outside the entry as it was; of no text a new one is made. */
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
    // Whatever the text was like, no other entry may come to mean something else.
    if (!isSame(editor.read(made), expected, [])) throw unsafe(at);
    return `${text?.startsWith(MARK) ? MARK : ''}${made}`;
  });
}

/** The text without the entry; undefined where nothing else was ever in the file. */
export async function removeEntry(text: string, format: EditFormat, at: EntryPath): Promise<string | undefined> {
  const editor = await editorOf(format);
  return refusing(() => {
    const old = withoutMark(text);
    const made = editor.remove(old, at);
    const along = at.list ? at.path.slice(0, -1) : at.path;
    if (!isSame(made === undefined ? undefined : editor.read(made), valueWithout(editor.read(old), at), along)) {
      throw unsafe(at);
    }
    if (made === undefined) return text.startsWith(MARK) ? MARK : undefined;
    return `${text.startsWith(MARK) ? MARK : ''}${made}`;
  });
}

function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(1) : text;
}

function unsafe({ path }: EntryPath): PortolanError {
  return refusal(`"${path.join('.')}" cannot be changed in this file without changing something else`);
}

/** Parsers recurse: text that nests thousands of levels deep ends in a RangeError. */
function refusing<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof RangeError) throw refusal('it nests too deep to be changed');
    throw error;
  }
}

async function editorOf(format: EditFormat): Promise<Editor> {
  switch (format) {
    case 'json': {
      const { readJson, removeJson, setJson } = await import('./json-edit.js');
      const keys = ({ path, list }: EntryPath) => {
        if (list) throw refusal('lists with names inside are not written into JSON');
        return path;
      };
      return {
        read: readJson,
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
