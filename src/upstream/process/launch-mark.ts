import { join } from 'node:path';
import { makeOwnFolder } from './orphans.js';

/** The descriptor number of the mark: the first one after stdin, stdout and stderr. */
export const MARK_DESCRIPTOR = 3;

/** No access rights: otherwise servers could exchange data through the file. */
const NO_ACCESS = 0o000;

let marks = 0;

/**
 * Opens an empty, unlinked file that no other process can open. Every child inherits it, so the guardian recognises a child
 * even if our process ended before it could report the start. Undefined without `/proc`.
 */
export function openLaunchMark(folder: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const { constants, openSync, rmSync } = process.getBuiltinModule('node:fs');
  makeOwnFolder(folder);
  marks += 1;
  // Named like an unfinished record, so that `killOrphans` also removes a file left behind by a kill.
  const path = join(folder, `${process.pid}-${process.hrtime.bigint()}${marks}.tmp`);
  const mark = openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, NO_ACCESS);
  rmSync(path, { force: true });
  return mark;
}
