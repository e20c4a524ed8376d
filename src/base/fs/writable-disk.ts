import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

// Not imported: see files.ts.
const { constants, promises } = process.getBuiltinModule('node:fs');
const { lstat, mkdir, open, readdir, readlink, realpath, rename, stat, unlink } = promises;

/** What stands at a path, a link not followed. */
export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
  readonly size: number;
}

/** Every operation that writing a file takes, so that a test can let each of them fail. */
export interface WritableDisk {
  facts(path: string): Promise<FileFacts | undefined>;
  /** The same of what a link leads to. */
  target(path: string): Promise<FileFacts | undefined>;
  read(path: string): Promise<Uint8Array>;
  readLink(path: string): Promise<string>;
  /** The path of something that is there, every link in it followed. */
  realPath(path: string): Promise<string>;
  /** The folder and those above it that are not there yet. */
  makeFolder(path: string, mode: number): Promise<void>;
  /** A file that was not there before. */
  create(path: string, mode: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Files in a folder that end in this way and were last written before a time. */
  leftBehind(folder: string, ending: string, before: number): Promise<string[]>;
  /** Makes a new name last through a power cut; where a folder cannot be synced, nothing. */
  syncFolder(path: string): Promise<void>;
}

export interface OpenFile {
  write(data: Uint8Array): Promise<void>;
  /** Whether the file now has this owner and group. */
  giveTo(owner: number, group: number): Promise<boolean>;
  allow(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** How a system says that it cannot do this at all. */
const NO_DATA_SYNC: readonly string[] = ['ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'];

/** The machine's own disk. */
export const writableDisk: WritableDisk = {
  facts: (path) => factsBy(lstat, path),
  target: (path) => factsBy(stat, path),
  async read(path) {
    // Without O_NONBLOCK, opening what has become a FIFO would wait for someone to write to it.
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
  remove: (path) => unlink(path),
  async leftBehind(folder, ending, before) {
    const paths = (await readdir(folder)).filter((name) => name.endsWith(ending)).map((name) => join(folder, name));
    const times = await Promise.all(paths.map(async (path) => (await lstat(path)).mtimeMs));
    return paths.filter((_, n) => (times[n] ?? before) < before);
  },
  async syncFolder(path) {
    // Windows opens no folders, and some network disks sync none; the file's own bytes are safe by then.
    const folder = await open(path, constants.O_RDONLY).catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  },
};

async function factsBy(look: typeof lstat, path: string): Promise<FileFacts | undefined> {
  try {
    const found = await look(path);
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
    async giveTo(owner, group) {
      const { uid, gid } = await file.stat();
      if (uid === owner && gid === group) return true;
      try {
        await file.chown(owner, group);
        return true;
      } catch (error) {
        if (codeOf(error) === 'EPERM' || codeOf(error) === 'EINVAL') return false; // only root gives files away
        throw error;
      }
    },
    allow: (mode) => file.chmod(mode),
    sync: () => syncData(file),
    close: () => file.close(),
  };
}

/** The data and its size are enough, since the name is synced with the folder. Disks without `fdatasync` have `fsync`. */
export async function syncData(file: Pick<FileHandle, 'datasync' | 'sync'>): Promise<void> {
  try {
    await file.datasync();
  } catch (error) {
    if (!NO_DATA_SYNC.includes(String(codeOf(error)))) throw error;
    await file.sync();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
