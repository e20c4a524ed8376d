import { isAbsolute, join } from 'node:path';
import type { Host } from '../model/index.js';
import { isBroughtByProject } from '../settings/index.js';

/** Where Portolan keeps what it learns: what may be lost, and what a person would miss. */
export interface OwnFolders {
  readonly cache: string;
  readonly state: string;
  readonly audit: string;
  readonly logs: string;
  readonly children: string;
  /** Snapshots of interpreters, which can be made again. */
  readonly sandbox: string;
}

/** As XDG says. A variable that points into a repository does not count: what lies there is the repository's word, not ours. */
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
