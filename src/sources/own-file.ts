import { dirname, join, relative } from 'node:path';
import type { Files } from '../base/index.js';
import { baseName } from './command-line.js';

/** The name of Portolan in clients' files, in the npm registry and on PATH. */
export const OUR_NAME = 'portolan';
/** `scripts/build.mjs` writes this marker into the program files. */
const MARK = /^#![^\r\n]*\r?\n\/\* Portolan, an MCP gateway \*\//;
/** The program files of the package; its examples count as other servers. */
const OUR_ENTRY = /^(?:dist[\\/](?:cli|main|index|program)|bin[\\/]cli|src[\\/]cli[\\/]main)\.[cm]?[jt]s$/;
const ENTRY_NAMES = new Set(['cli', 'main', 'index', 'program']);
/** The largest distance between a program file and its `package.json`. */
const MAX_ABOVE = 3;
const MAX_MANIFEST_BYTES = 64 * 1024;

/** Whether the file is the program of a copy of Portolan, whatever its name and directory are. */
export function isOwnFile(path: string, beginning: string, files: Files): boolean {
  return MARK.test(beginning) || (ENTRY_NAMES.has(baseName(path)) && isOwnEntry(path, files));
}

/** Whether the directory has the `package.json` of Portolan. */
export function isOwnFolder(folder: string, files: Files): boolean {
  const manifest = files.readStart?.(join(folder, 'package.json'), MAX_MANIFEST_BYTES);
  return manifest !== undefined && isOurs(manifest.text);
}

function isOwnEntry(path: string, files: Files): boolean {
  let folder = dirname(path);
  for (let above = 0; above < MAX_ABOVE; above += 1) {
    const manifest = files.readStart?.(join(folder, 'package.json'), MAX_MANIFEST_BYTES);
    if (manifest) return isOurs(manifest.text) && OUR_ENTRY.test(relative(folder, path));
    folder = dirname(folder);
  }
  return false;
}

function isOurs(manifest: string): boolean {
  if (!manifest.includes(OUR_NAME)) return false;
  try {
    const { name, bin } = Object(JSON.parse(manifest));
    return name === OUR_NAME && typeof Object(bin)[OUR_NAME] === 'string';
  } catch {
    return false;
  }
}
