import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorCode, PortolanError, randomKey } from '../base/index.js';
import { KEY_NAME } from './audit-file-names.js';
import { isHash } from './parse-fields.js';
import { createWhole, readSmall } from './private-files.js';

const MAX_KEY_BYTES = 1024;
/** How long a key may stay unfinished, on a disk where it cannot appear whole. */
const UNFINISHED_TRIES = 20;
const UNFINISHED_PAUSE_MS = 50;

/** The key of all chains in a folder, or undefined where there is none. */
export async function readKey(folder: string): Promise<string | undefined> {
  const path = join(folder, KEY_NAME);
  for (let tries = 1; ; tries += 1) {
    const text = (await readSmall(path, MAX_KEY_BYTES))?.trim();
    if (text === undefined || isHash(text)) return text;
    if (tries >= UNFINISHED_TRIES)
      throw new PortolanError(ErrorCode.WriteRefused, `${path} is not a key`, {
        hint: 'move it away; what was recorded under the old one can then no longer be verified',
      });
    await pause(UNFINISHED_PAUSE_MS);
  }
}

/** The key, made if there is none, or put back; of several who do so at once, the first wins and the others read his. */
export async function ensureKey(folder: string, before?: string): Promise<string> {
  const found = await readKey(folder);
  if (found !== undefined) return found;
  const fresh = before ?? randomKey();
  if (await createWhole(join(folder, KEY_NAME), `${fresh}\n`)) return fresh;
  const winner = await readKey(folder);
  if (winner !== undefined) return winner;
  throw new PortolanError(ErrorCode.WriteFailed, `${join(folder, KEY_NAME)} was taken away while it was read`);
}
