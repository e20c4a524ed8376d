import { join } from 'node:path';
import { diskFiles, hmac256, isObject, type Log, randomKey, writeFile } from '../base/index.js';
import type { ServerHandshake } from '../model/index.js';
import { type AdmittedServer, fingerprint } from '../policy/index.js';
import { isListedTool, type ListedTool } from './read-tools.js';

/** What is known of one server. */
export interface Knowledge {
  readonly greeting?: ServerHandshake;
  readonly tools?: readonly ListedTool[];
  /** When the tools were read, in milliseconds. */
  readonly readAt?: number;
  /** The last failure, until a reading succeeds. */
  readonly error?: { readonly message: string; readonly at: number };
  /** It wanted to know where its client works. */
  readonly asksForRoots?: true;
}

/** Tool names and the hashes under which they were first seen or last approved. */
export type Pins = Readonly<Record<string, string>>;

/** Where knowledge outlives the process. Each server has a file of its own, replaced whole, so gateways can share it. */
export interface Store {
  read(server: AdmittedServer): Knowledge;
  write(server: AdmittedServer, knowledge: Knowledge): Promise<void>;
  readPins(server: AdmittedServer): Pins | undefined;
  writePins(server: AdmittedServer, pins: Pins): Promise<void>;
  /** Another one when any pins were written since; undefined where that cannot be told yet. */
  pinsStamp(): number | undefined;
}

export interface StoreFolders {
  /** May be lost at any time. */
  readonly cache: string;
  /** What a person would miss. */
  readonly state: string;
}

const VERSION = 1;
const MIN_KEY_CHARACTERS = 32;
/** Some disks tell time in steps of two seconds: what was written just now may be followed by more at the same time. */
const CLOCK_STEP_MS = 3_000;
/** What is never written but whole. */
const KNOWN_OF_A_SERVER = ['greeting', 'tools', 'error', 'asksForRoots'] as const satisfies (keyof Knowledge)[];

export function diskStore({ cache, state }: StoreFolders, log: Log): Store {
  const keyPath = join(state, 'catalog.key');
  let key: string | undefined;
  // Named by a keyed hash: a launch holds secrets, and from a plain hash of it one could try them out.
  const fileOf = (folder: string, server: AdmittedServer): string => {
    key ??= storedKey(keyPath);
    return join(folder, `${hmac256(key ?? '', fingerprint(server.definition)).slice(0, 40)}.json`);
  };
  const notUsable = (path: string) => log('warn', 'a file of the catalog is not usable and is made anew', { path });
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
        // Another gateway was faster: its key counts.
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
      // What cannot be read is not what was never there: nothing is known of any tool until a person looks at them.
      return isWhole ? (pins as Record<string, string>) : {};
    },
    writePins: (server, pins) => writeJson(pinFolder, server, { pins }),
    // Files are replaced and not written into, so that one look at their folder tells of all.
    pinsStamp: () => {
      const writtenAt = timeOf(pinFolder);
      return Math.abs(Date.now() - writtenAt) > CLOCK_STEP_MS ? writtenAt : undefined;
    },
  };
}

/** For those who switched the cache off: pins are kept, because a change must show all the same. */
export function withoutCache(store: Store): Store {
  return { ...store, read: () => ({}), write: async () => undefined };
}

function storedKey(path: string): string | undefined {
  const reading = diskFiles.read(path);
  const key = reading.kind === 'read' ? reading.text.trim() : '';
  return key.length >= MIN_KEY_CHARACTERS ? key : undefined;
}

/** When something came into a folder or left it; always the same where it cannot be looked at. */
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

function readKnowledge({ greeting, tools, readAt, error, asksForRoots }: Record<string, unknown>): Knowledge {
  const isWhole = Array.isArray(tools) && tools.every(isListedTool) && typeof readAt === 'number';
  return {
    ...(isGreeting(greeting) && { greeting }),
    ...(isWhole && { tools, readAt }),
    ...(isObject(error) &&
      typeof error.message === 'string' &&
      typeof error.at === 'number' && { error: { message: error.message, at: error.at } }),
    ...(asksForRoots === true && { asksForRoots }),
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
