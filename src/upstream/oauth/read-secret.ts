import { isAbsolute, join } from 'node:path';
import { diskFiles, homeFolder, isReference } from '../../base/index.js';
import { type SecretSource, wrong } from './oauth-settings.js';
import type { SignInTarget } from './sign-in-target.js';

/** Keys and tokens are small; a larger file is something else. */
const MAX_SECRET_CHARACTERS = 64 * 1024;

/** Reads the secret each time it is used. No error contains any part of it. */
export function readSecret({ name, folder, isBrought }: SignInTarget, what: string, source: SecretSource): string {
  if (source.kind === 'text') return resolved(name, what, source.text);
  // Otherwise a repository could send any file of the user to a server that it names.
  if (isBrought) throw wrong(name, `an entry of a project may not name a file for its ${what}`);
  const reading = diskFiles.read(placeOf(source.path, folder));
  if (reading.kind === 'absent') throw wrong(name, `the file for its ${what} does not exist: ${source.path}`);
  if (reading.kind === 'failed') throw wrong(name, `the file for its ${what}, ${source.path}, ${reading.message}`);
  const text = reading.text.trim();
  if (text === '' || text.length > MAX_SECRET_CHARACTERS)
    throw wrong(name, `the file for its ${what} ${text === '' ? 'is empty' : 'is too large'}: ${source.path}`);
  return text;
}

/** Throws for an unresolved reference, which would otherwise be sent as the secret. */
export function resolved(server: string, what: string, text: string): string {
  if (isReference(text)) throw wrong(server, `its ${what} refers to a variable that has no value: ${text}`);
  return text;
}

function placeOf(path: string, folder: string): string {
  if (/^~[/\\]/.test(path)) return join(homeFolder(), path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}
