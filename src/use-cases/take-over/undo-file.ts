import { ErrorCode, PortolanError, sha256 } from '../../base/index.js';
import { type EditedFile, type EditFormat, editFile } from '../../config-edit/index.js';
import type { Host } from '../../model/index.js';
import type { MovedEntry, TakenOverFile } from '../../sources/index.js';
import { emptyText, type Restoration, restoreEntry } from './move-entries.js';
import { checkProjectFile, forget, inForce, isInProject } from './take-over-file.js';

/** A file of a client after a take-over was undone. */
export interface UndoneFile {
  readonly file: EditedFile;
  /** Nobody had edited the file, so it has every byte back. */
  readonly isExact: boolean;
  readonly entries: readonly { readonly name: string; readonly result: Restoration }[];
  readonly isShared: boolean;
}

/** Undoes a take-over of one file. `without` removes Portolan's own entry from a text. */
export async function undoFile(
  { path, scope, format }: TakenOverFile,
  host: Host,
  without: (text: string) => Promise<string>,
): Promise<UndoneFile> {
  const isShared = isInProject({ path, scope }, host);
  if (isShared) checkProjectFile(path, host);
  const force = inForce(path, host);
  if (!force) throw new PortolanError(ErrorCode.EditRefused, `${path} was not taken over`);
  const { record, original } = force;
  let isExact = false;
  let entries: UndoneFile['entries'][number][] = [];
  const file = await editFile(
    path,
    async (text) => {
      isExact = text !== undefined && !record.edited && sha256(text) === record.left;
      if (isExact) {
        entries = record.entries.map(({ name }) => ({ name, result: 'restored' }));
        return without(original);
      }
      const made = await restoreEntries(text, format, record.entries, original);
      entries = made.entries;
      return made.text === undefined ? undefined : without(made.text);
    },
    { refuseLinks: isShared, backup: false },
  );
  await forget(path);
  return { file, isExact, entries, isShared };
}

async function restoreEntries(
  text: string | undefined,
  format: EditFormat,
  moved: readonly MovedEntry[],
  copy: string,
): Promise<{ text: string | undefined; entries: UndoneFile['entries'][number][] }> {
  let current = text;
  const entries: UndoneFile['entries'][number][] = [];
  for (const entry of moved) {
    const { text: made, result } = await restoreEntry(current, format, entry, copy);
    current = made;
    entries.push({ name: entry.name, result });
  }
  // An empty file stays one: it existed before.
  return { text: current ?? (text === undefined ? undefined : emptyText(format)), entries };
}
