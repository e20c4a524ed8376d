import { delimiter, isAbsolute, join } from 'node:path';

/** A program of the user's own path. Relative entries are left out: they would mean a folder that somebody else filled. */
export function findProgram(name: string, alsoIn: readonly string[] = []): string | undefined {
  const { accessSync, constants } = process.getBuiltinModule('node:fs');
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...alsoIn].filter(isAbsolute);
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return folders
    .map((folder) => join(folder, file))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
