import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../errors.js';

// `import 'node:fs'` is too slow: see files.ts.
const { constants, promises } = process.getBuiltinModule('node:fs');
const { link, lstat, mkdir, open, readdir, readlink, realpath, rename, stat, unlink } = promises;

/** The status of a path, without following links. */
export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
  readonly size: number;
}

/** All file operations of a write, so that tests can make each of them fail. */
export interface WritableDisk {
  facts(path: string): Promise<FileFacts | undefined>;
  /** The status of a path, after following links. */
  target(path: string): Promise<FileFacts | undefined>;
  read(path: string): Promise<Uint8Array>;
  readLink(path: string): Promise<string>;
  /** The path of an existing file, after following links. */
  realPath(path: string): Promise<string>;
  /** Creates the directory and its missing parents. */
  makeFolder(path: string, mode: number): Promise<void>;
  /** Creates a file; fails if it exists. */
  create(path: string, mode: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; fails if that name exists. False if the system has no hard links. */
  link(from: string, to: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** Files in a directory with this suffix that were last written before the given time. */
  leftBehind(folder: string, ending: string, before: number): Promise<string[]>;
  /** Makes a new directory entry survive a power cut. Does nothing if the system cannot sync directories. */
  syncFolder(path: string): Promise<void>;
}

export interface OpenFile {
  write(data: Uint8Array): Promise<void>;
  /** Changes owner and group; returns whether that was permitted. */
  changeOwner(owner: number, group: number): Promise<boolean>;
  allow(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Error codes for an operation that the system does not support. */
const NO_DATA_SYNC: readonly string[] = ['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'];
const NO_HARD_LINKS: readonly string[] = ['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EMLINK'];

/** The local disk. */
export const writableDisk: WritableDisk = {
  facts: (path) => factsBy(lstat, path),
  target: (path) => factsBy(stat, path),
  async read(path) {
    // Without O_NONBLOCK, opening a FIFO blocks until another process writes to it.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  },
  readLink: (path) => readlink(path),
  realPath: (path) => realpath(path),
  async makeFolder(path, mode) {
    await mkdir(path, { recursive: true, mode });
  },
  async create(path, mode) {
    return openFile(await open(path, 'wx', mode));
  },
  rename: (from, to) => rename(from, to),
  async link(from, to) {
    try {
      await link(from, to);
      return true;
    } catch (error) {
      if (NO_HARD_LINKS.includes(String(codeOf(error)))) return false;
      throw error;
    }
  },
  remove: (path) => unlink(path),
  async leftBehind(folder, ending, before) {
    const paths = (await readdir(folder)).filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
    const times = await Promise.all(paths.map(async (path) => (await lstat(path)).mtimeMs));
    return paths.filter((_, n) => (times[n] ?? before) < before);
  },
  async syncFolder(path) {
    // Windows cannot open directories, and some network disks cannot sync them. The content of the file is already
    // synced.
    const folder = await open(path, constants.O_RDONLY).catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  },
};

async function factsBy(readStats: typeof lstat, path: string): Promise<FileFacts | undefined> {
  try {
    const found = await readStats(path);
    const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other';
    return { kind, mode: found.mode & 0o7777, owner: found.uid, group: found.gid, size: found.size };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function openFile(file: FileHandle): OpenFile {
  return {
    write: (data) => file.writeFile(data),
    async changeOwner(owner, group) {
      const { uid, gid } = await file.stat();
      if (uid === owner && gid === group) return true;
      try {
        await file.chown(owner, group);
        return true;
      } catch (error) {
        if (codeOf(error) === 'EPERM' || codeOf(error) === 'EINVAL') return false; // only root can change the owner
        throw error;
      }
    },
    allow: (mode) => file.chmod(mode),
    sync: () => syncData(file),
    close: () => file.close(),
  };
}

/**
 * Data and size are enough, because the directory is synced for the name. Falls back to `fsync` on disks without
 * `fdatasync`.
 */
export async function syncData(file: Pick<FileHandle, 'datasync' | 'sync'>): Promise<void> {
  try {
    await file.datasync();
  } catch (error) {
    if (!NO_DATA_SYNC.includes(String(codeOf(error)))) throw error;
    await file.sync();
  }
}
