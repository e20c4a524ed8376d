import type { Definition, State } from '../model/index.js';
import { identityOf } from './identity.js';
import { countsEverywhere, holdsOver } from './rank.js';

/** One server: the definition that holds, every other that means the same, and those that lost their name to it. */
export interface Held {
  /** Unique among all; `name_2` where another server had the name first. */
  readonly name: string;
  readonly chosen: Definition;
  readonly origins: readonly Definition[];
  readonly shadowed: readonly Definition[];
}

type StateOf = (definition: Definition) => State;

interface Group {
  chosen: Definition;
  readonly origins: Definition[];
  readonly shadowed: Definition[];
}

/** Decides which definitions hold. The order of the input is the order of the sources, and part of the answer. */
export function settle(definitions: readonly Definition[], stateOf: StateOf): Held[] {
  const named = shadowEverywhere(shadowWithinClients(definitions, stateOf));
  return distinctNames(mergeSameServers(named, stateOf));
}

/** Among the definitions of one name in one client, one holds. */
function shadowWithinClients(definitions: readonly Definition[], stateOf: StateOf): Group[] {
  const groups = new Map<string, Group>();
  for (const next of definitions) {
    const key = JSON.stringify([next.client, next.name]);
    const held = groups.get(key);
    if (!held) groups.set(key, { chosen: next, origins: [next], shadowed: [] });
    else if (holdsOver(next, held.chosen, stateOf)) {
      groups.set(key, { chosen: next, origins: [next], shadowed: [...held.shadowed, held.chosen] });
    } else held.shadowed.push(next);
  }
  return [...groups.values()];
}

/** What is given at the start or by an administrator takes its name from every client. */
function shadowEverywhere(groups: readonly Group[]): Group[] {
  const masters = new Map<string, Group>();
  for (const group of groups) {
    const { name, scope } = group.chosen;
    const held = masters.get(name);
    if (countsEverywhere(scope) && (!held || (scope === 'managed' && held.chosen.scope !== 'managed')))
      masters.set(name, group);
  }
  return groups.filter((group) => {
    const master = masters.get(group.chosen.name);
    if (!master || master === group) return true;
    master.shadowed.push(group.chosen, ...group.shadowed);
    return false;
  });
}

/** How a definition came about: what a person wrote comes before what a plugin brought, and that before a connector. */
function authorship({ scope }: Definition): number {
  return scope === 'claudeai' ? 0 : scope === 'plugin' ? 1 : 2;
}

function mergeSameServers(groups: readonly Group[], stateOf: StateOf): Group[] {
  const servers = new Map<string, Group>();
  const all: Group[] = [];
  for (const group of groups) {
    const key = identityOf(group.chosen);
    const held = servers.get(key);
    if (!held || !isTwin(group.chosen, held.chosen, stateOf)) {
      servers.set(key, held ?? group);
      all.push(group);
      continue;
    }
    held.origins.push(...group.origins);
    held.shadowed.push(...group.shadowed);
    if (isBetter(group.chosen, held.chosen, stateOf)) held.chosen = group.chosen;
  }
  return all;
}

/** A connector is dropped only for a twin that someone wrote and left on. */
function isTwin(next: Definition, held: Definition, stateOf: StateOf): boolean {
  const connectors = [next, held].filter(({ scope }) => scope === 'claudeai');
  if (connectors.length !== 1) return true;
  const other = next.scope === 'claudeai' ? held : next;
  return authorship(other) === 2 && stateOf(other) !== 'disabled';
}

/** Of two definitions of one server the one a person wrote counts, then the one that runs; else the first. */
function isBetter(next: Definition, held: Definition, stateOf: StateOf): boolean {
  if (authorship(next) !== authorship(held)) return authorship(next) > authorship(held);
  return stateOf(next) === 'ready' && stateOf(held) !== 'ready';
}

/** Different servers under one name are both kept; the first keeps the name. */
function distinctNames(groups: readonly Group[]): Held[] {
  const taken = new Set(groups.map(({ chosen }) => chosen.name));
  const given = new Set<string>();
  return groups.map((group) => {
    const base = group.chosen.name;
    let name = base;
    for (let n = 2; given.has(name) || (name !== base && taken.has(name)); n += 1) name = `${base}_${n}`;
    given.add(name);
    return { ...group, name };
  });
}
