import type { Definition, State } from '../model/index.js';
import { identityOf } from '../model/index.js';
import { isRunning, type MatchRules, matchRunning } from './match-running.js';
import { cannotRun, countsEverywhere, hasPrecedenceOver } from './precedence.js';

/** One server: the definition that holds, every other that means the same, and those that lost their name to it. */
export interface Held {
  /** Unique among all; `name_2` where another server had the name first. */
  readonly name: string;
  readonly active: Definition;
  readonly origins: readonly Definition[];
  readonly shadowed: readonly Definition[];
  /** One that runs already, that a person let in, and that is used in the place of starting this one. */
  readonly runningInstance?: Definition;
}

type StateOf = (definition: Definition) => State;

interface Group {
  active: Definition;
  readonly origins: Definition[];
  readonly shadowed: Definition[];
  runningInstance?: Definition;
}

/** Decides which definitions hold. The order of the input is the order of the sources, and part of the answer. */
export function resolveDefinitions(
  definitions: readonly Definition[],
  stateOf: StateOf,
  printOf: MatchRules['printOf'] = () => '',
): Held[] {
  const written = definitions.filter((one) => !isRunning(one));
  // Two processes of one name are two servers: a name that a process gives itself takes nothing from another.
  const running = definitions.filter(isRunning).map((one): Group => ({ active: one, origins: [one], shadowed: [] }));
  const named = shadowEverywhere(shadowWithinClients(written, stateOf), stateOf);
  return distinctNames(matchRunning(mergeSameServers(named, stateOf), running, { stateOf, printOf }));
}

/** Among the definitions of one name in one client, one holds. */
function shadowWithinClients(definitions: readonly Definition[], stateOf: StateOf): Group[] {
  const groups = new Map<string, Group>();
  for (const next of definitions) {
    const key = JSON.stringify([next.client, next.name]);
    const held = groups.get(key);
    if (!held) groups.set(key, { active: next, origins: [next], shadowed: [] });
    else if (hasPrecedenceOver(next, held.active, stateOf)) {
      held.shadowed.push(held.active);
      groups.set(key, { active: next, origins: [next], shadowed: held.shadowed });
    } else held.shadowed.push(next);
  }
  return [...groups.values()];
}

/** What is given at the start or by an administrator takes its name from every client. */
function shadowEverywhere(groups: readonly Group[], stateOf: StateOf): Group[] {
  const masters = new Map<string, Group>();
  for (const group of groups) {
    const { name, scope } = group.active;
    if (!countsEverywhere(scope) || cannotRun(stateOf(group.active))) continue;
    const held = masters.get(name);
    if (!held || (scope === 'managed' && held.active.scope !== 'managed')) masters.set(name, group);
  }
  return groups.filter((group) => {
    const master = masters.get(group.active.name);
    if (!master || master === group) return true;
    for (const one of [group.active, ...group.shadowed]) master.shadowed.push(one);
    return false;
  });
}

/** How a definition came about: what a person wrote comes before what a plugin brought, and that before a connector. */
function authorship({ scope }: Definition): number {
  return scope === 'claudeai' ? 0 : scope === 'plugin' ? 1 : 2;
}

/** Connectors come last, whatever their place: whether one has a twin is known when all others are merged. */
function mergeSameServers(groups: readonly Group[], stateOf: StateOf): Group[] {
  const servers = new Map<string, Group>();
  const connectors = new Map<string, Group>();
  const entries = new Map<string, Group>();
  const dropped = new Set<Group>();
  for (const group of groups) {
    const kind = isConnector(group.active) ? connectors : servers;
    const key = identityOf(group.active);
    const entry = entryKey(group.active);
    const held = kind.get(key) ?? entries.get(entry);
    if (!held) {
      kind.set(key, group);
      entries.set(entry, group);
    } else {
      dropped.add(group);
      take(held, group);
      if (isBetter(group.active, held.active, stateOf)) held.active = group.active;
    }
  }
  for (const [key, connector] of connectors) {
    const twin = servers.get(key);
    if (!twin?.origins.some((one) => isWrittenAndOn(one, stateOf))) continue;
    dropped.add(connector);
    take(twin, connector);
  }
  return groups.filter((group) => !dropped.has(group));
}

/** One entry that several clients read from one file is one server, also where they fill in its references differently. */
function entryKey({ source, line, name }: Definition): string {
  return JSON.stringify([source, line, name]);
}

function take(held: Group, group: Group): void {
  for (const one of group.origins) held.origins.push(one);
  for (const one of group.shadowed) held.shadowed.push(one);
}

function isConnector({ scope }: Definition): boolean {
  return scope === 'claudeai';
}

/** A connector is dropped only for a twin that someone wrote and left on. */
function isWrittenAndOn(definition: Definition, stateOf: StateOf): boolean {
  return authorship(definition) === 2 && ['ready', 'needs-input'].includes(stateOf(definition));
}

/** Of two definitions of one server the one a person wrote counts, then the one that runs, then the one that can be approved; else the first. */
function isBetter(next: Definition, held: Definition, stateOf: StateOf): boolean {
  const [state, heldState] = [stateOf(next), stateOf(held)];
  // What nobody has agreed to yet must not stop what runs: a repository could switch off any server by writing it down.
  if (state === 'ready' && isHeldBack(heldState)) return true;
  if (heldState === 'ready' && isHeldBack(state)) return false;
  if (authorship(next) !== authorship(held)) return authorship(next) > authorship(held);
  // One client only lists the file of a parent folder, and another one reads it.
  if (heldState === 'inventory-only') return state === 'ready' || state === 'pending-approval';
  return state === 'ready' && heldState !== 'ready';
}

function isHeldBack(state: State): boolean {
  return state === 'pending-approval' || cannotRun(state);
}

/** Different servers under one name are both kept; the first keeps the name. */
function distinctNames(groups: readonly Group[]): Held[] {
  const taken = new Set(groups.map(({ active }) => active.name));
  const given = new Set<string>();
  const counts = new Map<string, number>();
  return groups.map((group) => {
    const base = group.active.name;
    let name = base;
    let count = counts.get(base) ?? 1;
    // Goes on where the last one of this name stopped: a thousand of one name are a thousand steps.
    while (given.has(name) || (name !== base && taken.has(name))) {
      count += 1;
      name = `${base}_${count}`;
    }
    counts.set(base, count);
    given.add(name);
    return { ...group, name };
  });
}
