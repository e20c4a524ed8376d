import { dirname } from 'node:path';
import type { FileStatus, Files } from '../base/index.js';

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;
const ROOT = 0;
/** Members of this group can become root on macOS. */
const MAC_ADMINISTRATORS = 80;

/**
 * Whether another user of the machine can change a file or replace it. Without a user id, as on Windows, this is unknown
 * and the result is false.
 */
export function isWritableByOthers(path: string, files: Files, me: number | undefined): boolean {
  if (me === undefined) return false;
  const own = files.status(path);
  if (!own) return false;
  if (mayWrite(own, me)) return true;
  for (let folder = dirname(path), last = path; folder !== last; last = folder, folder = dirname(folder)) {
    const status = files.status(folder);
    if (!status) return true;
    // In a sticky directory only the owner of an entry can replace it; the owners of the entries below are already
    // checked.
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
  // Many systems give each user a private group with the same number.
  const isTrustedGroup =
    group === ROOT || group === owner || (process.platform === 'darwin' && group === MAC_ADMINISTRATORS);
  return (mode & GROUP_WRITES) !== 0 && !isTrustedGroup;
}
