import { homedir, userInfo } from 'node:os';
import { ErrorCode, PortolanError } from '../errors.js';

/**
 * The user's home directory. An empty `HOME` is an error, because relative paths would depend on the working directory.
 */
export function homeFolder(): string {
  try {
    return homedir() || userInfo().homedir;
  } catch (cause) {
    throw new PortolanError(ErrorCode.ConfigNotFound, 'the home directory of this user is unknown', {
      hint: 'set HOME to the path of your home directory',
      cause,
    });
  }
}
