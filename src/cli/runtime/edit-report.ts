import type { EditedFile } from '../../config-edit/index.js';
import type { Io } from './command.js';
import { paint, shortPath } from './terminal-text.js';

/** The change to a file, for --json. */
export function changeOf({ kind, path, backup }: EditedFile) {
  return { file: path, change: kind, ...(backup !== undefined && { backup }) };
}

/** The same as lines of text. */
export function changeLines({ kind, path, backup }: EditedFile, io: Io): string[] {
  const file = shortPath(path, io.home);
  const shown = {
    created: `created ${file}`,
    changed: `changed ${file}`,
    unchanged: `${file} is unchanged`,
    removed: `deleted ${file}: it had no other entry`,
  }[kind];
  const kept = backup === undefined ? [] : [`  backup: ${shortPath(backup, io.home)}`];
  return [`  ${shown}`, ...kept].map((line) => paint(io, 'dim', line));
}
