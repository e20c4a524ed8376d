import { isAbsolute, join } from 'node:path';
import type { Host } from '../model/index.js';
import { isBroughtByProject } from '../settings/index.js';

/** Portolan's own directories: caches that can be recreated, and state that cannot. */
export interface OwnFolders {
  readonly cache: string;
  readonly state: string;
  readonly audit: string;
  readonly logs: string;
  readonly children: string;
  /** Interpreter snapshots, which can be recreated. */
  readonly sandbox: string;
}

/** Follows the XDG variables, unless one points into a repository: the repository could then control the content. */
export function ownFolders(host: Host): OwnFolders {
  const folder = (variable: string, standard: string): string => {
    const set = host.env[variable];
    const usual = join(host.home, standard, 'portolan');
    if (set === undefined || !isAbsolute(set)) return usual;
    const chosen = join(set, 'portolan');
    return isBroughtByProject(chosen, host) ? usual : chosen;
  };
  const state = folder('XDG_STATE_HOME', '.local/state');
  const cache = folder('XDG_CACHE_HOME', '.cache');
  return {
    cache,
    state,
    audit: join(state, 'audit'),
    logs: join(state, 'logs'),
    children: join(state, 'children'),
    sandbox: join(cache, 'sandbox'),
  };
}
