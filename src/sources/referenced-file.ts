import { isAbsolute, join } from 'node:path';
import type { Host } from '../model/index.js';

/** The limit for a token or key in a file. */
const MAX_VALUE_CHARACTERS = 64 * 1024;

/** The text of a file that a value refers to, without the final line break. */
export function referencedFile(path: string, folder: string, host: Host): string | undefined {
  const full = path.startsWith('~/') ? join(host.home, path.slice(2)) : isAbsolute(path) ? path : join(folder, path);
  const reading = host.files.read(full);
  return reading.kind === 'read' && reading.text.length <= MAX_VALUE_CHARACTERS ? reading.text.trim() : undefined;
}
