import { type ProcessIdentity, sha256, type WritableDisk } from '../base/index.js';
import { folderSignature, judge, readFolder, removeFrom, replace } from './entry-files.js';
import { checkFile, type RegistryPaths, refused } from './private-folder.js';
import type { RegisteredServer } from './server-info.js';

const VERSION = '1.0';
const MAX_VIEW_BYTES = 64 * 1024 * 1024;
/** The beginning of any registry in this format. Ours also records the files it was made from. */
const BEGINNING = /^\s*\{\s*(?:\}|"(?:version|servers)"\s*:)/;
const MADE_FROM = /"made_from": "([0-9a-f]{16})"/;
const BEGINNING_BYTES = 128;
/** While other processes write, each of them refreshes the view too, so this one may give up. */
const MAX_ROUNDS = 200;
const MAX_PAUSE_MS = 8;

export interface ViewWriter {
  readonly writer: ProcessIdentity;
  readonly disk: WritableDisk;
  /** Seconds since boot. */
  readonly uptime: () => number;
}

/** The text of the view, in the format that other programs read. */
function viewOf(servers: readonly RegisteredServer[], madeFrom: string): string {
  // If two containers use one id, the server in our own namespace wins.
  const ordered = servers.toSorted((a, b) => Number(a.liveness === 'alive') - Number(b.liveness === 'alive'));
  const named = new Map(ordered.map(({ id, liveness: _, ...entry }) => [id, entry]));
  const sorted = [...named].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const view = { version: VERSION, made_from: madeFrom, servers: Object.fromEntries(sorted) };
  return `${JSON.stringify(view, null, 2)}\n`;
}

/**
 * Removes files of dead servers and writes the view. There is no lock, so the directory is checked again afterwards: a
 * process that was paused may just have replaced a newer view with an old one.
 */
export async function refreshView(place: RegistryPaths, { writer, disk, uptime }: ViewWriter): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // The view is read before the directory; otherwise an older one could replace it in between.
    const madeFrom = checkView(place.view);
    if (round > 0 && madeFrom === tag(folderSignature(place))) return;
    const reading = readFolder(place);
    const { running, dead } = await judge(reading, uptime());
    for (const name of dead) await removeFrom(place, name, disk);
    if (!reading.isWhole)
      throw new Error(
        `${place.view} was not updated, because some server files cannot be read: ${reading.problems[0]}`,
      );
    if (dead.length > 0 && round === 0) continue;
    const text = viewOf(running, tag(reading.signature));
    // Not synced: it can be rebuilt at any time, and no server survives a power cut.
    await replace(place, place.view, text, { writer, disk, sync: false });
    if (folderSignature(place) === reading.signature) return;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
  }
}

function tag(signature: string): string {
  return sha256(signature).slice(0, 16);
}

/**
 * The signature of the files that the view was made from. Any other file is rejected: a mistyped path could be the
 * user's only copy of something else.
 */
function checkView(path: string): string | undefined {
  if (checkFile(path, MAX_VIEW_BYTES) === undefined) return undefined;
  const { closeSync, constants, openSync, readSync } = process.getBuiltinModule('node:fs');
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const descriptor = openSync(path, flags);
  try {
    const bytes = Buffer.alloc(BEGINNING_BYTES);
    const text = bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
    if (text.trim() !== '' && !BEGINNING.test(text)) throw refused(path, 'is not a server registry');
    return MADE_FROM.exec(text)?.[1];
  } finally {
    closeSync(descriptor);
  }
}
