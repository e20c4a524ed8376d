import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import self from 'node:process';
import { codeOf, ErrorCode, PortolanError, randomKey } from '../base/index.js';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const UNFINISHED = '.tmp';
/** Writing a small file never takes this long: an older temporary file was left by a killed process. */
const ABANDONED_MS = 10 * 60 * 1000;

/** Returns whether the error means that the file does not exist. */
export function isAbsent(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** Creates the directory if it is missing, and checks that it is ours and private. */
export async function openFolder(path: string): Promise<void> {
  const { chmod, lstat, mkdir } = await disk();
  await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
  const found = await lstat(path);
  if (!found.isDirectory()) throw refused(path, 'is not a directory');
  if (!isOurs(found.uid)) throw refused(path, 'belongs to another user');
  if (self.platform !== 'win32' && (found.mode & OTHERS) !== 0) await chmod(path, PRIVATE_FOLDER);
}

/** Creates a file for appending; fails if it exists. */
export async function createForLines(path: string): Promise<FileHandle> {
  const { constants, open } = await disk();
  const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;
  return open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | (constants.O_NOFOLLOW ?? 0), PRIVATE_FILE);
}

/** Opens an existing file to overwrite it from the start. */
export async function openToWriteOver(path: string): Promise<FileHandle> {
  const { constants, open } = await disk();
  return open(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
}

/** Replaces a small file atomically. It is not synced, so the old content may return after a power cut. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const { rename, unlink } = await disk();
  const fresh = await writeBeside(path, text);
  try {
    await rename(fresh, path);
  } catch (error) {
    await unlink(fresh).catch(() => undefined); // keep the first error
    throw error;
  }
}

/** Creates a file atomically with its whole content. Returns false if it already exists. */
export async function createWhole(path: string, text: string): Promise<boolean> {
  const { constants, copyFile, link, unlink } = await disk();
  const fresh = await writeBeside(path, text);
  try {
    await link(fresh, path).catch((error: unknown) => {
      if (codeOf(error) === 'EEXIST') throw error;
      return copyFile(fresh, path, constants.COPYFILE_EXCL); // a disk without hard links
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(fresh).catch(() => undefined);
  }
}

async function writeBeside(path: string, text: string): Promise<string> {
  const { unlink } = await disk();
  const fresh = `${path}.${randomKey().slice(0, 12)}${UNFINISHED}`;
  const file = await createForLines(fresh);
  try {
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
  } catch (error) {
    await unlink(fresh).catch(() => undefined);
    throw error;
  }
  return fresh;
}

/** Opens a regular file of this user. Links, pipes and files of other users are rejected. */
export async function openOwn(path: string): Promise<FileHandle> {
  const { constants, open } = await disk();
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch((error: unknown) => {
    throw codeOf(error) === 'ELOOP' ? refused(path, 'is a link') : error;
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw refused(path, 'is not a regular file');
    if (!isOurs(found.uid)) throw refused(path, 'belongs to another user');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The text of a small file, or undefined if it does not exist. */
export async function readSmall(path: string, maxBytes: number): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await openOwn(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error instanceof PortolanError ? error : refused(path, `cannot be read (${codeOf(error)})`);
  }
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    if (bytesRead > maxBytes) throw refused(path, `is larger than ${maxBytes} bytes`);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

export async function namesIn(folder: string): Promise<readonly string[]> {
  const { readdir } = await disk();
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw refused(folder, `cannot be read as a directory (${codeOf(error)})`);
  }
}

/** Temporary files left by killed processes. */
export async function abandoned(folder: string): Promise<readonly string[]> {
  const { lstat } = await disk();
  const names = (await namesIn(folder)).filter((name) => name.endsWith(UNFINISHED));
  const found = await Promise.all(names.map((name) => lstat(join(folder, name)).catch(() => undefined)));
  return names.filter((_, n) => (found[n]?.mtimeMs ?? Number.POSITIVE_INFINITY) < Date.now() - ABANDONED_MS);
}

export async function removeIn(folder: string, name: string): Promise<void> {
  const { unlink } = await disk();
  await unlink(join(folder, name)).catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
  });
}

function disk() {
  return import('node:fs/promises');
}

function isOurs(owner: number): boolean {
  const user = self.geteuid?.();
  return user === undefined || user === owner;
}

function refused(path: string, why: string): PortolanError {
  return new PortolanError(ErrorCode.WriteRefused, `${path} ${why}`, {
    hint: 'move it away; Portolan creates a new one',
  });
}
