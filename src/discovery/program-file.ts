import { delimiter, isAbsolute, join } from 'node:path';
import type { Host } from '../model/index.js';
import { variable } from '../model/index.js';

export type Variables = Readonly<Record<string, string>>;

/** The search path of the system if `PATH` is not set. */
const UNSET_PATH = ['/bin', '/usr/bin'].join(delimiter);

/** The file that the system runs for a program name: found in `PATH`, or relative to the start directory. */
export function programFile(name: string, folder: string, own: Variables, host: Host): string | undefined {
  const isPath = /[/\\]/.test(name);
  const path = ownValue('PATH', own, host) ?? variable(host, 'PATH') ?? UNSET_PATH;
  // An empty part of PATH means the start directory.
  const folders = isPath
    ? [folder]
    : path.split(delimiter).map((part) => (isAbsolute(part) ? part : join(folder, part)));
  const endings = host.platform === 'win32' ? ['', ...endingsOf(own, host)] : [''];
  for (const one of host.platform === 'win32' && !isPath ? [folder, ...folders] : folders) {
    for (const ending of endings) {
      const file = `${isAbsolute(name) ? name : join(one, name)}${ending}`;
      const status = host.files.status(file);
      const mayRun = host.platform === 'win32' || isPath || ((status?.mode ?? 0) & 0o111) !== 0;
      if (status?.kind === 'file' && mayRun) return file;
    }
  }
  return undefined;
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
