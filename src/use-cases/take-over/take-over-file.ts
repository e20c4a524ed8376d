import { dirname, sep } from 'node:path';
import { ErrorCode, MAX_FILE_BYTES, PortolanError, sha256, writableDisk, writeFile } from '../../base/index.js';
import { type EditedFile, type EditFormat, editFile, plainOf, readEntry, setEntry } from '../../config-edit/index.js';
import type { Host } from '../../model/index.js';
import { isFromRepository } from '../../policy/index.js';
import {
  type LeftEntry,
  type MovedEntry,
  originalOf,
  readTakeOver,
  recordOf,
  recordText,
  type StartedFile,
  type TakenOverFile,
  type TakeOverRecord,
} from '../../sources/index.js';
import { emptyText, moveEntries } from './move-entries.js';

/** A file of a client after a take-over. */
export interface TakenFile {
  readonly file: EditedFile;
  /** The copy of the file as it was. */
  readonly original: string;
  readonly moved: readonly MovedEntry[];
  readonly left: readonly LeftEntry[];
  /** The file is part of a project, so the change is visible to everyone who works on it. */
  readonly isShared: boolean;
}

type Edit = (text: string) => Promise<string>;

/** Keeps the client from starting the entries of one file. `also` is a further edit of the same file. */
export async function takeOverFile(
  { path, scope, format, entries, left }: StartedFile,
  client: string,
  host: Host,
  also: Edit = async (text) => text,
): Promise<TakenFile> {
  const isShared = isInProject({ path, scope }, host);
  if (isShared) checkProjectFile(path, host);
  const force = inForce(path, host);
  let moved: readonly MovedEntry[] = [];
  let refused: readonly LeftEntry[] = [];
  let isKept = false;
  try {
    const file = await editFile(
      path,
      async (text) => {
        if (text === undefined) return undefined;
        const made = await moveEntries(text, format, entries);
        [moved, refused] = [made.moved, made.left];
        const whole = await also(made.text);
        const after = whole.trim() === '' ? emptyText(format) : whole;
        if (moved.length > 0) {
          if (!force && !isKept) await checkNoOtherCopy(path, text);
          isKept = true;
          await keep({ path, format, client, text, after, moved, force });
        } else if (force) await updateLeft(path, force.record, text, after);
        return after;
      },
      { refuseLinks: isShared, backup: false },
    );
    return { file, original: originalOf(path), moved, left: [...left, ...refused], isShared };
  } catch (error) {
    // Without a change of the client's file there is nothing to restore.
    if (isKept) await restoreKept(path, force);
    throw error;
  }
}

/** An edit of a client's file that does not count as an edit by hand. */
export async function editTakenOver(path: string, host: Host, edit: (text: string | undefined) => Promise<string>) {
  const force = inForce(path, host);
  if (!force) return editFile(path, edit);
  const write = async (text: string | undefined) => {
    const after = await edit(text);
    if (text !== undefined) await updateLeft(path, force.record, text, after);
    return after;
  };
  return editFile(path, write, { backup: false });
}

export interface TakeOverInForce {
  readonly record: TakeOverRecord;
  readonly original: string;
}

/** The take-over of the file, if there is one. */
export function inForce(path: string, host: Host): TakeOverInForce | undefined {
  const reading = readTakeOver(path, host.files);
  if (reading.kind === 'absent') return undefined;
  if (reading.kind === 'refused')
    throw new PortolanError(ErrorCode.EditRefused, reading.message, { hint: reading.hint });
  const content = host.files.content(originalOf(path), MAX_FILE_BYTES);
  if (content.kind !== 'whole') throw new PortolanError(ErrorCode.EditRefused, `${originalOf(path)} cannot be read`);
  // The reader for discovery drops a byte order mark, which has to be written again.
  return { record: reading.record, original: new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.bytes) };
}

interface Kept {
  readonly path: string;
  readonly format: EditFormat;
  readonly client: string;
  readonly text: string;
  readonly after: string;
  readonly moved: readonly MovedEntry[];
  readonly force: TakeOverInForce | undefined;
}

/** Writes the copy and the record before the client's file changes, so that a crash in between loses nothing. */
async function keep({ path, format, client, text, after, moved, force }: Kept): Promise<void> {
  const like = await writableDisk.target(path);
  const options = { refuseLinks: true, ...(like && { like }) };
  if (!force) {
    await writeFile(originalOf(path), text, options);
  } else {
    const copy = await withEntries(force.original, format, text, moved);
    if (copy !== force.original) await writeFile(originalOf(path), copy, options);
  }
  const again = new Set(moved.map((one) => JSON.stringify(one.path)));
  const before = force?.record.entries.filter((one) => !again.has(JSON.stringify(one.path))) ?? [];
  const edited = force !== undefined && (force.record.edited || sha256(text) !== force.record.left);
  const record = { client, path, left: sha256(after), edited, entries: [...before, ...moved] };
  await writeFile(recordOf(path), recordText(record), options);
}

/** A copy without a record is all that is left of an earlier take-over, and must not be lost. */
async function checkNoOtherCopy(path: string, text: string): Promise<void> {
  const copy = originalOf(path);
  if (!(await writableDisk.facts(copy))) return;
  const same = (await writableDisk.facts(copy))?.kind === 'file' && (await writableDisk.read(copy)).toString() === text;
  if (same) return;
  throw new PortolanError(ErrorCode.WriteRefused, `${copy} exists without the record of a take-over`, {
    hint: 'it may be the only copy of entries that were taken over: move it away, or copy its entries back first',
  });
}

/** Entries that are taken over later join the copy, which otherwise stays as it is. */
async function withEntries(
  copy: string,
  format: EditFormat,
  text: string,
  moved: readonly MovedEntry[],
): Promise<string> {
  let made = copy;
  for (const { path, list, how } of moved) {
    const entry = plainOf(await readEntry(text, format, { path, list }));
    if (how.kind === 'removed' && entry !== undefined) made = await setEntry(made, format, { path, list }, entry);
  }
  return made;
}

async function updateLeft(path: string, record: TakeOverRecord, text: string, after: string): Promise<void> {
  if (text === after) return;
  const edited = record.edited || sha256(text) !== record.left;
  await writeFile(recordOf(path), recordText({ ...record, left: sha256(after), edited }), { refuseLinks: true });
}

async function restoreKept(path: string, force: TakeOverInForce | undefined): Promise<void> {
  if (!force) return forget(path);
  await writeFile(originalOf(path), force.original, { refuseLinks: true });
  await writeFile(recordOf(path), recordText(force.record), { refuseLinks: true });
}

/** Deletes the record first: without it the copy has no effect. */
export async function forget(path: string): Promise<void> {
  for (const own of [recordOf(path), originalOf(path)]) {
    if (await writableDisk.facts(own)) await writableDisk.remove(own);
  }
}

export function isInProject({ path, scope }: Pick<TakenOverFile, 'path' | 'scope'>, host: Host): boolean {
  return isFromRepository({ scope, source: path }, host);
}

/** A repository could contain a directory that is a link to any directory of the user. */
export function checkProjectFile(path: string, { files, cwd, repository }: Host): void {
  const [top, folder] = [repository ?? cwd, dirname(path)].map((one) => files.realPath(one) ?? one);
  if (top !== undefined && (folder === top || folder?.startsWith(`${top}${sep}`))) return;
  throw new PortolanError(ErrorCode.WriteRefused, `${dirname(path)} is a link that leads out of the project`, {
    hint: 'put a directory in its place',
  });
}
