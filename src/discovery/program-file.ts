import { delimiter, isAbsolute, join } from 'node:path';
import type { Host } from '../model/index.js';
import { variable } from '../model/index.js';

export type Variables = Readonly<Record<string, string>>;

/** The search path of the system if `PATH` is not set. */
const UNSET_PATH = ['/bin', '/usr/bin'].join(delimiter);

/** The result of a search for a program. `not-executable` names a file that the system refuses to run. */
export type FoundProgram =
  | { readonly kind: 'found' }
  | { readonly kind: 'not-executable'; readonly file: string }
  | { readonly kind: 'missing' };

/** Looks for a program as the system does: in `PATH`, or relative to the start directory. */
export function findProgram(name: string, folder: string, own: Variables, host: Host): FoundProgram {
  let refused: string | undefined;
  for (const file of candidates(name, folder, own, host)) {
    const status = host.files.status(file);
    if (status?.kind !== 'file') continue;
    if (host.platform === 'win32' || (status.mode & 0o111) !== 0) return { kind: 'found' };
    refused ??= file;
  }
  return refused === undefined ? { kind: 'missing' } : { kind: 'not-executable', file: refused };
}

/**
 * The files that the system may run for a program name, in order: those in `PATH`, or the one relative to the start
 * directory. The system skips a file that only others may execute, so all are returned.
 */
export function programFiles(name: string, folder: string, own: Variables, host: Host): readonly string[] {
  const isPath = /[/\\]/.test(name);
  return candidates(name, folder, own, host).filter((file) => {
    const status = host.files.status(file);
    const mayRun = host.platform === 'win32' || isPath || ((status?.mode ?? 0) & 0o111) !== 0;
    return status?.kind === 'file' && mayRun;
  });
}

/** The files that the system tries, in its order. */
function candidates(name: string, folder: string, own: Variables, host: Host): string[] {
  const isPath = /[/\\]/.test(name);
  const path = ownValue('PATH', own, host) ?? variable(host, 'PATH') ?? UNSET_PATH;
  // An empty part of PATH means the start directory.
  const folders = isPath
    ? [folder]
    : path.split(delimiter).map((part) => (isAbsolute(part) ? part : join(folder, part)));
  const endings = host.platform === 'win32' ? ['', ...endingsOf(own, host)] : [''];
  const searched = host.platform === 'win32' && !isPath ? [folder, ...folders] : folders;
  return searched.flatMap((one) => endings.map((ending) => `${isAbsolute(name) ? name : join(one, name)}${ending}`));
}

function endingsOf(own: Variables, host: Host): string[] {
  return (ownValue('PATHEXT', own, host) ?? variable(host, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD')
    .split(';')
    .filter(Boolean);
}

function ownValue(name: string, own: Variables, { platform }: Host): string | undefined {
  if (platform !== 'win32') return Object.hasOwn(own, name) ? own[name] : undefined;
  return Object.entries(own).findLast(([key]) => key.toUpperCase() === name)?.[1];
}
