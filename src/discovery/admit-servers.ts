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

/** The servers of the chart, those that may run with the proof of it. */
export function admitServers(discovery: Discovery): ServedServer[] {
  return discovery.servers.map((server, place) => {
    const held = discovery.held[place];
    // A model reads names. One that holds more than can be seen is not mended, which could make it another server's.
    const proof = held && isShowable(server.name) ? admitted(held, discovery) : undefined;
    return servedServer(server, proof, held && otherNames(held, discovery));
  });
}

/** A file that nobody has let in must not give a server another name: whoever allows a call reads the name that it is made under. */
function otherNames({ name, active, origins }: Held, { verdicts }: Discovery): string[] {
  const counts = (one: Definition) => {
    const kind = verdicts.get(one)?.kind;
    return kind === 'allowed' || (kind === 'needs-approval' && one.source === active.source);
  };
  return [...new Set(origins.filter(counts).map((one) => one.name))].filter((other) => other !== name);
}

/** What runs already is used only if it was let in itself: it is not what the other would have started. */
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
 * The names by which a rule may mean one of these servers: its own, and what else the user calls it. A rule may also switch tools
 * on, so no repository gives a server a name for it, and nobody another server's.
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
