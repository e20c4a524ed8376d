import { join } from 'node:path';
import { isObject, sha256 } from '../base/index.js';
import { type Definition, type Host, launchIdentity, toAlias } from '../model/index.js';
import { isFromRepository } from '../policy/index.js';
import { isRunning } from './match-running.js';
import { ownFolders } from './own-folders.js';

/** The names by which clients know a server. */
export interface GivenName {
  readonly name: string;
  readonly alias: string;
}

/** The server that had a name last. */
interface Owner extends GivenName {
  /** Its name in its file. */
  readonly base: string;
  readonly identity: string;
}

/** The names that servers have: from the state file, and from the scans before in this process. */
export interface KnownNames {
  /** By the hash of a key; from the state file. */
  readonly stored: ReadonlyMap<string, GivenName>;
  /** By key; given in this process. */
  readonly given: ReadonlyMap<string, GivenName>;
  /** Every name given in this process. A client may still use it, so no other server gets it. */
  readonly owners: ReadonlyMap<string, Owner>;
}

interface Named {
  readonly definition: Definition;
  readonly duplicates: readonly Definition[];
}

/** The names of one scan. */
export interface NamedServers {
  /** In the order of the servers. */
  readonly names: readonly GivenName[];
  readonly known: KnownNames;
}

export const NO_NAMES: KnownNames = { stored: new Map(), given: new Map(), owners: new Map() };
/** Far more names than the files of one machine have; the oldest are dropped. */
const MAX_NAMES = 4_000;
const MAX_NAME_CHARACTERS = 1_000;

/**
 * Gives different servers of one name different names and aliases. A server keeps its name; of new ones, the first gets
 * the plain name.
 */
export function nameServers(servers: readonly Named[], known: KnownNames): NamedServers {
  const keys = servers.map(keysOf);
  const written = new Set(servers.map(({ definition }) => definition.name));
  const used = new Set<string>();
  const usedAliases = new Set<string>();
  const kept = servers.map(({ definition }, at): GivenName | undefined => {
    const before = knownName(keys[at] ?? [], known);
    if (!before || used.has(before.name) || !isNameOf(before.name, definition.name)) return undefined;
    used.add(before.name);
    return before;
  });
  for (const one of kept) if (one && !usedAliases.has(one.alias)) usedAliases.add(one.alias);
  const reserved = new Set([...known.owners.values()].map(({ alias }) => alias));
  const counts = new Map<string, number>();
  const newName = (base: string): string => {
    let name = base;
    let count = counts.get(base) ?? 1;
    // Continues from the last number used for this name, so that many equal names take linear time.
    while (used.has(name) || known.owners.has(name) || (name !== base && written.has(name))) {
      count += 1;
      name = `${base}_${count}`;
    }
    counts.set(base, count);
    used.add(name);
    return name;
  };
  const taken = new Set([...usedAliases, ...reserved]);
  const names = servers.map(({ definition }, at): GivenName => {
    const before = kept[at];
    if (before) return before;
    const name = newName(definition.name);
    const alias = toAlias(name, taken);
    taken.add(alias);
    return { name, alias };
  });
  return { names, known: withNames(servers, keys, names, known) };
}

function withNames(
  servers: readonly Named[],
  keys: readonly (readonly string[])[],
  names: readonly GivenName[],
  known: KnownNames,
): KnownNames {
  const given = new Map(known.given);
  const owners = new Map(known.owners);
  servers.forEach(({ definition }, at) => {
    const name = names[at];
    if (!name) return;
    for (const key of keys[at] ?? []) given.set(key, name);
    owners.set(name.name, { ...name, base: definition.name, identity: launchIdentity(definition) });
  });
  return { stored: known.stored, given: newest(given), owners: newest(owners) };
}

function newest<T>(all: Map<string, T>): ReadonlyMap<string, T> {
  return all.size <= MAX_NAMES ? all : new Map([...all].slice(-MAX_NAMES));
}

/** Two entries are one server if they have the same name, and the same file or the same command or URL. */
function keysOf({ definition, duplicates }: Named): string[] {
  const base = definition.name;
  const places = duplicates
    .filter(({ name }) => name === base)
    .map(({ source }) => JSON.stringify(['at', source, base]));
  return [...new Set(places), JSON.stringify(['is', launchIdentity(definition), base])];
}

function knownName(keys: readonly string[], { stored, given }: KnownNames): GivenName | undefined {
  for (const key of keys) {
    const name = given.get(key) ?? (stored.size > 0 ? stored.get(hashed(key)) : undefined);
    if (name) return name;
  }
  return undefined;
}

function isNameOf(name: string, base: string): boolean {
  return name === base || (name.startsWith(`${base}_`) && /^\d+$/.test(name.slice(base.length + 1)));
}

function hashed(key: string): string {
  return sha256(key).slice(0, 32);
}

/** The names that a client may have seen and that belong to no server any more, with the server to use instead. */
export function removedNames(
  servers: readonly { readonly name: string; readonly definition: Definition }[],
  { owners }: KnownNames,
): ReadonlyMap<string, string | undefined> {
  const present = new Set(servers.map(({ name }) => name));
  const gone = [...owners.values()].filter(({ name }) => !present.has(name));
  return new Map(
    gone.map(({ name, base, identity }) => {
      const same = servers.find(({ definition }) => launchIdentity(definition) === identity);
      return [name, (same ?? servers.find(({ definition }) => definition.name === base))?.name];
    }),
  );
}

export function namesPath(host: Host): string {
  return join(ownFolders(host).state, 'server-names.json');
}

/** The names in the state file. An unreadable file gives no names: servers are then named anew. */
export function readNames(host: Host): KnownNames {
  const reading = host.files.read(namesPath(host));
  return reading.kind === 'read' ? { ...NO_NAMES, stored: parseNames(reading.text) } : NO_NAMES;
}

function parseNames(text: string): ReadonlyMap<string, GivenName> {
  try {
    const value: unknown = JSON.parse(text);
    const names = isObject(value) && isObject(value.names) ? Object.entries(value.names) : [];
    return new Map(names.slice(-MAX_NAMES).filter((entry): entry is [string, GivenName] => isGivenName(entry[1])));
  } catch {
    return new Map(); // cut off by a full disk, or edited
  }
}

function isGivenName(value: unknown): value is GivenName {
  if (!isObject(value)) return false;
  const isText = (one: unknown) => typeof one === 'string' && one !== '' && one.length <= MAX_NAME_CHARACTERS;
  return isText(value.name) && isText(value.alias);
}

/**
 * The new text of the state file; undefined if nothing is new. A plain name of a repository's server is not stored,
 * because a repository must not keep a name from the user's own servers.
 */
export function namesToStore(
  servers: readonly (Named & GivenName)[],
  { stored }: KnownNames,
  host: Host,
): string | undefined {
  const names = new Map(stored);
  let isNew = false;
  for (const server of servers) {
    const { name, alias, definition } = server;
    if (isRunning(definition) || definition.scope === 'dynamic') continue;
    if (name === definition.name && isFromRepository(definition, host)) continue;
    for (const key of keysOf(server).map(hashed)) {
      const before = names.get(key);
      if (before?.name === name && before.alias === alias) continue;
      names.set(key, { name, alias });
      isNew = true;
    }
  }
  return isNew ? `${JSON.stringify({ version: 1, names: Object.fromEntries(newest(names)) }, null, 1)}\n` : undefined;
}
