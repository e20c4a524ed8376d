import { delimiter, dirname, join } from 'node:path';

/** Paths joined by the PATH separator. */
declare const PORTOLAN_HIDDEN_PROGRAMS: string | undefined;

/** Paths that a build for tests treats as absent. The released build hides none, and no setting can change that. */
export const HIDDEN_PROGRAMS: readonly string[] =
  typeof PORTOLAN_HIDDEN_PROGRAMS === 'undefined' ? [] : PORTOLAN_HIDDEN_PROGRAMS.split(delimiter);

/** The directories in which administrators and package managers install programs. */
const SYSTEM_FOLDERS: readonly string[] = ['/usr/bin', '/usr/local/bin', '/bin', '/opt/homebrew/bin', '/snap/bin'];
/** Constants, because a variable such as ProgramFiles could name a project directory. */
const WINDOWS_FOLDERS: readonly string[] = [
  'C:\\Program Files\\Docker\\Docker\\resources\\bin',
  'C:\\Program Files\\RedHat\\Podman',
  'C:\\Program Files\\Podman',
];
const WINDOWS_PATH: readonly string[] = ['C:\\Windows\\System32', 'C:\\Windows'];
const ROOT = 0;
/** Members of this group can become root on macOS, so the directories of Homebrew and of applications are trusted. */
const MAC_ADMINISTRATORS = 80;
const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/** The directories that are searched for engines. */
export const ENGINE_FOLDERS = process.platform === 'win32' ? WINDOWS_FOLDERS : SYSTEM_FOLDERS;

/** The PATH that an engine gets. */
export const ENGINE_PATH =
  process.platform === 'win32' ? WINDOWS_PATH.join(';') : [...SYSTEM_FOLDERS, '/usr/sbin', '/sbin'].join(':');

/**
 * Finds a program that runs with all rights of the user. It never uses PATH: the daemon's PATH comes from the client that
 * started it and may begin with a project directory.
 */
export function findTrustedProgram(name: string, alsoIn: readonly string[] = []): string | undefined {
  return programIn([...ENGINE_FOLDERS, ...alsoIn], name);
}

/** The first program of this name that only the user or an administrator can change. */
export function programIn(folders: readonly string[], name: string): string | undefined {
  const { accessSync, constants, realpathSync } = process.getBuiltinModule('node:fs');
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return folders
    .map((folder) => join(folder, file))
    .filter((path) => !HIDDEN_PROGRAMS.includes(path))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        // Check both ends of a symlink: changing either one changes the program.
        return isTrusted(realpathSync(dirname(path)), 'folder') && isTrusted(realpathSync(path), 'file');
      } catch {
        return false;
      }
    });
}

/** Whether only the user or an administrator can change the file or replace it through a parent directory. */
function isTrusted(path: string, kind: 'file' | 'folder' | 'above'): boolean {
  const facts = process.getBuiltinModule('node:fs').statSync(path);
  if (facts.isFile() !== (kind === 'file')) return false;
  const own = process.geteuid?.();
  if (own === undefined) return true; // Windows, where file modes have no meaning
  const { uid, gid, mode } = facts;
  if (uid !== ROOT && uid !== own) return false;
  // In a sticky directory like /tmp, existing subdirectories are safe, but a program directly in it is not.
  const isSticky = kind === 'above' && (mode & STICKY) !== 0;
  if ((mode & WRITABLE_BY_ALL) !== 0 && !isSticky) return false;
  if ((mode & WRITABLE_BY_GROUP) !== 0 && !isSticky && !isTrustedGroup(gid, uid)) return false;
  return dirname(path) === path || isTrusted(dirname(path), kind === 'file' ? 'folder' : 'above');
}

/** Many systems give each user a private group with the same number and make files writable for it. */
function isTrustedGroup(gid: number, owner: number): boolean {
  return gid === ROOT || gid === owner || (process.platform === 'darwin' && gid === MAC_ADMINISTRATORS);
}
