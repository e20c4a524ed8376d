import { ErrorCode, nearest, PortolanError, shellWord } from '../base/index.js';
import type { Definition } from '../model/index.js';
import type { AdmittedServer } from './admit.js';
import { stateOf, type Verdict } from './decide.js';

/** One server of a scan. Only an admitted server can be called. */
export interface Server {
  /** Unique among all servers; `name_2` if another server has the name. */
  readonly name: string;
  readonly alias: string;
  /** The active definition. */
  readonly definition: Definition;
  /** All definitions that start or reach this server, including the active one. */
  readonly duplicates: readonly Definition[];
  readonly shadowed: readonly Definition[];
  /** An approved running server that is used instead of starting this one. */
  readonly runningInstance?: Definition;
  /** The verdict on the active definition. */
  readonly verdict: Verdict;
  readonly admitted?: AdmittedServer;
  /** The names of the same server in other entries. */
  readonly otherNames: readonly string[];
}

/** Must not begin with a dash, because users type it after `portolan approve`, where `--all` is a flag. */
const PLAIN_NAME = /^\w[\w.-]{0,63}$/;
const MAX_ALIAS_CHARACTERS = 64;

/** The name shown to a model. For a server without admission it must be a plain word. */
export function shownName({ name, alias, admitted }: Server): string {
  return admitted || PLAIN_NAME.test(name) ? name : alias.slice(0, MAX_ALIAS_CHARACTERS);
}

/** Cached per list, because every call looks up a server and lists are never modified. */
const names = new WeakMap<readonly Server[], ReadonlyMap<string, Server>>();

function namesOf(servers: readonly Server[]): ReadonlyMap<string, Server> {
  const known = names.get(servers);
  if (known) return known;
  const found = new Map<string, Server>();
  const name = (key: string, server: Server) => {
    if (!found.has(key)) found.set(key, server);
  };
  for (const server of servers) name(server.name, server);
  for (const server of servers) for (const other of [server.alias, shownName(server)]) name(other, server);
  // Added last, because a server's own name takes precedence.
  for (const server of servers) for (const other of server.otherNames) name(other, server);
  names.set(servers, found);
  return found;
}

export function admittedServers(servers: readonly Server[]): AdmittedServer[] {
  return servers.flatMap(({ admitted }) => admitted ?? []);
}

/** Finds a server by its name, then its alias, then its name in another entry. */
export function findServerByName(servers: readonly Server[], wanted: string): Server | undefined {
  return namesOf(servers).get(wanted);
}

/** The same, but throws if there is none. */
export function findServer(servers: readonly Server[], wanted: string): Server {
  const found = findServerByName(servers, wanted);
  if (!found) throw serverNotFound(servers, wanted);
  return found;
}

/** The names of removed servers, with the server to use instead, for the errors about these servers. */
const removedFrom = new WeakMap<readonly Server[], ReadonlyMap<string, string | undefined>>();

export function noteRemoved(servers: readonly Server[], removed: ReadonlyMap<string, string | undefined>): void {
  removedFrom.set(servers, removed);
}

export function serverNotFound(servers: readonly Server[], wanted: string): PortolanError {
  const removed = removedFrom.get(servers);
  if (removed?.has(wanted)) return serverRemoved(servers, wanted, removed.get(wanted));
  const known = servers.filter(({ admitted }) => admitted);
  const near = nearest(
    wanted,
    known.flatMap((server) => [shownName(server), ...server.otherNames]),
  );
  return new PortolanError(
    ErrorCode.ServerNotFound,
    `there is no server called ${JSON.stringify(wanted.slice(0, 100))}`,
    {
      hint: near.length > 0 ? `did you mean ${near.join(', ')}?` : 'list_mcp_servers shows the names',
    },
  );
}

function serverRemoved(servers: readonly Server[], wanted: string, instead: string | undefined): PortolanError {
  const replacement = servers.find(({ name, admitted }) => admitted && name === instead);
  return new PortolanError(ErrorCode.ServerNotFound, `the server ${JSON.stringify(wanted.slice(0, 100))} was removed`, {
    hint: replacement ? `use ${shownName(replacement)} instead` : 'list_mcp_servers shows the names',
  });
}

/** Returns the proof that a server may run, or throws an error that says who can change that and how. */
export function requireAdmitted(server: Server): AdmittedServer {
  if (server.admitted) return server.admitted;
  const name = shownName(server);
  const state = stateOf(server.verdict);
  switch (state) {
    case 'pending-approval':
      throw new PortolanError(ErrorCode.ServerNotApproved, `${name} waits for the user's approval`, {
        hint: `ask the user to run: portolan approve ${shellWord(name)}`,
      });
    case 'rejected':
      throw blocked(
        name,
        'was rejected by the user',
        `the user can approve it with: portolan approve ${shellWord(name)}`,
      );
    case 'blocked-by-policy':
      throw blocked(name, 'is blocked by policy', `the user can see the rule with: portolan why ${shellWord(name)}`);
    case 'needs-input':
      throw blocked(
        name,
        'needs values that are not set',
        `the user can see them, and how to store them, with: portolan why ${shellWord(name)}`,
      );
    case 'ready':
      throw blocked(name, 'has a name with invisible characters', 'the user has to rename it');
    case 'disabled':
    case 'client-ignores':
    case 'inventory-only':
      throw blocked(name, `is not enabled (${state})`, `the user can see why with: portolan why ${shellWord(name)}`);
  }
}

function blocked(name: string, why: string, hint: string): PortolanError {
  return new PortolanError(ErrorCode.ServerBlocked, `${name} ${why}`, { hint });
}
