import { dirname, join, resolve } from 'node:path';
import { codeOf, ErrorCode, PortolanError } from '../errors.js';
import { randomKey } from '../hash.js';
import { type FileFacts, type OpenFile, type WritableDisk, writableDisk } from './writable-disk.js';

/** Our files are private, unless the existing file had other permissions. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** The limit of Linux for chains of links. */
const MAX_LINKS = 40;
const UNFINISHED_SUFFIX = '.portolan-tmp';
/** No write takes this long: an older temporary file was left by a killed process, and may contain secrets. */
const ABANDONED_MS = 10 * 60 * 1000;
const BACKUP_SUFFIX = '.portolan-backup';

export interface WriteOptions {
  /** Keep a copy of the old file beside the new one, replacing an older copy. */
  readonly backup?: boolean;
  /**
   * The bytes that the change is based on (`undefined`: no file). If the file has changed since, it is not replaced.
   */
  readonly from?: { readonly bytes: Uint8Array | undefined };
  /**
   * Reject a link instead of the file: in a directory that others can write to, it could point to any file of the user.
   */
  readonly refuseLinks?: boolean;
  /** The owner and the permissions of a new file; by default it is private. */
  readonly like?: FileFacts;
  readonly disk?: WritableDisk;
}

/** The file that changed (after following links), and the path of the backup. */
export interface WrittenFile {
  readonly path: string;
  readonly backup?: string;
}

/** The path of the backup: beside the path the user knows, not beside the target of a link. */
export function backupOf(path: string): string {
  return `${path}${BACKUP_SUFFIX}`;
}

/** Replaces a file atomically: after any failure the old file is unchanged and no temporary file is left. */
export async function writeFile(
  path: string,
  data: string | Uint8Array,
  { backup = false, from, refuseLinks = false, like, disk = writableDisk }: WriteOptions = {},
): Promise<WrittenFile> {
  return withWriteErrors(path, async () => {
    const target = refuseLinks ? resolve(path) : await endOfLinks(resolve(path), disk);
    const old = await regularFile(target, disk);
    const folder = dirname(target);
    await disk.makeFolder(folder, PRIVATE_FOLDER);
    const fresh = await makeBeside(target, typeof data === 'string' ? Buffer.from(data) : data, old ?? like, disk);
    try {
      const kept = backup && old ? await keepCopy(resolve(path), target, old, disk) : undefined;
      await sameAsBefore(target, from, disk);
      await (from && !from.bytes ? publishNew(fresh, target, disk) : disk.rename(fresh, target));
      // The new file is already in place; a failure here must not be reported.
      await disk.syncFolder(folder).catch(() => undefined);
      await tidy(folder, disk).catch(() => undefined);
      return { path: target, ...(kept !== undefined && { backup: kept }) };
    } catch (error) {
      await disk.remove(fresh).catch(() => undefined); // keep the first error
      throw error;
    }
  });
}

/** Deletes a file after copying it to its backup. A link to it stays. */
export async function removeFile(
  path: string,
  { from, refuseLinks = false, disk = writableDisk }: Omit<WriteOptions, 'backup'> = {},
): Promise<WrittenFile> {
  return withWriteErrors(path, async () => {
    const target = refuseLinks ? resolve(path) : await endOfLinks(resolve(path), disk);
    const old = await regularFile(target, disk);
    if (!old) return { path: target };
    const backup = await keepCopy(resolve(path), target, old, disk);
    await sameAsBefore(target, from, disk);
    await disk.remove(target);
    await disk.syncFolder(dirname(target)).catch(() => undefined);
    return { path: target, backup };
  });
}

async function tidy(folder: string, disk: WritableDisk): Promise<void> {
  for (const path of await disk.leftBehind(folder, UNFINISHED_SUFFIX, Date.now() - ABANDONED_MS))
    await disk.remove(path);
}

/** Creates the new content in a synced temporary file beside the target, with the permissions of the old file. */
async function makeBeside(
  target: string,
  data: Uint8Array,
  old: FileFacts | undefined,
  disk: WritableDisk,
): Promise<string> {
  const path = join(dirname(target), `.${randomKey().slice(0, 12)}${UNFINISHED_SUFFIX}`);
  const file = await disk.create(path, PRIVATE_FILE);
  try {
    try {
      await file.write(data);
      if (old) await copyAttributes(file, old);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await disk.remove(path).catch(() => undefined);
    throw error;
  }
  return path;
}

/** The owner first, because changing the owner clears permission bits. */
async function copyAttributes(file: OpenFile, { mode, owner, group }: FileFacts): Promise<void> {
  const given = await file.changeOwner(owner, group);
  // If the group could not be kept, the new group gets only the permissions of other users.
  await file.allow(given ? mode : (mode & ~0o7070) | ((mode & 0o7) << 3));
}

/** The copy replaces an older backup. */
async function keepCopy(path: string, target: string, old: FileFacts, disk: WritableDisk): Promise<string> {
  const backup = backupOf(path);
  const copy = await makeBeside(backup, await disk.read(target), old, disk);
  try {
    await disk.rename(copy, backup);
  } catch (error) {
    await disk.remove(copy).catch(() => undefined);
    throw error;
  }
  return backup;
}

/** A rename would replace a file that another process has created since the check; a link fails instead. */
async function publishNew(fresh: string, target: string, disk: WritableDisk): Promise<void> {
  try {
    if (!(await disk.link(fresh, target))) return await disk.rename(fresh, target);
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? changedMeanwhile(target) : error;
  }
  // The target is complete; a remaining temporary name is deleted by a later write.
  await disk.remove(fresh).catch(() => undefined);
}

async function sameAsBefore(target: string, from: WriteOptions['from'], disk: WritableDisk): Promise<void> {
  if (!from) return;
  const now = (await disk.facts(target)) ? await disk.read(target) : undefined;
  const same = now && from.bytes ? Buffer.compare(now, from.bytes) === 0 : now === from.bytes;
  if (!same) throw changedMeanwhile(target);
}

function changedMeanwhile(path: string): PortolanError {
  return new PortolanError(ErrorCode.FileChanged, `${path} was changed by another program in the meantime`, {
    hint: 'nothing was written; try again',
  });
}

/** Follows a chain of links to its end, which need not exist. */
async function endOfLinks(path: string, disk: WritableDisk): Promise<string> {
  let end = path;
  for (let n = 0; n < MAX_LINKS; n += 1) {
    const facts = await disk.facts(end);
    if (facts?.kind !== 'link') return end;
    // Resolve `..` in a link relative to the real directory.
    end = resolve(await disk.realPath(dirname(end)), await disk.readLink(end));
  }
  throw refused(path, 'is a link that points to itself');
}

const NOT_A_FILE: Readonly<Record<string, string>> = {
  folder: 'is a directory, not a file',
  link: 'is a link, not a file',
};

async function regularFile(path: string, disk: WritableDisk): Promise<FileFacts | undefined> {
  const facts = await disk.facts(path);
  if (facts === undefined || facts.kind === 'file') return facts;
  throw refused(path, NOT_A_FILE[facts.kind] ?? 'is not a regular file');
}

function refused(path: string, why: string): PortolanError {
  return new PortolanError(ErrorCode.WriteRefused, `${path} ${why}`, { hint: 'put a regular file in its place' });
}

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space and try again',
  EDQUOT: 'the disk quota is exceeded: free some space and try again',
  EACCES: 'permission denied: check the owner of the file and of its directory',
  EPERM: 'permission denied: check the owner of the file and of its directory',
  EROFS: 'the disk is mounted read-only',
};

/** Adds the path to an error of the disk. The old file is intact after any error. */
export async function withWriteErrors<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (error instanceof PortolanError || typeof code !== 'string') throw error;
    throw new PortolanError(ErrorCode.WriteFailed, `${path} could not be written (${code}); the file is unchanged`, {
      hint: HINTS[code] ?? 'check the disk for errors',
      cause: error,
    });
  }
}
