import { dirname, isAbsolute, join } from 'node:path';
import type { Host } from '../model/index.js';
import type { Client } from './client.js';
import { isProjectTemplate, resolveTemplate, templatesFor } from './path-template.js';
import type { LocatedEntry } from './to-definition.js';

/** Whether a client is installed: it has a file outside projects, or a directory for one. */
function isInstalledClient({ places }: Client, host: Host): boolean {
  return places.some((place) => {
    if (place.given || place.variable !== undefined) return false;
    const paths = templatesFor(place.path, host.platform)
      .filter((template) => !isProjectTemplate(template))
      .flatMap((template) => resolveTemplate(template, host))
      .filter(({ pattern, path }) => !pattern && isAbsolute(path));
    return paths.some(({ path }) => host.files.exists(path) || isOwnFolder(dirname(path), host));
  });
}

/** The home directory and the directories of all programs say nothing about one client. */
function isOwnFolder(folder: string, host: Host): boolean {
  const shared = [host.home, join(host.home, '.config'), host.env.XDG_CONFIG_HOME];
  return !shared.includes(folder) && host.files.status(folder)?.kind === 'folder';
}

/**
 * The entries that become definitions, each with its form. Of clients that read an entry from one file, those that are
 * not installed are left out. If none is installed, the first one stays: the table lists the owner of a file before other
 * readers of it.
 */
export function byInstalledClients(
  entries: readonly LocatedEntry[],
  clients: readonly Client[],
  host: Host,
): ReadonlyMap<LocatedEntry, LocatedEntry> {
  const byPlace = new Map<string, LocatedEntry[]>();
  for (const entry of entries) {
    const { source, line, written } = entry;
    const key = JSON.stringify([source, line, written.name]);
    const readers = byPlace.get(key);
    if (readers) readers.push(entry);
    else byPlace.set(key, [entry]);
  }
  const known = new Map<string, boolean>();
  const isInstalled = (id: string): boolean => {
    const client = clients.find((one) => one.id === id);
    const answer = known.get(id) ?? (client === undefined || isInstalledClient(client, host));
    known.set(id, answer);
    return answer;
  };
  return new Map([...byPlace.values()].flatMap((readers) => usersOf(readers, isInstalled)));
}

function usersOf(
  readers: readonly LocatedEntry[],
  isInstalled: (client: string) => boolean,
): (readonly [LocatedEntry, LocatedEntry])[] {
  const [owner] = readers;
  const isShared = readers.some(({ client }) => client !== owner?.client);
  if (!owner || !isShared) return readers.map((one) => [one, one]);
  const users = readers.filter(({ client }) => isInstalled(client));
  if (users.length === 0) return readers.filter(({ client }) => client === owner.client).map((one) => [one, one]);
  // Its references are those of the owner, which may be the only one that knows them.
  const { expansion } = owner.place;
  const isForeign = (one: LocatedEntry) => one.place.borrowed && !users.includes(owner);
  return users.map((one) => [one, isForeign(one) ? { ...one, place: { ...one.place, expansion } } : one]);
}
