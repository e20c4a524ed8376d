import { join } from 'node:path';
import { makeOwnFolder } from './orphans.js';

/** Where a child holds the mark: the first descriptor that no program knows by number. */
export const MARK_DESCRIPTOR = 3;

/** What one server wrote, the next could read. */
const FOR_NOBODY = 0o000;

let marks = 0;

/**
 * Opens an empty file without a name that nobody else on the machine has, and nobody may open. Who holds it was started by
 * us, so the guardian knows also the child whose start we did not live to tell. Undefined where there is no `/proc` to look at.
 */
export function openLaunchMark(folder: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const { constants, openSync, rmSync } = process.getBuiltinModule('node:fs');
  makeOwnFolder(folder);
  marks += 1;
  // Named like an unfinished record: what a kill leaves of it here is swept away with those.
  const path = join(folder, `${process.pid}-${process.hrtime.bigint()}${marks}.tmp`);
  const mark = openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, FOR_NOBODY);
  rmSync(path, { force: true });
  return mark;
}
