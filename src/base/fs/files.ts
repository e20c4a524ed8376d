import { type FileContent, type FileStatus, readContent, readStatus } from './file-content.js';

// Not imported: an import of `node:fs` loads its streams as well, which costs a tenth of the whole start.
const { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync, statSync } =
  process.getBuiltinModule('node:fs');

/** A configuration file larger than this is refused rather than read. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A folder with more names than this is not a folder of configuration files; the rest is left unread. */
const MAX_FOLDER_NAMES = 10_000;

interface FailedReading {
  readonly kind: 'failed';
  readonly message: string;
  readonly hint: string;
  /** It is not for what the file is that it could not be read: later it may be, with nobody having touched it. */
  readonly mayPass?: true;
}

/** Absent, failed and read are three answers: only the first means that nobody wrote anything. */
export type FileReading =
  | { readonly kind: 'absent' }
  | FailedReading
  | { readonly kind: 'read'; readonly text: string };

export type FolderReading =
  | { readonly kind: 'absent' }
  | FailedReading
  | { readonly kind: 'read'; readonly names: readonly FolderName[] };

/** The first bytes of a file as text. */
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
 * The port to the disk. Reading is synchronous on purpose: some two hundred small files cost a tenth of the CPU time
 * that promises over the thread pool cost, and nothing else can happen before they are read (docs/decisions/0003).
 */
export interface Files {
  read(path: string): FileReading;
  /**
   * At most this many bytes of a regular file; undefined for anything else and for what cannot be read. Without this method no
   * program is read to tell whether it is Portolan.
   */
  readStart?(path: string, maxBytes: number): FileStart | undefined;
  /** The names in a folder. Only those that match the pattern (`*` by default) matter to the caller; others may be among them. */
  list(path: string, pattern?: string): FolderReading;
  exists(path: string): boolean;
  /** The path with every link followed, or undefined where there is nothing. */
  realPath(path: string): string | undefined;
  /** Undefined where there is nothing, or nothing that may be looked at. */
  status(path: string): FileStatus | undefined;
  /** The bytes of a regular file; of one with more than `wholeBytes` only the first and the last MB. */
  content(path: string, wholeBytes?: number): FileContent;
}

/** The machine's own disk. */
export const diskFiles: Required<Files> = {
  read(path) {
    let descriptor: number;
    try {
      // Most places are empty, and asking costs a tenth of the exception that opening them would throw.
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return { kind: 'absent' };
      // Without O_NONBLOCK, opening a FIFO waits for someone to write to it.
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
      // Checked before it is opened: opening some devices has an effect.
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
      // What may not be looked at may well be there: reading it will say what is wrong.
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
  if (stat.isDirectory()) return failed('is a folder, not a file', 'remove the folder, or put the file in its place');
  if (!stat.isFile()) return failed('is not a regular file', 'put a regular file in its place');
  if (stat.size > MAX_FILE_BYTES) return tooLarge();
  // One byte more than the size says, so that a file that grows meanwhile is read to its end or found too large.
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

/** UTF-8, or what a byte order mark says: PowerShell 5 writes UTF-16 when it redirects into a file. */
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
  failed(`is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`, 'a file of this size is no configuration; shorten it');

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
      return failed('may not be read', 'make it readable for this user');
    case 'ELOOP':
      return failed('is a link that leads back to itself', 'remove the link or point it at a file');
    case 'EISDIR':
      return failed('is a folder, not a file', 'remove the folder, or put the file in its place');
    case 'ENXIO':
      return failed('is not a regular file', 'put a regular file in its place');
    case 'EMFILE':
    case 'ENFILE':
      return {
        ...failed('cannot be read now: too many files are open', 'close some, or raise the limit'),
        mayPass: true,
      };
    default:
      if (typeof code !== 'string') throw error;
      return { ...failed(`cannot be read (${code})`, 'see that the disk it is on works'), mayPass: true };
  }
}
