import { resolve } from 'node:path';
import {
  ErrorCode,
  MAX_FILE_BYTES,
  PortolanError,
  removeFile,
  type WritableDisk,
  type WrittenFile,
  withWriteErrors,
  writableDisk,
  writeFile,
} from '../base/index.js';

/** The maximum number of attempts if other programs keep writing the file. */
const ATTEMPTS = 3;

export interface EditOptions {
  /** Reject a link instead of the file: a repository could point it at any file of the user. */
  readonly refuseLinks?: boolean;
  /** Keep a copy of the old file beside it (default); `false` if the caller has kept one. */
  readonly backup?: boolean;
  readonly disk?: WritableDisk;
}

export interface EditedFile extends WrittenFile {
  readonly kind: 'created' | 'changed' | 'unchanged' | 'removed';
}

/**
 * Creates a new text from the current one (undefined if the file is missing) and writes it. Fails if the file is not
 * UTF-8.
 */
export async function editFile(
  path: string,
  edit: (text: string | undefined) => Promise<string | undefined>,
  { refuseLinks = false, backup = true, disk = writableDisk }: EditOptions = {},
): Promise<EditedFile> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await editOnce(path, edit, { refuseLinks, backup, disk });
    } catch (error) {
      const again = error instanceof PortolanError && error.code === ErrorCode.FileChanged && attempt < ATTEMPTS;
      if (!again) throw error;
    }
  }
}

async function editOnce(
  path: string,
  edit: (text: string | undefined) => Promise<string | undefined>,
  { refuseLinks, backup, disk }: Required<EditOptions>,
): Promise<EditedFile> {
  const bytes = await withWriteErrors(path, async () => {
    if (refuseLinks && (await disk.facts(path))?.kind === 'link') throw notText(path, 'is a link, not a file');
    return readWhole(path, disk);
  });
  const made = await named(path, async () => edit(bytes && decoded(bytes)));
  if (made === undefined) {
    if (bytes === undefined) return { kind: 'unchanged', path: resolve(path) };
    return { kind: 'removed', ...(await removeFile(path, { from: { bytes }, refuseLinks, disk })) };
  }
  if (bytes && Buffer.compare(Buffer.from(made), bytes) === 0) return { kind: 'unchanged', path: resolve(path) };
  const written = await writeFile(path, made, { backup, from: { bytes }, refuseLinks, disk });
  return { kind: bytes === undefined ? 'created' : 'changed', ...written };
}

/** The bytes of a regular file, after following links. */
async function readWhole(path: string, disk: WritableDisk): Promise<Uint8Array | undefined> {
  const facts = await disk.target(path);
  if (facts === undefined) return undefined;
  if (facts.kind !== 'file') throw notText(path, 'is not a regular file');
  if (facts.size > MAX_FILE_BYTES) throw notText(path, `is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`);
  return disk.read(path);
}

/** Keeps the byte order mark, so that it is written again. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PortolanError(ErrorCode.EditRefused, 'it is not UTF-8 text', {
      hint: 'save it as UTF-8 first; nothing was written',
    });
  }
}

function notText(path: string, why: string): PortolanError {
  return new PortolanError(ErrorCode.WriteRefused, `${path} ${why}`, { hint: 'put a regular file in its place' });
}

/** Adds the path to an error, because an edit only knows the text. */
async function named<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof PortolanError) || error.code !== ErrorCode.EditRefused) throw error;
    throw new PortolanError(error.code, `${path}: ${error.message}`, {
      ...(error.hint !== undefined && { hint: error.hint }),
      cause: error,
    });
  }
}
