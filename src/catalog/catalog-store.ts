import { join } from 'node:path';
import { diskFiles, hmac256, isObject, type Log, randomKey, writeFile } from '../base/index.js';
import type { ServerHandshake } from '../model/index.js';
import { type AdmittedServer, fingerprint } from '../policy/index.js';
import { isListedTool, type ListedTool } from './read-tools.js';
import { type KnownEras, readEras } from './server-eras.js';

/** The stored facts about one server. */
export interface Knowledge {
  readonly handshake?: ServerHandshake;
  readonly tools?: readonly ListedTool[];
  /** The time when the tools were read, in milliseconds. */
  readonly readAt?: number;
  /** The last failure, until a reading succeeds. */
  readonly error?: { readonly message: string; readonly at: number };
  /** The server has requested the roots of its client. */
  readonly asksForRoots?: true;
  /** The server has sent sampling or elicitation requests to its client. */
  readonly asksClient?: true;
  readonly eras?: KnownEras;
}

/** Tool names with the hashes that were first seen or last approved. */
export type Pins = Readonly<Record<string, string>>;

/** Persistent storage of the catalog. Each server has its own file, replaced atomically, so gateways can share it. */
export interface Store {
  read(server: AdmittedServer): Knowledge;
  write(server: AdmittedServer, knowledge: Knowledge): Promise<void>;
  readPins(server: AdmittedServer): Pins | undefined;
  writePins(server: AdmittedServer, pins: Pins): Promise<void>;
  /** Changes whenever pins were written; undefined if the file time is too recent to tell. */
  pinsStamp(): number | undefined;
}

export interface StoreFolders {
  /** The directory for data that may be lost at any time. */
  readonly cache: string;
  /** The directory for data that the user would miss. */
  readonly state: string;
}

const VERSION = 1;
const MIN_KEY_CHARACTERS = 32;
/** Some disks have a time resolution of two seconds: a recent file may be written again within the same time stamp. */
const CLOCK_STEP_MS = 3_000;
/** These facts are written together or not at all. */
const KNOWN_OF_A_SERVER = [
  'handshake',
  'tools',
  'error',
  'asksForRoots',
  'asksClient',
  'eras',
] as const satisfies (keyof Knowledge)[];

export function diskStore({ cache, state }: StoreFolders, log: Log): Store {
  const keyPath = join(state, 'catalog.key');
  let key: string | undefined;
  // Named by a keyed hash, because a launch contains secrets, and guesses could be verified with a plain hash.
  const fileOf = (folder: string, server: AdmittedServer): string => {
    key ??= storedKey(keyPath);
    return join(folder, `${hmac256(key ?? '', fingerprint(server.definition)).slice(0, 40)}.json`);
  };
  const notUsable = (path: string) => log('warn', 'a catalog file is not usable and is created again', { path });
  const readJson = (path: string): Record<string, unknown> | undefined => {
    const reading = diskFiles.read(path);
    if (reading.kind === 'absent') return undefined;
    const value = reading.kind === 'read' ? parsed(reading.text) : undefined;
    if (isObject(value) && value.version === VERSION) return value;
    notUsable(path);
    return undefined;
  };
  const writeJson = async (folder: string, server: AdmittedServer, value: object): Promise<void> => {
    if (key === undefined && storedKey(keyPath) === undefined) {
      try {
        await writeFile(keyPath, `${randomKey()}\n`, { from: { bytes: undefined } });
      } catch (error) {
        // Another gateway created the key first; use that one.
        if (storedKey(keyPath) === undefined) throw error;
      }
      key = undefined;
    }
    await writeFile(fileOf(folder, server), `${JSON.stringify({ version: VERSION, ...value })}\n`);
  };
  const catalogFolder = join(cache, 'catalog');
  const pinFolder = join(state, 'pins');
  return {
    read: (server) => {
      const path = fileOf(catalogFolder, server);
      const written = readJson(path) ?? {};
      const knowledge = readKnowledge(written);
      if (KNOWN_OF_A_SERVER.some((key) => Object.hasOwn(written, key) && !(key in knowledge))) notUsable(path);
      return knowledge;
    },
    write: (server, knowledge) => writeJson(catalogFolder, server, knowledge),
    readPins: (server) => {
      const path = fileOf(pinFolder, server);
      if (diskFiles.read(path).kind === 'absent') return undefined;
      const written = readJson(path);
      const pins = written?.pins;
      const isWhole = isObject(pins) && Object.values(pins).every((hash) => typeof hash === 'string');
      if (written && !isWhole) notUsable(path);
      // If the file is unreadable, all tools are unknown (not first seen), so that a person must approve them.
      return isWhole ? (pins as Record<string, string>) : {};
    },
    writePins: (server, pins) => writeJson(pinFolder, server, { pins }),
    // Files are replaced, so the time of their directory covers all of them.
    pinsStamp: () => {
      const writtenAt = timeOf(pinFolder);
      return Math.abs(Date.now() - writtenAt) > CLOCK_STEP_MS ? writtenAt : undefined;
    },
  };
}

/** For users who switch the cache off: pins are kept, because changes must still be detected. */
export function withoutCache(store: Store): Store {
  return { ...store, read: () => ({}), write: async () => undefined };
}

function storedKey(path: string): string | undefined {
  const reading = diskFiles.read(path);
  const key = reading.kind === 'read' ? reading.text.trim() : '';
  return key.length >= MIN_KEY_CHARACTERS ? key : undefined;
}

/** The modification time of a directory; a constant if it is not accessible. */
function timeOf(folder: string): number {
  try {
    return process.getBuiltinModule('node:fs').statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readKnowledge({ handshake, tools, readAt, error, ...facts }: Record<string, unknown>): Knowledge {
  const eras = readEras(facts.eras);
  const isWhole = Array.isArray(tools) && tools.every(isListedTool) && typeof readAt === 'number';
  return {
    ...(isGreeting(handshake) && { handshake }),
    ...(isWhole && { tools, readAt }),
    ...(isObject(error) &&
      typeof error.message === 'string' &&
      typeof error.at === 'number' && { error: { message: error.message, at: error.at } }),
    ...(facts.asksForRoots === true && { asksForRoots: true }),
    ...(facts.asksClient === true && { asksClient: true }),
    ...(eras && { eras }),
  };
}

function isGreeting(value: unknown): value is ServerHandshake {
  if (!isObject(value)) return false;
  const { name, version, protocolVersion, instructions, capabilities } = value;
  return (
    [name, version, protocolVersion].every((one) => typeof one === 'string') &&
    (instructions === undefined || typeof instructions === 'string') &&
    (capabilities === undefined || isObject(capabilities))
  );
}
