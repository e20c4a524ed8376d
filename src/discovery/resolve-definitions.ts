import type { Definition, State } from '../model/index.js';
import { launchIdentity } from '../model/index.js';
import type { Server } from '../policy/index.js';
import { isRunning, type MatchRules, matchRunning } from './match-running.js';
import { cannotRun, countsEverywhere, hasPrecedenceOver } from './precedence.js';
import { type KnownNames, NO_NAMES, nameServers } from './server-names.js';

/** The part of a server that does not depend on the policy. */
export type ResolvedServer = Omit<Server, 'verdict' | 'admitted' | 'otherNames'>;

type StateOf = (definition: Definition) => State;

interface Group {
  definition: Definition;
  readonly duplicates: Definition[];
  readonly shadowed: Definition[];
  runningInstance?: Definition;
}

/** Decides which definitions are active. The input is in the order of the sources, which affects the result. */
export function resolveDefinitions(
  definitions: readonly Definition[],
  stateOf: StateOf,
  fingerprintOf: MatchRules['fingerprintOf'] = () => '',
  known: KnownNames = NO_NAMES,
): { readonly servers: readonly ResolvedServer[]; readonly names: KnownNames } {
  const written = definitions.filter((one) => !isRunning(one));
  // Running servers of one name are separate servers and take no name from configured ones.
  const running = definitions
    .filter(isRunning)
    .map((one): Group => ({ definition: one, duplicates: [one], shadowed: [] }));
  const named = shadowEverywhere(shadowWithinClients(written, stateOf), stateOf);
  const groups = matchRunning(mergeSameServers(named, stateOf), running, { stateOf, fingerprintOf });
  const { names, known: later } = nameServers(groups, known);
  const servers = groups.flatMap((group, at) => {
    const name = names[at];
    return name ? [{ ...group, ...name }] : [];
  });
  return { servers, names: later };
}

/** Picks the active definition among those of one name in one client. */
function shadowWithinClients(definitions: readonly Definition[], stateOf: StateOf): Group[] {
  const groups = new Map<string, Group>();
  for (const next of definitions) {
    const key = JSON.stringify([next.client, next.name]);
    const held = groups.get(key);
    if (!held) groups.set(key, { definition: next, duplicates: [next], shadowed: [] });
    else if (hasPrecedenceOver(next, held.definition, stateOf)) {
      held.shadowed.push(held.definition);
      groups.set(key, { definition: next, duplicates: [next], shadowed: held.shadowed });
    } else held.shadowed.push(next);
  }
  return [...groups.values()];
}

/** Servers from the command line and managed servers shadow those of the same name in every client. */
function shadowEverywhere(groups: readonly Group[], stateOf: StateOf): Group[] {
  const masters = new Map<string, Group>();
  for (const group of groups) {
    const { name, scope } = group.definition;
    if (!countsEverywhere(scope) || cannotRun(stateOf(group.definition))) continue;
    const held = masters.get(name);
    if (!held || (scope === 'managed' && held.definition.scope !== 'managed')) masters.set(name, group);
  }
  return groups.filter((group) => {
    const master = masters.get(group.definition.name);
    if (!master || master === group) return true;
    for (const one of [group.definition, ...group.shadowed]) master.shadowed.push(one);
    return false;
  });
}

/** The origin of a definition: one that a person wrote has precedence over one of a plugin, then of a connector. */
function authorship({ scope }: Definition): number {
  return scope === 'claudeai' ? 0 : scope === 'plugin' ? 1 : 2;
}

/** Merges duplicates. Connectors come last, because they are dropped only in favour of another server. */
function mergeSameServers(groups: readonly Group[], stateOf: StateOf): Group[] {
  const servers = new Map<string, Group>();
  const connectors = new Map<string, Group>();
  const entries = new Map<string, Group>();
  const dropped = new Set<Group>();
  for (const group of groups) {
    const kind = isConnector(group.definition) ? connectors : servers;
    const key = launchIdentity(group.definition);
    const entry = entryKey(group.definition);
    const held = kind.get(key) ?? entries.get(entry);
    if (!held) {
      kind.set(key, group);
      entries.set(entry, group);
    } else {
      dropped.add(group);
      take(held, group);
      if (isBetter(group.definition, held.definition, stateOf)) held.definition = group.definition;
    }
  }
  for (const [key, connector] of connectors) {
    const configured = servers.get(key);
    if (!configured?.duplicates.some((one) => isWrittenAndOn(one, stateOf))) continue;
    dropped.add(connector);
    take(configured, connector);
  }
  return groups.filter((group) => !dropped.has(group));
}

/**
 * An entry that several clients read from the same file is one server, even if they expand its references differently.
 */
function entryKey({ source, line, name }: Definition): string {
  return JSON.stringify([source, line, name]);
}

function take(held: Group, group: Group): void {
  for (const one of group.duplicates) held.duplicates.push(one);
  for (const one of group.shadowed) held.shadowed.push(one);
}

function isConnector({ scope }: Definition): boolean {
  return scope === 'claudeai';
}

/** A connector is dropped only in favour of a server that a person configured and that is enabled. */
function isWrittenAndOn(definition: Definition, stateOf: StateOf): boolean {
  return authorship(definition) === 2 && ['ready', 'needs-input'].includes(stateOf(definition));
}

/**
 * Among duplicates, prefers a definition that a person wrote, then one that may run, then one that can be approved, then
 * the first.
 */
function isBetter(next: Definition, held: Definition, stateOf: StateOf): boolean {
  const [state, heldState] = [stateOf(next), stateOf(held)];
  // An unapproved definition must not replace one that may run: a repository could disable a server by defining it.
  if (state === 'ready' && isHeldBack(heldState)) return true;
  if (heldState === 'ready' && isHeldBack(state)) return false;
  if (authorship(next) !== authorship(held)) return authorship(next) > authorship(held);
  // One client only lists the file of a parent directory, while another one uses it.
  if (heldState === 'inventory-only') return state === 'ready' || state === 'pending-approval';
  return state === 'ready' && heldState !== 'ready';
}

function isHeldBack(state: State): boolean {
  return state === 'pending-approval' || cannotRun(state);
}
