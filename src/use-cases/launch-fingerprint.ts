import { type Fingerprint, fingerprint } from '../policy/index.js';

/** The fingerprint of an entry that has these words as its command and arguments, and no variables or folder. */
export function launchFingerprint([command = '', ...args]: readonly string[]): Fingerprint {
  return fingerprint({ command, args });
}
