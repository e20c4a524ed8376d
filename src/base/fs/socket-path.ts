import type { Stats } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { ErrorCode, PortolanError } from '../errors.js';

/** What was said about where the socket lies, the first of these first. */
export interface SocketWish {
  readonly flag?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As the user's settings say. */
  readonly setting?: string | undefined;
  readonly home: string;
}

const NAME = 'mcp-bridge.sock';
/** The system's own limits, less the end of the text. */
const MAX_PATH_BYTES = { linux: 107, other: 103 } as const;
const OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const PRIVATE_FOLDER = 0o700;
const ROOT = 0;

/** Where the daemon of this user listens; both ends ask here, so that they agree. */
export function socketPlace({ flag, env, setting, home }: SocketWish, temporary = '/tmp'): string {
  const said = flag || env.MCP_BRIDGE_SOCKET || setting;
  if (said) return checkedPath(said.startsWith('~/') ? join(home, said.slice(2)) : said);
  if (process.platform === 'win32') return `\\\\.\\pipe\\mcp-bridge-${env.USERNAME ?? 'user'}`;
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime && isAbsolute(runtime)) return checkedPath(join(runtime, NAME));
  return sharedPlace(temporary);
}

/** Where the daemon links to its socket if it listens in the runtime folder of the user. The variable is for tests. */
export function legacySocketPath(env: SocketWish['env']): string {
  return checkedPath(env.MCP_BRIDGE_LEGACY_LINK || join('/tmp', NAME));
}

/** Whether a socket lies in the folder that the system gives this user. */
export function isInRuntimeFolder(path: string, { XDG_RUNTIME_DIR: folder }: SocketWish['env']): boolean {
  return folder !== undefined && isAbsolute(folder) && resolve(path).startsWith(`${resolve(folder)}${sep}`);
}

/** Anybody may take a name in the folder of all: then ours is in a folder of our own, and stays there. */
function sharedPlace(temporary: string): string {
  const usual = join(temporary, NAME);
  const own = join(temporary, `mcp-bridge-${process.geteuid?.() ?? 0}`, NAME);
  const found = factsOf(usual);
  // A daemon that has the runtime folder links to its socket. A client without that folder must mean the same daemon.
  const linked = found?.isSymbolicLink() && isOurs(found) ? linkTarget(usual) : undefined;
  if (linked !== undefined && factsOf(dirname(linked))?.isDirectory()) return checkedPath(linked);
  const isTaken = found !== undefined && !isOurs(found);
  const inside = factsOf(own);
  return isTaken || (inside !== undefined && isOurs(inside)) ? own : usual;
}

function checkedPath(path: string): string {
  if (isPipeName(path)) return path;
  if (!isAbsolute(path))
    throw new PortolanError(ErrorCode.Usage, `the socket ${path} is not an absolute path`, {
      hint: 'two programs in two folders must mean the same one',
    });
  const most = process.platform === 'linux' ? MAX_PATH_BYTES.linux : MAX_PATH_BYTES.other;
  if (Buffer.byteLength(path) > most || path.includes('\0'))
    throw new PortolanError(ErrorCode.Usage, `the path of the socket is longer than ${most} bytes`, {
      hint: 'choose a shorter one with MCP_BRIDGE_SOCKET',
    });
  return path;
}

/** Whether there is a socket of ours that only we can use; anything else in its place is refused and not touched. */
export function checkSocket(path: string): 'there' | 'absent' {
  return socketAt(path) === undefined ? 'absent' : 'there';
}

/** The path of the socket, which is another one where a daemon of ours has linked to it. Owners of link, socket and folders are checked. */
export function socketAt(path: string): string | undefined {
  if (isPipeName(path)) return path; // the system keeps other users out
  const found = factsInside(path);
  // A daemon makes its link in a sticky folder, and a link anywhere else is refused like any file.
  if (!found?.isSymbolicLink() || !isStickyFolder(dirname(path))) return found && checkedSocket(path, found);
  if (!isOurs(found)) throw refused(path, 'belongs to another user');
  const target = linkTarget(path);
  const behind = target === undefined ? undefined : factsInside(target);
  return target !== undefined && behind ? checkedSocket(target, behind) : undefined;
}

function checkedSocket(path: string, found: Stats): string {
  if (!found.isSocket()) throw refused(path, 'is not a socket');
  if (!isOurs(found)) throw refused(path, 'belongs to another user');
  if (process.platform !== 'win32' && (found.mode & OTHERS) !== 0) throw refused(path, 'is open to others');
  return path;
}

/** What lies there, in a folder in which nobody else can put something in its place. */
function factsInside(path: string): Stats | undefined {
  const folder = dirname(path);
  const around = process.getBuiltinModule('node:fs').statSync(folder, { throwIfNoEntry: false });
  if (around === undefined) return undefined;
  checkFolder(folder, around);
  return factsOf(path);
}

/** Where a link leads; undefined if it is gone. */
export function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), process.getBuiltinModule('node:fs').readlinkSync(path));
  } catch {
    return undefined;
  }
}

/** The folder of the socket is made if it is missing, closed to everybody else. */
export function makeSocketFolder(path: string): void {
  if (isPipeName(path)) return;
  process.getBuiltinModule('node:fs').mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
}

/** Who owns the folder decides what lies in it: it is ours alone, or one where nobody can take away what is ours. */
function checkFolder(folder: string, around: Stats): void {
  if (!around.isDirectory()) throw refused(folder, 'is not a folder');
  const { uid, mode } = around;
  if (process.platform === 'win32') return;
  const isSticky = (mode & STICKY) !== 0;
  if (!isOurs({ uid }) && uid !== ROOT) throw refused(folder, 'belongs to another user');
  if (isSticky) return;
  if (isOurs({ uid }) ? (mode & OTHERS) !== 0 : (mode & WRITABLE_BY_OTHERS) !== 0)
    throw refused(folder, 'is open to others', 'close it with chmod 700, or choose another with MCP_BRIDGE_SOCKET');
}

/** Whether other users can add names to this folder and cannot take away ours. */
export function isStickyFolder(folder: string): boolean {
  const around = process.getBuiltinModule('node:fs').statSync(folder, { throwIfNoEntry: false });
  const isSafe = around !== undefined && (isOurs(around) || around.uid === ROOT);
  return isSafe && around.isDirectory() && (around.mode & STICKY) !== 0;
}

/** What lies there, without following a link. */
export function factsOf(path: string): Stats | undefined {
  return process.getBuiltinModule('node:fs').lstatSync(path, { throwIfNoEntry: false });
}

export function isPipeName(path: string): boolean {
  return path.startsWith('\\\\.\\pipe\\') || path.startsWith('\\\\?\\pipe\\');
}

export function isOurs({ uid }: Pick<Stats, 'uid'>): boolean {
  const user = process.geteuid?.();
  return user === undefined || user === uid;
}

function refused(path: string, why: string, hint = 'move it away, or choose another with MCP_BRIDGE_SOCKET') {
  return new PortolanError(ErrorCode.ConnectionError, `${path} ${why}`, { hint });
}
