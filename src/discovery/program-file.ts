import { delimiter, isAbsolute, join } from 'node:path';
import type { Host } from '../model/index.js';
import { variable } from '../model/index.js';

export type Variables = Readonly<Record<string, string>>;

/** The search path of the system if `PATH` is not set. */
const UNSET_PATH = ['/bin', '/usr/bin'].join(delimiter);

/**
 * The files that the system may run for a program name, in order: those in `PATH`, or the one relative to the start
 * directory. The system skips a file that only others may execute, so all are returned.
 */
export function programFiles(name: string, folder: string, own: Variables, host: Host): readonly string[] {
  const isPath = /[/\\]/.test(name);
  const path = ownValue('PATH', own, host) ?? variable(host, 'PATH') ?? UNSET_PATH;
  // An empty part of PATH means the start directory.
  const folders = isPath
    ? [folder]
    : path.split(delimiter).map((part) => (isAbsolute(part) ? part : join(folder, part)));
  const endings = host.platform === 'win32' ? ['', ...endingsOf(own, host)] : [''];
  const searched = host.platform === 'win32' && !isPath ? [folder, ...folders] : folders;
  const files = searched.flatMap((one) =>
    endings.map((ending) => `${isAbsolute(name) ? name : join(one, name)}${ending}`),
  );
  return files.filter((file) => {
    const status = host.files.status(file);
    const mayRun = host.platform === 'win32' || isPath || ((status?.mode ?? 0) & 0o111) !== 0;
    return status?.kind === 'file' && mayRun;
  });
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
