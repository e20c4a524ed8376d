import { homedir, userInfo } from 'node:os';
import { ErrorCode, PortolanError } from '../errors.js';

/** Where the user is at home. An empty `HOME` names no folder: what belongs there must not end up wherever we were started. */
export function homeFolder(): string {
  try {
    return homedir() || userInfo().homedir;
  } catch (cause) {
    throw new PortolanError(ErrorCode.ConfigNotFound, 'it is not known where this user is at home', {
      hint: 'set HOME to a folder that is yours',
      cause,
    });
  }
}
