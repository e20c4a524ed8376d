import { dirname } from 'node:path';
import type { FileStatus, Files } from '../base/index.js';

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;
const ROOT = 0;
/** On macOS whoever is in this group may become root. */
const MAC_ADMINISTRATORS = 80;

/** Whether another user of the machine can change a file, or put another in its place. Without a user id, as on Windows, this is not known and false. */
export function isWritableByOthers(path: string, files: Files, me: number | undefined): boolean {
  if (me === undefined) return false;
  const own = files.status(path);
  if (!own) return false;
  if (mayWrite(own, me)) return true;
  for (let folder = dirname(path), last = path; folder !== last; last = folder, folder = dirname(folder)) {
    const status = files.status(folder);
    if (!status) return true;
    // In a sticky folder only the owner of an entry may replace it, and the owners of all entries below were checked before.
    if (mayWrite(status, me) && ((status.mode & STICKY) === 0 || !isTrusted(status, me))) return true;
  }
  return false;
}

function isTrusted({ owner }: FileStatus, me: number): boolean {
  return owner === me || owner === ROOT;
}

function mayWrite(status: FileStatus, me: number): boolean {
  const { mode, owner, group } = status;
  if (!isTrusted(status, me) || (mode & OTHERS_WRITE) !== 0) return true;
  // Many systems give each user a group of their own, with the same number.
  const isTrustedGroup =
    group === ROOT || group === owner || (process.platform === 'darwin' && group === MAC_ADMINISTRATORS);
  return (mode & GROUP_WRITES) !== 0 && !isTrustedGroup;
}
