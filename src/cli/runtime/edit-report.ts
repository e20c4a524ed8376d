import type { EditedFile } from '../../config-edit/index.js';
import type { Io } from './command.js';
import { paint, shortPath } from './terminal-text.js';

/** What was done to a file, for programs. */
export function changeOf({ kind, path, backup }: EditedFile) {
  return { file: path, change: kind, ...(backup !== undefined && { backup }) };
}

/** The same for people, below the line that says why. */
export function changeLines({ kind, path, backup }: EditedFile, io: Io): string[] {
  const file = shortPath(path, io.home);
  const said = {
    created: `made ${file}`,
    changed: `changed ${file}`,
    unchanged: `${file} is as it was`,
    removed: `took ${file} away: nothing else was in it`,
  }[kind];
  const kept = backup === undefined ? [] : [`  backup: ${shortPath(backup, io.home)}`];
  return [`  ${said}`, ...kept].map((line) => paint(io, 'dim', line));
}
