import { type Fingerprint, fingerprint } from '../policy/index.js';

/** The fingerprint of an entry with this command and arguments, without variables or directory. */
export function launchFingerprint([command = '', ...args]: readonly string[]): Fingerprint {
  return fingerprint({ command, args });
}
