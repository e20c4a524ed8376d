import { join } from 'node:path';
import { makeOwnFolder } from './strays.js';

/** Where a child holds the mark: the first descriptor that no program knows by number. */
export const MARK_DESCRIPTOR = 3;

let marks = 0;

/**
 * Opens an empty file without a name that nobody else on the machine has. Who holds it was started by us, so the guardian
 * knows also the child whose start we did not live to tell. Undefined where nobody could look: that takes `/proc`.
 */
export function openLaunchMark(folder: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const { constants, openSync, rmSync } = process.getBuiltinModule('node:fs');
  makeOwnFolder(folder);
  marks += 1;
  // Named like an unfinished record: what a kill leaves of it here is swept away with those.
  const path = join(folder, `${process.pid}-${process.hrtime.bigint()}${marks}.tmp`);
  const mark = openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  rmSync(path);
  return mark;
}
