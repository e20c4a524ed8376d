import { join } from 'node:path';
import { PortolanError, type ProcessIdentity, type WritableDisk } from '../base/index.js';
import { entryName, isEntryName, livenessOfUnfinished, unfinishedName } from './entry-file-names.js';
import { MAX_ENTRY_BYTES, parseEntryFile } from './parse-entry.js';
import { checkFile, checkPlace, codeOf, makePlace, type Place, readOwn } from './private-folder.js';
import { livenessOf, lookAtProcesses, type ProcessLook } from './process-liveness.js';
import type { EntryFile, RegisteredServer } from './server-info.js';

/** More servers than anybody runs; files beyond are left unread, and that is said. */
const MAX_SERVERS = 1_000;
const PRIVATE_FILE = 0o600;
/** A folder is listed again until two looks agree, as a name that is being replaced can be missed. */
const MAX_LOOKS = 5;
/** A server in another container counts as running for so many seconds after its last heartbeat. */
const ELSEWHERE_SECONDS = 300;
/** Windows refuses to replace a file while somebody reads it. */
const MAX_RENAMES = 20;
const RENAME_PAUSE_MS = 10;

/** Everything that was in the folder at one time. */
export interface FolderReading {
  readonly files: readonly { readonly name: string; readonly entry: EntryFile }[];
  readonly unfinished: readonly string[];
  readonly problems: readonly string[];
  /** False where a file may be good but could not be read just now: what is made from this reading would leave it out. */
  readonly isWhole: boolean;
  /** Changes with every file that is added, replaced or removed. */
  readonly signature: string;
}

const NOTHING: FolderReading = { files: [], unfinished: [], problems: [], isWhole: true, signature: '' };

/** Never writes, and never waits: whatever stands in the place of a file of ours is a problem beside the good ones. */
export function readFolder(place: Place, most: number = MAX_SERVERS): FolderReading {
  if (checkPlace(place) === 'absent') return NOTHING;
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
      if (text === undefined) continue; // withdrawn since we looked
      const entry = parseEntryFile(text);
      if (entry !== undefined && nameOf(entry) === name) files.push({ name, entry });
      else problems.push(`${path} is no announcement of a server; remove it`);
    } catch (error) {
      problems.push(messageOf(error));
      // What was refused stays refused; anything else may be readable a moment later.
      if (!(error instanceof PortolanError)) isWhole = false;
    }
  }
  if (all.length > most) problems.push(`${place.folder} holds more than ${most} servers; the rest is unread`);
  return { files, unfinished: names.filter((name) => name.endsWith('.tmp')), problems, isWhole, signature };
}

/** What a reading would be told apart by; cheaper than the reading itself. */
export function folderSignature(place: Place): string {
  if (checkPlace(place) === 'absent') return '';
  return signatureOf(place.folder, namesIn(place.folder).filter(isEntryName).toSorted());
}

/** What of a reading runs, and which files the dead left. */
export interface JudgedFolder {
  readonly running: readonly RegisteredServer[];
  readonly dead: readonly string[];
}

/** The look at processes comes after the reading: an older one could take a new process for a dead one. */
export async function judge(
  { files, unfinished }: FolderReading,
  uptime: number,
  lookNow: () => Promise<ProcessLook> = lookAtProcesses,
): Promise<JudgedFolder> {
  const look = await lookNow();
  const judged = files.map((file) => ({ ...file, liveness: livenessOf(file.entry.server.start_identity, look) }));
  const running = judged.flatMap(({ entry: { id, server }, liveness }): RegisteredServer[] => {
    if (liveness === 'dead') return [];
    if (liveness === 'elsewhere' && uptime - server.heartbeat_uptime > ELSEWHERE_SECONDS) return [];
    return [{ id, ...server, liveness }];
  });
  // Two processes may announce the same server; the one that was heard last is believed.
  const latest = new Map<string, RegisteredServer>();
  for (const server of running.toSorted((a, b) => a.heartbeat_uptime - b.heartbeat_uptime))
    latest.set(JSON.stringify([server.id, server.start_identity]), server);
  return {
    running: [...latest.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    dead: [
      ...judged.filter(({ liveness }) => liveness === 'dead').map(({ name }) => name),
      ...unfinished.filter((name) => livenessOfUnfinished(name, look) === 'dead'),
    ],
  };
}

/** Puts a server's file in its place, whole or not at all. */
export async function writeEntry(place: Place, entry: EntryFile, disk: WritableDisk): Promise<void> {
  await makePlace(place, disk);
  const path = join(place.folder, nameOf(entry));
  checkFile(path, MAX_ENTRY_BYTES);
  await replace(place, path, JSON.stringify(entry), { writer: entry.writer, disk, sync: true });
}

function nameOf({ id, server, writer }: EntryFile): string {
  return entryName(id, server.start_identity, writer);
}

/** It cannot hit the living when the dead are meant: the name of a dead server's file is never used again. */
export async function removeFrom(place: Place, name: string, disk: WritableDisk): Promise<void> {
  const path = join(place.folder, name);
  if (checkFile(path, Number.POSITIVE_INFINITY) === undefined) return;
  await disk.remove(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error; // another one cleaned up first
  });
}

/** A new file in the registry's own folder, which nobody else can enter, is renamed over the old one. */
export async function replace(
  place: Place,
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
    await disk.remove(fresh).catch(() => undefined); // the first fault is the one to tell of
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
  for (let n = 1; n < MAX_LOOKS; n += 1) {
    const again = readdirSync(folder);
    if (again.length === seen.length && again.every((name, place) => name === seen[place])) return again;
    seen = n + 1 < MAX_LOOKS ? again : [...new Set([...seen, ...again])];
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
