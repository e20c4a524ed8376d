import type { Discovery } from '../../discovery/index.js';
import type { Definition } from '../../model/index.js';
import { EDITED_SCOPES } from '../../sources/index.js';

/** Directories of servers and Portolan's own file: no program starts what is in them. */
const STARTS_NOTHING = new Set(['portolan', 'agents-dir', 'mcps-dir']);
/** Scopes that belong to no client on this machine. */
const OUTSIDE = new Set(['dynamic', 'running', 'claudeai', 'agent', 'server']);

type Scanned = Pick<Discovery, 'definitions' | 'pathReadings'>;

/** The definitions that some installed client starts by itself. */
function selfStarted({ definitions, pathReadings }: Scanned): Definition[] {
  // A project's file is read for clients that are not installed, too.
  const installed = new Set(
    pathReadings.filter(({ scope, found }) => scope !== 'project' && found !== 'absent').map(({ client }) => client),
  );
  const isActive = ({ state }: Definition) => state === 'ready' || state === 'needs-input';
  return definitions.filter(
    (one) =>
      isActive(one) &&
      !one.takenOver &&
      !STARTS_NOTHING.has(one.client) &&
      !OUTSIDE.has(one.scope) &&
      installed.has(one.client),
  );
}

/** The clients that still start each server by themselves, by the name of the server. */
export function selfStartingClients(discovery: Discovery): ReadonlyMap<string, readonly string[]> {
  const started = new Set(selfStarted(discovery));
  return new Map(
    discovery.servers.flatMap(({ name, duplicates, shadowed }) => {
      const clients = [...duplicates, ...shadowed].filter((one) => started.has(one)).map(({ client }) => client);
      return clients.length === 0 ? [] : [[name, [...new Set(clients)]] as const];
    }),
  );
}

/** Those of them that a take-over moves: not the servers of plugins and administrators. */
export function movableStarts(scanned: Scanned): Definition[] {
  return selfStarted(scanned).filter(({ scope }) => EDITED_SCOPES.has(scope));
}

/** The clients that a take-over would change. */
export interface TakeOverAdvice {
  readonly clients: readonly string[];
  /** All these servers are in files of the project, which a take-over changes only if it is told to. */
  readonly isProjectOnly: boolean;
}

/** What to take over so that the clients start less by themselves. */
export function takeOverAdvice(scanned: Scanned): TakeOverAdvice {
  const movable = movableStarts(scanned);
  const own = movable.filter(({ scope }) => scope !== 'project');
  const chosen = own.length > 0 ? own : movable;
  return { clients: [...new Set(chosen.map(({ client }) => client))], isProjectOnly: own.length === 0 };
}
