import { homedir, userInfo } from 'node:os';

/** Where the user is at home. An empty `HOME` names no folder: what belongs there must not end up wherever we were started. */
export function homeFolder(): string {
  return homedir() || userInfo().homedir;
}
