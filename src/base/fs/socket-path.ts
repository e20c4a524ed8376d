import type { Stats } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { ErrorCode, PortolanError } from '../errors.js';

/** The possible sources of the socket path, highest precedence first. */
export interface SocketPathSources {
  readonly flag?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From the user's settings. */
  readonly setting?: string | undefined;
  readonly home: string;
}

const NAME = 'mcp-bridge.sock';
/** The limits of the system, without the terminating NUL. */
const MAX_PATH_BYTES = { linux: 107, other: 103 } as const;
const OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const PRIVATE_FOLDER = 0o700;
const ROOT = 0;

/** The socket path of this user's daemon. The daemon and its clients both call this function, so that they agree. */
export function daemonSocketPath({ flag, env, setting, home }: SocketPathSources, temporary = '/tmp'): string {
  const wanted = flag || env.MCP_BRIDGE_SOCKET || setting;
  if (wanted) return checkedPath(wanted.startsWith('~/') ? join(home, wanted.slice(2)) : wanted);
  if (process.platform === 'win32') return `\\\\.\\pipe\\mcp-bridge-${env.USERNAME ?? 'user'}`;
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime && isAbsolute(runtime)) return checkedPath(join(runtime, NAME));
  return sharedSocketPath(temporary);
}

/**
 * The path of the link that the daemon creates if its socket is in the user's runtime directory. Tests set the
 * variable.
 */
export function legacySocketPath(env: SocketPathSources['env']): string {
  return checkedPath(env.MCP_BRIDGE_LEGACY_LINK || join('/tmp', NAME));
}

/** Returns whether the socket is in the user's runtime directory (`XDG_RUNTIME_DIR`). */
export function isInRuntimeFolder(path: string, { XDG_RUNTIME_DIR: folder }: SocketPathSources['env']): boolean {
  return folder !== undefined && isAbsolute(folder) && resolve(path).startsWith(`${resolve(folder)}${sep}`);
}

/** Another user can take our name in the shared directory. Then the socket is in a private directory, permanently. */
function sharedSocketPath(temporary: string): string {
  const usual = join(temporary, NAME);
  const own = join(temporary, `mcp-bridge-${process.geteuid?.() ?? 0}`, NAME);
  const found = factsOf(usual);
  // A daemon with a runtime directory links to its socket, so that a client without that variable reaches the same
  // daemon.
  const linked = found?.isSymbolicLink() && isOurs(found) ? linkTarget(usual) : undefined;
  if (linked !== undefined && factsOf(dirname(linked))?.isDirectory()) return checkedPath(linked);
  const isTaken = found !== undefined && !isOurs(found);
  const inside = factsOf(own);
  return isTaken || (inside !== undefined && isOurs(inside)) ? own : usual;
}

function checkedPath(path: string): string {
  if (isPipeName(path)) return path;
  if (!isAbsolute(path))
    throw new PortolanError(ErrorCode.Usage, `the socket path ${path} is not absolute`, {
      hint: 'use an absolute path, because a relative one depends on the working directory',
    });
  const most = process.platform === 'linux' ? MAX_PATH_BYTES.linux : MAX_PATH_BYTES.other;
  if (Buffer.byteLength(path) > most || path.includes('\0'))
    throw new PortolanError(ErrorCode.Usage, `the socket path is longer than ${most} bytes`, {
      hint: 'choose a shorter one with MCP_BRIDGE_SOCKET',
    });
  return path;
}

/** Returns whether our socket exists and is private. Anything else at this path is an error and is not modified. */
export function checkSocket(path: string): 'there' | 'absent' {
  return socketAt(path) === undefined ? 'absent' : 'there';
}

/**
 * The path of the socket after following our daemon's link. Checks the owners of the link, the socket and the
 * directories.
 */
export function socketAt(path: string): string | undefined {
  if (isPipeName(path)) return path; // Windows keeps other users out
  const found = factsInside(path);
  // The daemon creates its link only in a sticky directory; a link anywhere else is rejected like a regular file.
  if (!found?.isSymbolicLink() || !isStickyFolder(dirname(path))) return found && checkedSocket(path, found);
  if (!isOurs(found)) throw refused(path, 'belongs to another user');
  const target = linkTarget(path);
  const behind = target === undefined ? undefined : factsInside(target);
  return target !== undefined && behind ? checkedSocket(target, behind) : undefined;
}

function checkedSocket(path: string, found: Stats): string {
  if (!found.isSocket()) throw refused(path, 'is not a socket');
  if (!isOurs(found)) throw refused(path, 'belongs to another user');
  if (process.platform !== 'win32' && (found.mode & OTHERS) !== 0) throw refused(path, 'is accessible to other users');
  return path;
}

/** The status of a path in a directory where no other user can replace it. */
function factsInside(path: string): Stats | undefined {
  const folder = dirname(path);
  const around = process.getBuiltinModule('node:fs').statSync(folder, { throwIfNoEntry: false });
  if (around === undefined) return undefined;
  checkFolder(folder, around);
  return factsOf(path);
}

/** The target of a link, or undefined if the link is gone. */
export function linkTarget(path: string): string | undefined {
  try {
    return resolve(dirname(path), process.getBuiltinModule('node:fs').readlinkSync(path));
  } catch {
    return undefined;
  }
}

/** Creates the directory of the socket if it is missing, private to this user. */
export function makeSocketFolder(path: string): void {
  if (isPipeName(path)) return;
  process.getBuiltinModule('node:fs').mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
}

/** The owner of a directory can replace its content: it must be ours and private, or sticky. */
function checkFolder(folder: string, around: Stats): void {
  if (!around.isDirectory()) throw refused(folder, 'is not a directory');
  const { uid, mode } = around;
  if (process.platform === 'win32') return;
  const isSticky = (mode & STICKY) !== 0;
  if (!isOurs({ uid }) && uid !== ROOT) throw refused(folder, 'belongs to another user');
  if (isSticky) return;
  if (isOurs({ uid }) ? (mode & OTHERS) !== 0 : (mode & WRITABLE_BY_OTHERS) !== 0)
    throw refused(
      folder,
      'is accessible to other users',
      'run chmod 700 on it, or choose another directory with MCP_BRIDGE_SOCKET',
    );
}

/** Returns whether other users can create files in this directory but cannot remove ours. */
export function isStickyFolder(folder: string): boolean {
  const around = process.getBuiltinModule('node:fs').statSync(folder, { throwIfNoEntry: false });
  const isSafe = around !== undefined && (isOurs(around) || around.uid === ROOT);
  return isSafe && around.isDirectory() && (around.mode & STICKY) !== 0;
}

/** The status of a path, without following links. */
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

function refused(path: string, why: string, hint = 'move it away, or choose another path with MCP_BRIDGE_SOCKET') {
  return new PortolanError(ErrorCode.ConnectionError, `${path} ${why}`, { hint });
}
