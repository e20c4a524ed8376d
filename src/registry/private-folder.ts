import type { Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf, ErrorCode, PortolanError, type WritableDisk } from '../base/index.js';

const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;
const ROOT = 0;
const ENTRIES_FOLDER = 'servers.d';

/** The paths of one registry: the view, and beside it the directory with one file per server. */
export interface RegistryPaths {
  readonly view: string;
  readonly folder: string;
}

export function placeOf(view: string): RegistryPaths {
  const path = resolve(view);
  return { view: path, folder: join(dirname(path), ENTRIES_FOLDER) };
}

/**
 * Returns whether the directory exists; throws if it is unsafe. Links are never followed, because another user may
 * choose their target.
 */
export function checkRegistryPaths({ view, folder }: RegistryPaths): 'there' | 'absent' {
  const parent = dirname(view);
  const around = factsOf(parent);
  if (around === undefined) return 'absent';
  if (!around.isDirectory()) throw refused(parent, 'is not a directory');
  if (!isOurs(around) && around.uid !== ROOT) throw refused(parent, 'belongs to another user');
  if (isShared(around)) throw refused(parent, 'is writable for everybody');
  const inside = factsOf(folder);
  if (inside === undefined) return 'absent';
  if (!inside.isDirectory()) throw refused(folder, 'is not a directory');
  if (!isOurs(inside)) throw refused(folder, 'belongs to another user');
  return 'there';
}

/** Creates missing directories, private to this user. */
export async function makeFolders(place: RegistryPaths, disk: WritableDisk): Promise<void> {
  if (checkRegistryPaths(place) === 'absent') {
    await disk.makeFolder(place.folder, PRIVATE_FOLDER);
    if (checkRegistryPaths(place) === 'absent') throw refused(place.folder, 'was deleted while it was created');
  }
  const { chmodSync, lstatSync } = fs();
  if (process.platform !== 'win32' && (lstatSync(place.folder).mode & OTHERS) !== 0)
    chmodSync(place.folder, PRIVATE_FOLDER);
}

/**
 * Throws unless the path is absent or a regular file of this user within the size limit, which may be replaced or
 * removed.
 */
export function checkFile(path: string, maxBytes: number): Stats | undefined {
  const found = factsOf(path);
  if (found !== undefined) checkFacts(path, found, maxBytes);
  return found;
}

/** The text of a file that passes the same check, or undefined if it does not exist. Never blocks. */
export function readOwn(path: string, maxBytes: number): string | undefined {
  const { closeSync, constants, fstatSync, openSync, readSync } = fs();
  // Checked before opening, because opening a device can have side effects.
  if (checkFile(path, maxBytes) === undefined) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw codeOf(error) === 'ELOOP' ? refused(path, 'is not a regular file') : error;
  }
  try {
    const found = fstatSync(descriptor);
    checkFacts(path, found, maxBytes);
    const bytes = Buffer.alloc(found.size + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(descriptor, bytes, length, bytes.length - length, null);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

function checkFacts(path: string, found: Stats, maxBytes: number): void {
  if (!found.isFile()) throw refused(path, 'is not a regular file');
  if (!isOurs(found)) throw refused(path, 'belongs to another user');
  if (found.size > maxBytes) throw refused(path, `is larger than ${maxBytes} bytes`);
}

function factsOf(path: string): Stats | undefined {
  return fs().lstatSync(path, { throwIfNoEntry: false });
}

export function refused(path: string, why: string): PortolanError {
  return new PortolanError(ErrorCode.WriteRefused, `${path} ${why}`, {
    hint: 'move it away; Portolan creates a new one',
  });
}

function isOurs({ uid }: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || user === uid;
}

/** In a sticky directory others can create files but cannot remove ours. */
function isShared({ mode }: Stats): boolean {
  return process.platform !== 'win32' && (mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0;
}

function fs() {
  return process.getBuiltinModule('node:fs');
}
