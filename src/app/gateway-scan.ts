import { type Log, silentLog, writeFile } from '../base/index.js';
import {
  type DiscoverOptions,
  type Discovery,
  namesForRules,
  namesPath,
  namesToStore,
  scanMachine,
} from '../discovery/index.js';
import type { GatewayView } from '../gateway/index.js';
import { type Definition, toAlias } from '../model/index.js';
import {
  type AdmittedServer,
  admit,
  admittedServers,
  compileToolRules,
  noteRemoved,
  type Server,
} from '../policy/index.js';

/** The result of one scan; replaced whole by the next one. */
export interface GatewayScan {
  readonly discovery: Discovery;
  readonly view: GatewayView;
  readonly admitted: readonly AdmittedServer[];
}

export interface GatewayScanOptions extends DiscoverOptions {
  /** Servers that run inside this process; only their names are used here. */
  readonly sdkServers?: Readonly<Record<string, unknown>>;
  readonly log?: Log;
}

/** Scans the machine and applies the policy, for a gateway. */
export async function scanForGateway(
  options: GatewayScanOptions,
  before: GatewayScan | undefined,
): Promise<GatewayScan> {
  const { sdkServers = {}, log = silentLog, ...rest } = options;
  const discovery = await scanMachine(rest, before?.discovery);
  const { settings } = discovery.settings;
  const known = new Map(before?.admitted.map((server) => [server.name, server]));
  const found = discovery.servers.filter(({ name }) => !Object.hasOwn(sdkServers, name));
  const servers = [...found, ...inProcessServers(Object.keys(sdkServers), found)].map(({ admitted, ...server }) => ({
    ...server,
    ...(admitted && { admitted: sameAs(known.get(server.name), admitted) }),
  }));
  noteRemoved(servers, discovery.removed);
  await storeNames(discovery, log);
  const judge = await compileToolRules(settings.toolRules, {
    toolDefault: settings.toolDefault,
    namesOf: namesForRules(discovery, servers),
  });
  return { discovery, view: { servers, judge, settings }, admitted: admittedServers(servers) };
}

/** Stores new names, so that they are the same for every later process. Without the file servers are named anew. */
async function storeNames({ servers, names, host }: Discovery, log: Log): Promise<void> {
  const text = namesToStore(servers, names, host);
  if (text === undefined) return;
  await writeFile(namesPath(host), text, { refuseLinks: true }).catch((error: Error) =>
    log('warn', 'the names of the servers were not stored', { error: error.message }),
  );
}

/** An unchanged server keeps its object identity, so that data cached for it stays valid. */
function sameAs(before: AdmittedServer | undefined, now: AdmittedServer): AdmittedServer {
  return before && JSON.stringify(before.definition) === JSON.stringify(now.definition) ? before : now;
}

/** Passing a server to the library approves it. */
function inProcessServers(names: readonly string[], found: readonly Server[]): Server[] {
  const taken = new Set<string>(found.map(({ alias }) => alias));
  return names.map((name) => {
    const alias = toAlias(name, taken);
    taken.add(alias);
    const definition: Definition = {
      name,
      client: 'library',
      scope: 'dynamic',
      source: 'options:sdkServers',
      line: 1,
      transport: 'sdk',
      state: 'ready',
      enabled: true,
      precedence: 0,
      // The name is the identity, so that two such servers do not share cached data.
      written: { command: `sdk:${name}` },
      command: `sdk:${name}`,
    };
    const verdict = { kind: 'allowed' } as const;
    const admitted = admit(name, definition, verdict);
    const server = { name, alias, definition, duplicates: [definition], shadowed: [], verdict, otherNames: [] };
    return { ...server, ...(admitted && { admitted }) };
  });
}
