import { type FileContent, type FileStatus, readContent, readStatus } from './file-content.js';

// `import 'node:fs'` also loads its streams, which costs a tenth of the start-up time.
const { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync, statSync } =
  process.getBuiltinModule('node:fs');

/** A larger configuration file is rejected without reading it. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Further names in a directory are ignored: a directory of configuration files never has so many. */
const MAX_FOLDER_NAMES = 10_000;

interface FailedReading {
  readonly kind: 'failed';
  readonly message: string;
  readonly hint: string;
  /** The failure may be temporary: a later read can succeed although the file did not change. */
  readonly isTemporary?: true;
}

/** Absent, failed and read are different results: only `absent` means that there are no entries. */
export type FileReading =
  | { readonly kind: 'absent' }
  | FailedReading
  | { readonly kind: 'read'; readonly text: string };

export type FolderReading =
  | { readonly kind: 'absent' }
  | FailedReading
  | { readonly kind: 'read'; readonly names: readonly FolderName[] };

interface FileStart {
  readonly text: string;
  /** The size of the whole file in bytes. */
  readonly size: number;
}

export interface FolderName {
  readonly name: string;
  readonly folder: boolean;
  readonly link: boolean;
}

/**
 * Access to the disk. Reading is synchronous because a few hundred small files cost a tenth of the CPU time of promises
 * over the thread pool, and nothing else can happen before they are read (docs/decisions/0003).
 */
export interface Files {
  read(path: string): FileReading;
  /**
   * Returns at most `maxBytes` of a regular file, or undefined if it is something else or unreadable. Without this
   * method, discovery does not read programs to find out whether they are Portolan.
   */
  readStart?(path: string, maxBytes: number): FileStart | undefined;
  /**
   * The names in a directory. The caller needs only those that match `pattern` (default `*`); the result may contain
   * others.
   */
  list(path: string, pattern?: string): FolderReading;
  exists(path: string): boolean;
  /** The path after following all links, or undefined if it does not exist. */
  realPath(path: string): string | undefined;
  /** Returns undefined if the path does not exist or is not accessible. */
  status(path: string): FileStatus | undefined;
  /** The content of a regular file; of one larger than `wholeBytes` only the first and the last megabyte. */
  content(path: string, wholeBytes?: number): FileContent;
}

/** The local disk. */
export const diskFiles: Required<Files> = {
  read(path) {
    let descriptor: number;
    try {
      // Most paths do not exist, and `statSync` costs a tenth of the exception that `openSync` would throw.
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return { kind: 'absent' };
      // Without O_NONBLOCK, opening a FIFO blocks until another process writes to it.
      descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      return unread(error);
    }
    try {
      return readOpen(descriptor);
    } catch (error) {
      return unread(error);
    } finally {
      closeSync(descriptor);
    }
  },
  readStart(path, maxBytes) {
    try {
      // Checked before opening, because opening some devices has side effects.
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
      const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      try {
        const { size } = fstatSync(descriptor);
        const bytes = Buffer.allocUnsafe(Math.min(size, maxBytes));
        const length = readSync(descriptor, bytes, 0, bytes.length, 0);
        return { text: decodeText(bytes.subarray(0, length)), size };
      } finally {
        closeSync(descriptor);
      }
    } catch {
      return undefined;
    }
  },
  list(path) {
    try {
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return { kind: 'absent' };
      const entries = readdirSync(path, { withFileTypes: true }).slice(0, MAX_FOLDER_NAMES);
      const names = entries.map((entry) => {
        const link = entry.isSymbolicLink();
        return { name: entry.name, link, folder: link ? isFolder(`${path}/${entry.name}`) : entry.isDirectory() };
      });
      return { kind: 'read', names: names.sort((a, b) => (a.name < b.name ? -1 : 1)) };
    } catch (error) {
      return unread(error);
    }
  },
  exists(path) {
    try {
      return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      // A path without permission may exist; reading it reports the error.
      return unread(error).kind === 'failed';
    }
  },
  realPath(path) {
    try {
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
      return realpathSync(path);
    } catch {
      return undefined;
    }
  },
  status: readStatus,
  content: readContent,
};

function readOpen(descriptor: number): FileReading {
  const stat = fstatSync(descriptor);
  if (stat.isDirectory())
    return failed('is a directory, not a file', 'remove the directory, or put the file in its place');
  if (!stat.isFile()) return failed('is not a regular file', 'put a regular file in its place');
  if (stat.size > MAX_FILE_BYTES) return tooLarge();
  // One extra byte, so that a file that grows during the read is read completely or rejected as too large.
  let bytes = Buffer.allocUnsafe(stat.size + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (count === 0) return { kind: 'read', text: decodeText(bytes.subarray(0, length)) };
    length += count;
    if (length > MAX_FILE_BYTES) return tooLarge();
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
  }
}

/** Decodes UTF-8, or the encoding named by a byte order mark: PowerShell 5 redirects output as UTF-16. */
export function decodeText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.toString('utf8', 3) : bytes.toString();
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // a dangling link
  }
}

const tooLarge = () =>
  failed(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`, 'a configuration file must be smaller; shorten it');

function failed(message: string, hint: string): FailedReading {
  return { kind: 'failed', message, hint };
}

function unread(error: unknown): FailedReading | { readonly kind: 'absent' } {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ENAMETOOLONG':
      return { kind: 'absent' };
    case 'EACCES':
    case 'EPERM':
      return failed('cannot be read: permission denied', 'make the file readable for this user');
    case 'ELOOP':
      return failed('is a link that points to itself', 'remove the link or point it at a file');
    case 'EISDIR':
      return failed('is a directory, not a file', 'remove the directory, or put the file in its place');
    case 'ENXIO':
      return failed('is not a regular file', 'put a regular file in its place');
    case 'EMFILE':
    case 'ENFILE':
      return {
        ...failed(
          'cannot be read now: too many files are open',
          'close other programs, or raise the limit (ulimit -n)',
        ),
        isTemporary: true,
      };
    default:
      if (typeof code !== 'string') throw error;
      return { ...failed(`cannot be read (${code})`, 'check the disk for errors'), isTemporary: true };
  }
}
