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

/** An entry that a client reads although it is not installed, and another client reads, too. */
export interface AbsentReader {
  /** It is the first reader of the file: the table lists the owner of a file before other readers of it. */
  readonly isOwner: boolean;
}

/**
 * Finds the entries of clients that are not installed among those that several clients read from one file. If none of
 * its readers is installed, only the owner counts as one.
 */
export function absentReaders(
  entries: readonly LocatedEntry[],
  clients: readonly Client[],
  host: Host,
): ReadonlyMap<LocatedEntry, AbsentReader> {
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
  const absent = new Map<LocatedEntry, AbsentReader>();
  for (const readers of byPlace.values()) {
    const owner = readers[0]?.client;
    if (readers.every(({ client }) => client === owner)) continue;
    const present = readers.filter(({ client }) => isInstalled(client));
    for (const reader of readers) {
      const isOwner = reader.client === owner;
      if (present.length > 0 ? !present.includes(reader) : !isOwner) absent.set(reader, { isOwner });
    }
  }
  return absent;
}
