import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorCode, PortolanError, randomKey } from '../base/index.js';
import { KEY_NAME } from './audit-file-names.js';
import { isHash } from './parse-fields.js';
import { createWhole, readSmall } from './private-files.js';

const MAX_KEY_BYTES = 1024;
/** How often an incomplete key is read again, on a disk without atomic creation. */
const UNFINISHED_TRIES = 20;
const UNFINISHED_PAUSE_MS = 50;

/** The key of all chains in a directory, or undefined if there is none. */
export async function readKey(folder: string): Promise<string | undefined> {
  const path = join(folder, KEY_NAME);
  for (let tries = 1; ; tries += 1) {
    const text = (await readSmall(path, MAX_KEY_BYTES))?.trim();
    if (text === undefined || isHash(text)) return text;
    if (tries >= UNFINISHED_TRIES)
      throw new PortolanError(ErrorCode.WriteRefused, `${path} is not an audit key`, {
        hint: 'move it away; entries recorded with the old key can then no longer be verified',
      });
    await pause(UNFINISHED_PAUSE_MS);
  }
}

/**
 * Returns the key, creating or restoring it if it is missing. If several processes do so at once, the first one wins
 * and the others read its key.
 */
export async function ensureKey(folder: string, before?: string): Promise<string> {
  const found = await readKey(folder);
  if (found !== undefined) return found;
  const fresh = before ?? randomKey();
  if (await createWhole(join(folder, KEY_NAME), `${fresh}\n`)) return fresh;
  const winner = await readKey(folder);
  if (winner !== undefined) return winner;
  throw new PortolanError(ErrorCode.WriteFailed, `${join(folder, KEY_NAME)} was deleted while it was read`, {
    hint: 'run the command again',
  });
}
