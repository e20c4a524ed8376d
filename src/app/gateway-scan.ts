import {
  admitServers,
  admittedServers,
  type DiscoverOptions,
  type Discovery,
  namesForRules,
  scanMachine,
} from '../discovery/index.js';
import type { GatewayView } from '../gateway/index.js';
import { type Definition, toAlias } from '../model/index.js';
import type { ServedServer } from '../policy/index.js';
import { type AdmittedServer, admit, compileToolRules } from '../policy/index.js';

/** Everything that one look at the machine gave. Replaced whole by the next. */
export interface GatewayScan {
  readonly discovery: Discovery;
  readonly view: GatewayView;
  readonly admitted: readonly AdmittedServer[];
}

export interface LookOptions extends DiscoverOptions {
  /** Servers that live in this program; of their makers only the names matter here. */
  readonly sdkServers?: Readonly<Record<string, unknown>>;
}

/** What there is, what holds and what may run, for a gateway. */
export async function scanForGateway(options: LookOptions, before: GatewayScan | undefined): Promise<GatewayScan> {
  const { sdkServers = {}, ...rest } = options;
  const discovery = await scanMachine(rest, before?.discovery);
  const { settings } = discovery.settings;
  const known = new Map(before?.admitted.map((server) => [server.name, server]));
  const found = admitServers(discovery).filter(({ name }) => !Object.hasOwn(sdkServers, name));
  const servers = [...found, ...livingHere(Object.keys(sdkServers), found)].map(({ admitted, ...server }) => ({
    ...server,
    ...(admitted && { admitted: sameAs(known.get(server.name), admitted) }),
  }));
  const judge = await compileToolRules(settings.toolRules, {
    toolDefault: settings.toolDefault,
    namesOf: namesForRules(discovery, servers),
  });
  return { discovery, view: { servers, judge, settings }, admitted: admittedServers(servers) };
}

/** A server that is the same as before stays the same object, so that what is known of it stays too. */
function sameAs(before: AdmittedServer | undefined, now: AdmittedServer): AdmittedServer {
  return before && JSON.stringify(before.definition) === JSON.stringify(now.definition) ? before : now;
}

/** Whoever hands a server over has let it in. */
function livingHere(names: readonly string[], found: readonly ServedServer[]): ServedServer[] {
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
      // Nothing else tells two of them apart, and what is known of one is not known of the other.
      written: { command: `sdk:${name}` },
      command: `sdk:${name}`,
    };
    const admitted = admit(name, definition, { kind: 'allowed' });
    return { name, alias, state: 'ready', ...(admitted && { admitted }) };
  });
}
