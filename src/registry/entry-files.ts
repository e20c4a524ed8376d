// Our own files without a lock: locks such as `proper-lockfile` lose updates when processes are killed
// (docs/decisions/0011).
import { join } from 'node:path';
import { codeOf, PortolanError, type ProcessIdentity, type WritableDisk } from '../base/index.js';
import { entryName, isEntryName, livenessOfUnfinished, unfinishedName } from './entry-file-names.js';
import { MAX_ENTRY_BYTES, parseEntryFile } from './parse-entry.js';
import { checkFile, checkRegistryPaths, makeFolders, type RegistryPaths, readOwn } from './private-folder.js';
import { livenessOf, type ProcessSnapshot, readProcesses } from './process-liveness.js';
import type { EntryFile, RegisteredServer } from './server-info.js';

/** The maximum number of files that are read; further ones cause a warning. */
const MAX_SERVERS = 1_000;
const PRIVATE_FILE = 0o600;
/** A directory is listed again until two listings agree, because a listing can miss a name that is being replaced. */
const MAX_LISTINGS = 5;
/** A server in another container counts as running for this many seconds after its last heartbeat. */
const ELSEWHERE_SECONDS = 300;
/** Windows refuses to replace a file that another process is reading. */
const MAX_RENAMES = 20;
const RENAME_PAUSE_MS = 10;

/** The content of the directory at one moment. */
export interface RegistryReading {
  readonly files: readonly { readonly name: string; readonly entry: EntryFile }[];
  readonly unfinished: readonly string[];
  readonly problems: readonly string[];
  /** False if a file that may be valid could not be read: a view made from this reading would omit it. */
  readonly isWhole: boolean;
  /** Changes with every file that is added, replaced or removed. */
  readonly signature: string;
}

const NOTHING: RegistryReading = { files: [], unfinished: [], problems: [], isWhole: true, signature: '' };

/** Never writes and never blocks. An invalid file becomes a problem beside the valid ones. */
export function readFolder(place: RegistryPaths, most: number = MAX_SERVERS): RegistryReading {
  if (checkRegistryPaths(place) === 'absent') return NOTHING;
  const names = namesIn(place.folder);
  const all = names.filter(isEntryName).toSorted();
  const signature = signatureOf(place.folder, all);
  const files: { name: string; entry: EntryFile }[] = [];
  const problems: string[] = [];
  let isWhole = true;
  for (const name of all.slice(0, most)) {
    const path = join(place.folder, name);
    try {
      const text = readOwn(path, MAX_ENTRY_BYTES);
      if (text === undefined) continue; // withdrawn since the listing
      const entry = parseEntryFile(text);
      if (entry !== undefined && nameOf(entry) === name) files.push({ name, entry });
      else problems.push(`${path} is not a server announcement; remove it`);
    } catch (error) {
      problems.push(messageOf(error));
      // A rejected file stays rejected; any other failure may be temporary.
      if (!(error instanceof PortolanError)) isWhole = false;
    }
  }
  if (all.length > most) problems.push(`${place.folder} contains more than ${most} servers; the rest is ignored`);
  return { files, unfinished: names.filter((name) => name.endsWith('.tmp')), problems, isWhole, signature };
}

/** The signature of a reading; cheaper than the reading itself. */
export function folderSignature(place: RegistryPaths): string {
  if (checkRegistryPaths(place) === 'absent') return '';
  return signatureOf(place.folder, namesIn(place.folder).filter(isEntryName).toSorted());
}

/** The running servers of a reading, and the files of dead ones. */
export interface JudgedFolder {
  readonly running: readonly RegisteredServer[];
  readonly dead: readonly string[];
}

/** Processes are checked after reading the directory: an older check would treat a new process as dead. */
export async function judge(
  { files, unfinished }: RegistryReading,
  uptime: number,
  readSnapshot: () => Promise<ProcessSnapshot> = readProcesses,
): Promise<JudgedFolder> {
  const snapshot = await readSnapshot();
  const judged = files.map((file) => ({ ...file, liveness: livenessOf(file.entry.server.start_identity, snapshot) }));
  const running = judged.flatMap(({ entry: { id, server }, liveness }): RegisteredServer[] => {
    if (liveness === 'dead') return [];
    if (liveness === 'elsewhere' && uptime - server.heartbeat_uptime > ELSEWHERE_SECONDS) return [];
    return [{ id, ...server, liveness }];
  });
  // Two processes may announce the same server; the entry with the latest heartbeat counts.
  const latest = new Map<string, RegisteredServer>();
  for (const server of running.toSorted((a, b) => a.heartbeat_uptime - b.heartbeat_uptime))
    latest.set(JSON.stringify([server.id, server.start_identity]), server);
  return {
    running: [...latest.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    dead: [
      ...judged.filter(({ liveness }) => liveness === 'dead').map(({ name }) => name),
      ...unfinished.filter((name) => livenessOfUnfinished(name, snapshot) === 'dead'),
    ],
  };
}

/** Writes the file of a server atomically. */
export async function writeEntry(place: RegistryPaths, entry: EntryFile, disk: WritableDisk): Promise<void> {
  await makeFolders(place, disk);
  const path = join(place.folder, nameOf(entry));
  checkFile(path, MAX_ENTRY_BYTES);
  await replace(place, path, JSON.stringify(entry), { writer: entry.writer, disk, sync: true });
}

function nameOf({ id, server, writer }: EntryFile): string {
  return entryName(id, server.start_identity, writer);
}

/** Cannot remove the file of a live server, because the file name of a dead one is never reused. */
export async function removeFrom(place: RegistryPaths, name: string, disk: WritableDisk): Promise<void> {
  const path = join(place.folder, name);
  if (checkFile(path, Number.POSITIVE_INFINITY) === undefined) return;
  await disk.remove(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error; // another process removed it first
  });
}

/** Creates the new file in the registry's private directory and renames it over the old one. */
export async function replace(
  place: RegistryPaths,
  path: string,
  text: string,
  { writer, disk, sync }: { readonly writer: ProcessIdentity; readonly disk: WritableDisk; readonly sync: boolean },
): Promise<void> {
  const fresh = join(place.folder, unfinishedName(writer));
  const file = await disk.create(fresh, PRIVATE_FILE);
  try {
    try {
      await file.write(Buffer.from(text));
      if (sync) await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path, disk);
  } catch (error) {
    await disk.remove(fresh).catch(() => undefined); // keep the first error
    throw error;
  }
}

async function rename(from: string, to: string, disk: WritableDisk): Promise<void> {
  for (let n = 1; ; n += 1) {
    try {
      return await disk.rename(from, to);
    } catch (error) {
      const isHeldUp = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(String(codeOf(error)));
      if (!isHeldUp || n === MAX_RENAMES) throw error;
      await new Promise((resolve) => setTimeout(resolve, RENAME_PAUSE_MS));
    }
  }
}

function namesIn(folder: string): readonly string[] {
  const { readdirSync } = process.getBuiltinModule('node:fs');
  let seen = readdirSync(folder);
  for (let n = 1; n < MAX_LISTINGS; n += 1) {
    const again = readdirSync(folder);
    if (again.length === seen.length && again.every((name, place) => name === seen[place])) return again;
    seen = n + 1 < MAX_LISTINGS ? again : [...new Set([...seen, ...again])];
  }
  return seen;
}

function signatureOf(folder: string, names: readonly string[]): string {
  const { lstatSync } = process.getBuiltinModule('node:fs');
  return names
    .map((name) => {
      const found = lstatSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
      return found === undefined ? name : `${name}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
    })
    .join('\n');
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof PortolanError && error.hint !== undefined ? `${error.message}; ${error.hint}` : error.message;
}
