import { ErrorCode, nearest, PortolanError, shellWord } from '../base/index.js';
import type { Server, State } from '../model/index.js';
import type { AdmittedServer } from './admit.js';

/** A server of the chart as the gateway knows it. Only what is admitted can be asked for anything. */
export interface ServedServer {
  readonly name: string;
  readonly alias: string;
  readonly state: State;
  readonly rule?: string;
  readonly admitted?: AdmittedServer;
  /** What other entries call the same server. */
  readonly otherNames?: readonly string[];
}

/** What the chart says of a server, with the proof that it may run if there is one. */
export function servedServer(
  server: Pick<Server, 'name' | 'alias' | 'state' | 'rule'>,
  admitted: AdmittedServer | undefined,
  otherNames: readonly string[] = [],
): ServedServer {
  return {
    name: server.name,
    alias: server.alias,
    state: server.state,
    ...(server.rule !== undefined && { rule: server.rule }),
    ...(admitted && { admitted }),
    ...(otherNames.length > 0 && { otherNames }),
  };
}

/** Not beginning with a dash: a person is asked to type it after `portolan approve`, where `--all` would mean something. */
const PLAIN_NAME = /^\w[\w.-]{0,63}$/;
const MAX_ALIAS_CHARACTERS = 64;

/** The name that a model is shown. Of a server that nobody has let in, nothing but a plain word. */
export function shownName({ name, alias, admitted }: ServedServer): string {
  return admitted || PLAIN_NAME.test(name) ? name : alias.slice(0, MAX_ALIAS_CHARACTERS);
}

/** Every call looks for one: the list is replaced whole, so its names hold as long as it does. */
const names = new WeakMap<readonly ServedServer[], ReadonlyMap<string, ServedServer>>();

function namesOf(servers: readonly ServedServer[]): ReadonlyMap<string, ServedServer> {
  const known = names.get(servers);
  if (known) return known;
  const found = new Map<string, ServedServer>();
  const name = (key: string, server: ServedServer) => {
    if (!found.has(key)) found.set(key, server);
  };
  for (const server of servers) name(server.name, server);
  for (const server of servers) for (const other of [server.alias, shownName(server)]) name(other, server);
  // Last: no entry takes a name from a server that has it.
  for (const server of servers) for (const other of server.otherNames ?? []) name(other, server);
  names.set(servers, found);
  return found;
}

/** By its name, else by its alias, else by what another entry calls it. */
export function findServerByName(servers: readonly ServedServer[], wanted: string): ServedServer | undefined {
  return namesOf(servers).get(wanted);
}

/** The same for whoever cannot go on without it. */
export function findServer(servers: readonly ServedServer[], wanted: string): ServedServer {
  const found = findServerByName(servers, wanted);
  if (!found) throw serverNotFound(servers, wanted);
  return found;
}

export function serverNotFound(servers: readonly ServedServer[], wanted: string): PortolanError {
  const near = nearest(wanted, servers.filter(({ admitted }) => admitted).map(shownName));
  return new PortolanError(
    ErrorCode.ServerNotFound,
    `there is no server called ${JSON.stringify(wanted.slice(0, 100))}`,
    {
      hint: near.length > 0 ? `did you mean ${near.join(', ')}?` : 'list_mcp_servers shows what there is',
    },
  );
}

/** The proof that a server may run, or an error that says who can change that, and how. */
export function requireAdmitted(server: ServedServer): AdmittedServer {
  if (server.admitted) return server.admitted;
  const name = shownName(server);
  const { state } = server;
  switch (state) {
    case 'pending-approval':
      throw new PortolanError(ErrorCode.ServerNotApproved, `${name} waits for a person's approval`, {
        hint: `ask the user to run: portolan approve ${shellWord(name)}`,
      });
    case 'rejected':
      throw blocked(name, 'was rejected by the user', `they can change that with: portolan approve ${shellWord(name)}`);
    case 'blocked-by-policy':
      throw blocked(name, 'is blocked by policy', `the user can see the rule with: portolan why ${shellWord(name)}`);
    case 'needs-input':
      throw blocked(
        name,
        'needs values that only its own client asks for',
        `see them with: portolan why ${shellWord(name)}`,
      );
    case 'ready':
      throw blocked(name, 'has a name with characters that nobody can see', 'the user has to give it another name');
    case 'disabled':
    case 'client-ignores':
    case 'inventory-only':
      throw blocked(
        name,
        `is not switched on (${state})`,
        `the user can see why with: portolan why ${shellWord(name)}`,
      );
  }
}

function blocked(name: string, why: string, hint: string): PortolanError {
  return new PortolanError(ErrorCode.ServerBlocked, `${name} ${why}`, { hint });
}
