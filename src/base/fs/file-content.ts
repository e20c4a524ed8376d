const { closeSync, constants, fstatSync, openSync, readSync, statSync } = process.getBuiltinModule('node:fs');

const MB = 1024 * 1024;
/** Of a larger file only the first and the last megabyte are read. */
export const MAX_WHOLE_BYTES = 10 * MB;
const END_BYTES = MB;

/** The status of a path, after following links. */
export interface FileStatus {
  readonly kind: 'file' | 'folder' | 'other';
  readonly mode: number;
  readonly owner: number;
  readonly group: number;
}

/** The content of a regular file, or its first and last megabyte. Other kinds of files are never opened. */
export type FileContent =
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'ends'; readonly bytes: Uint8Array; readonly size: number; readonly inode: number }
  | { readonly kind: 'unreadable'; readonly why: string };

export function readStatus(path: string): FileStatus | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return undefined;
    const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
    return { kind, mode: stat.mode, owner: stat.uid, group: stat.gid };
  } catch {
    return undefined; // a loop of links, a directory without permission to enter, or a path with a NUL character
  }
}

/** Reads a regular file of at most `wholeBytes` completely, and the first and last megabyte of a larger one. */
export function readContent(path: string, wholeBytes = MAX_WHOLE_BYTES): FileContent {
  let descriptor: number | undefined;
  try {
    // Opening a device or a FIFO can have side effects. O_NONBLOCK covers one that replaces the file after this check.
    if (!statSync(path).isFile()) return { kind: 'unreadable', why: 'not a regular file' };
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { kind: 'unreadable', why: 'not a regular file' };
    if (stat.size <= wholeBytes) {
      const bytes = readUpTo(descriptor, stat.size, wholeBytes);
      if (bytes) return { kind: 'whole', bytes };
    }
    const { size, ino: inode } = fstatSync(descriptor);
    const ends = [readAt(descriptor, 0), readAt(descriptor, Math.max(0, size - END_BYTES))];
    return { kind: 'ends', bytes: Buffer.concat(ends), size, inode };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return { kind: 'unreadable', why: code === '' ? 'unreadable' : `unreadable (${code})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Returns all bytes, or undefined if the file has more than `limit`. */
function readUpTo(descriptor: number, expected: number, limit: number): Uint8Array | undefined {
  let bytes = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, length);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
    if (length > limit) return undefined;
    if (length === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(bytes.length)]);
  }
}

function readAt(descriptor: number, position: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(END_BYTES);
  let length = 0;
  while (length < END_BYTES) {
    const count = readSync(descriptor, bytes, length, END_BYTES - length, position + length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}
