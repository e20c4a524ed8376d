import { cleanText } from '../base/index.js';
import type { Definition } from '../model/index.js';
import {
  type AdmittedServer,
  admit,
  isFromRepository,
  type ServedServer,
  servedServer,
  type Verdict,
} from '../policy/index.js';
import type { Discovery } from './discover.js';
import { asRunningDefinition } from './match-running.js';
import type { Held } from './resolve-definitions.js';

/** All servers; those that may run carry the admission. */
export function admitServers(discovery: Discovery): ServedServer[] {
  return discovery.servers.map((server, place) => {
    const held = discovery.held[place];
    // A name with invisible characters is never admitted. Cleaning it could turn it into the name of another server.
    const proof = held && isShowable(server.name) ? admitted(held, discovery) : undefined;
    return servedServer(server, proof, held && otherNames(held, discovery));
  });
}

/** Names from an unapproved file are left out, because a person who allows a call identifies the server by its name. */
function otherNames({ name, active, origins }: Held, { verdicts }: Discovery): string[] {
  const counts = (one: Definition) => {
    const kind = verdicts.get(one)?.kind;
    return kind === 'allowed' || (kind === 'needs-approval' && one.source === active.source);
  };
  return [...new Set(origins.filter(counts).map((one) => one.name))].filter((other) => other !== name);
}

/** A running instance is used only if it is approved itself, because the approval of a launch does not cover it. */
function admitted({ name, active, runningInstance }: Held, { verdicts }: Discovery): AdmittedServer | undefined {
  const [verdict, ofRunning] = [active, runningInstance].map((one): Verdict | undefined => one && verdicts.get(one));
  if (!verdict) return undefined;
  const isUsed = runningInstance && verdict.kind === 'allowed' && ofRunning?.kind === 'allowed';
  return admit(name, isUsed ? asRunningDefinition(active, runningInstance) : active, verdict);
}

export function admittedServers(servers: readonly ServedServer[]): AdmittedServer[] {
  return servers.flatMap(({ admitted }) => admitted ?? []);
}

function isShowable(name: string): boolean {
  return !/[\n\r\t]/.test(name) && cleanText(name, Number.POSITIVE_INFINITY).found.length === 0;
}

/**
 * The names by which a rule can match these servers: the name and the user's other names for it. A rule can also enable
 * tools, so a repository cannot give a server such a name, and no server gets the name of another one.
 */
export function namesForRules(
  { held, verdicts, host }: Discovery,
  servers: readonly Pick<ServedServer, 'name'>[],
): (server: string) => readonly string[] {
  const taken = new Set(servers.map(({ name }) => name));
  const counts = (one: Definition) =>
    verdicts.get(one)?.kind === 'allowed' && !isFromRepository(one, host) && !taken.has(one.name);
  const names = new Map(held.map(({ name, origins }) => [name, origins.filter(counts).map((one) => one.name)]));
  return (server) => [server, ...(names.get(server) ?? [])];
}
