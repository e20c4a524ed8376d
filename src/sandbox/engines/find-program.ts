import { delimiter, dirname, join } from 'node:path';

/** Paths with the separator of PATH between them. */
declare const PORTOLAN_HIDDEN_PROGRAMS: string | undefined;

/** Paths that a build for tests treats as absent. The shipped build hides none, and no variable or setting can change that. */
export const HIDDEN_PROGRAMS: readonly string[] =
  typeof PORTOLAN_HIDDEN_PROGRAMS === 'undefined' ? [] : PORTOLAN_HIDDEN_PROGRAMS.split(delimiter);

/** Where administrators and their packages put programs. */
const SYSTEM_FOLDERS: readonly string[] = ['/usr/bin', '/usr/local/bin', '/bin', '/opt/homebrew/bin', '/snap/bin'];
/** Written out: a variable that names them could name a folder of a project. */
const WINDOWS_FOLDERS: readonly string[] = [
  'C:\\Program Files\\Docker\\Docker\\resources\\bin',
  'C:\\Program Files\\RedHat\\Podman',
  'C:\\Program Files\\Podman',
];
const WINDOWS_PATH: readonly string[] = ['C:\\Windows\\System32', 'C:\\Windows'];
const ROOT = 0;
/** On macOS whoever is in this group may become root; the folders of Homebrew and of applications are theirs. */
const MAC_ADMINISTRATORS = 80;
const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/** The folders in which engines are looked for. */
export const ENGINE_FOLDERS = process.platform === 'win32' ? WINDOWS_FOLDERS : SYSTEM_FOLDERS;

/** What an engine is given as its own PATH. */
export const ENGINE_PATH =
  process.platform === 'win32' ? WINDOWS_PATH.join(';') : [...SYSTEM_FOLDERS, '/usr/sbin', '/sbin'].join(':');

/**
 * A program that runs with all rights of the user. Never by PATH: a daemon has it from whoever came first, which may be
 * a project that puts a folder of its own before all others, and runs the program for everybody.
 */
export function findProgram(name: string, alsoIn: readonly string[] = []): string | undefined {
  return programIn([...ENGINE_FOLDERS, ...alsoIn], name);
}

/** The first program of this name that only its user or an administrator could have put there. */
export function programIn(folders: readonly string[], name: string): string | undefined {
  const { accessSync, constants, realpathSync } = process.getBuiltinModule('node:fs');
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return folders
    .map((folder) => join(folder, file))
    .filter((path) => !HIDDEN_PROGRAMS.includes(path))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        // Both ends of a link: who may change either decides what runs.
        return isOurs(realpathSync(dirname(path)), 'folder') && isOurs(realpathSync(path), 'file');
      } catch {
        return false;
      }
    });
}

/** Whether nobody else can change it, or put another in its place by a folder above it. */
function isOurs(path: string, kind: 'file' | 'folder' | 'above'): boolean {
  const facts = process.getBuiltinModule('node:fs').statSync(path);
  if (facts.isFile() !== (kind === 'file')) return false;
  const own = process.geteuid?.();
  if (own === undefined) return true; // Windows: modes say nothing there
  const { uid, gid, mode } = facts;
  if (uid !== ROOT && uid !== own) return false;
  // Where only owners may take things away, as in /tmp, what lies in it is safe; what is looked for there is not.
  const isKept = kind === 'above' && (mode & STICKY) !== 0;
  if ((mode & WRITABLE_BY_ALL) !== 0 && !isKept) return false;
  if ((mode & WRITABLE_BY_GROUP) !== 0 && !isKept && !isTrustedGroup(gid, uid)) return false;
  return dirname(path) === path || isOurs(dirname(path), kind === 'file' ? 'folder' : 'above');
}

/** Many systems give every user a group of the same number, with nobody else in it, and let it write. */
function isTrustedGroup(gid: number, owner: number): boolean {
  return gid === ROOT || gid === owner || (process.platform === 'darwin' && gid === MAC_ADMINISTRATORS);
}
