import { dirname, join, resolve } from 'node:path';
import { ErrorCode, PortolanError } from '../errors.js';
import { randomKey } from '../hash.js';
import { type FileFacts, type OpenFile, type WritableDisk, writableDisk } from './writable-disk.js';

/** Nobody else may read what we make, unless whoever made the file before us said so. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;
const UNFINISHED_SUFFIX = '.portolan-tmp';
/** No write takes this long: what is older was left by a process that was killed, and may hold secrets. */
const ABANDONED_MS = 10 * 60 * 1000;
const BACKUP_SUFFIX = '.portolan-backup';

export interface WriteOptions {
  /** Keep the old file beside the new one, in the place of an older copy. */
  readonly backup?: boolean;
  /** What the change was made from: a file that has other bytes by now is not replaced. `undefined` means no file. */
  readonly from?: { readonly bytes: Uint8Array | undefined };
  /** Refuses a link in the place of the file: where a stranger chose what lies there, it could lead to any file of the user. */
  readonly refuseLinks?: boolean;
  readonly disk?: WritableDisk;
}

/** What was done: the file that changed (the end of a link), and where its old bytes are. */
export interface WrittenFile {
  readonly path: string;
  readonly backup?: string;
}

/** Where the copy lies: where the person knows the file, not where a link leads. */
export function backupOf(path: string): string {
  return `${path}${BACKUP_SUFFIX}`;
}

/** Replaces a file whole or not at all: whatever fails, and whenever, the old one is as it was and no other is left. */
export async function writeFile(
  path: string,
  data: string | Uint8Array,
  { backup = false, from, refuseLinks = false, disk = writableDisk }: WriteOptions = {},
): Promise<WrittenFile> {
  return tellingOf(path, async () => {
    const target = refuseLinks ? resolve(path) : await endOfLinks(resolve(path), disk);
    const old = await regularFile(target, disk);
    const folder = dirname(target);
    await disk.makeFolder(folder, PRIVATE_FOLDER);
    const fresh = await makeBeside(target, typeof data === 'string' ? Buffer.from(data) : data, old, disk);
    try {
      const kept = backup && old ? await keepCopy(resolve(path), target, old, disk) : undefined;
      await sameAsBefore(target, from, disk);
      await disk.rename(fresh, target);
      // The new file is in its place by now, whatever becomes of these.
      await disk.syncFolder(folder).catch(() => undefined);
      await tidy(folder, disk).catch(() => undefined);
      return { path: target, ...(kept !== undefined && { backup: kept }) };
    } catch (error) {
      await disk.remove(fresh).catch(() => undefined); // the first fault is the one to tell of
      throw error;
    }
  });
}

/** Takes a file away, of which a copy is kept; a link to it stays. */
export async function removeFile(
  path: string,
  { from, refuseLinks = false, disk = writableDisk }: Omit<WriteOptions, 'backup'> = {},
): Promise<WrittenFile> {
  return tellingOf(path, async () => {
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

/** A whole file beside the one that it is to replace, synced, with the rights of the old one. */
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
      if (old) await takeOver(file, old);
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

/** Owner first: giving a file away takes rights off it. */
async function takeOver(file: OpenFile, { mode, owner, group }: FileFacts): Promise<void> {
  const given = await file.giveTo(owner, group);
  // A group that is not the one which was let in must not get more than everybody has.
  await file.allow(given ? mode : (mode & ~0o7070) | ((mode & 0o7) << 3));
}

/** The copy replaces whatever has its name. */
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

async function sameAsBefore(target: string, from: WriteOptions['from'], disk: WritableDisk): Promise<void> {
  if (!from) return;
  const now = (await disk.facts(target)) ? await disk.read(target) : undefined;
  const same = now && from.bytes ? Buffer.compare(now, from.bytes) === 0 : now === from.bytes;
  if (same) return;
  throw new PortolanError(ErrorCode.FileChanged, `${target} was changed by another program meanwhile`, {
    hint: 'nothing was written; try again',
  });
}

/** Where a chain of links ends, be there a file or nothing yet. */
async function endOfLinks(path: string, disk: WritableDisk): Promise<string> {
  let end = path;
  for (let n = 0; n < MAX_LINKS; n += 1) {
    const facts = await disk.facts(end);
    if (facts?.kind !== 'link') return end;
    // `..` in a link is meant from where the folder really is.
    end = resolve(await disk.realPath(dirname(end)), await disk.readLink(end));
  }
  throw refused(path, 'is a link that leads back to itself');
}

const NOT_A_FILE: Readonly<Record<string, string>> = {
  folder: 'is a folder, not a file',
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
  ENOSPC: 'the disk is full: make room and try again',
  EDQUOT: 'your share of the disk is used up: make room and try again',
  EACCES: 'you may not write there: see who owns the file and its folder',
  EPERM: 'you may not write there: see who owns the file and its folder',
  EROFS: 'the disk can only be read',
};

/** A fault of the disk, said with the file's name; the old file is whole whichever it is. */
export async function tellingOf<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (error instanceof PortolanError || typeof code !== 'string') throw error;
    throw new PortolanError(ErrorCode.WriteFailed, `${path} could not be written (${code}); it is as it was`, {
      hint: HINTS[code] ?? 'see that the disk it is on works',
      cause: error,
    });
  }
}
