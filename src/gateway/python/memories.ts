import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { diskFiles, ErrorCode, isObject, PortolanError, sha256, writeFile } from '../../base/index.js';

/** One memory as it is listed. */
export interface Memory {
  readonly key: string;
  readonly created: string;
  readonly updated: string;
  readonly bytes: number;
  readonly metadata?: unknown;
}

/** What programs keep from one run to the next, for one project. */
export interface Memories {
  save(key: string, value: unknown, metadata: unknown): Promise<true>;
  /** Null where there is none. */
  load(key: string): unknown;
  /** Another value for a memory that is there. */
  update(key: string, value: unknown, metadata: unknown): Promise<true>;
  remove(key: string): Promise<boolean>;
  list(): readonly Memory[];
  exists(key: string): boolean;
}

const MAX_KEY_CHARACTERS = 200;
const MAX_MEMORY_BYTES = 256 * 1024;
const MAX_METADATA_BYTES = 8 * 1024;
const MAX_MEMORIES = 500;
const MAX_PROJECT_BYTES = 16 * 1024 * 1024;
const NAME_CHARACTERS = 40;
const VERSION = 1;

interface Kept {
  readonly memory: Memory;
  readonly value: unknown;
}

/**
 * One file for each memory, replaced whole: gateways that write at the same time lose nothing of each other's, and of two
 * that write the same key one holds. Named by hashes, because a key may be anything.
 */
export function projectMemories(stateFolder: string, project: string): Memories {
  const folder = join(stateFolder, 'memories', sha256(project).slice(0, NAME_CHARACTERS));
  const pathOf = (key: string) => join(folder, `${sha256(key).slice(0, NAME_CHARACTERS)}.json`);
  const put = async (key: string, value: unknown, metadata: unknown, before: Kept | undefined): Promise<true> => {
    if (key.length > MAX_KEY_CHARACTERS) throw tooMuch(`the key is longer than ${MAX_KEY_CHARACTERS} characters`);
    const now = new Date().toISOString();
    const kept = {
      ...{ version: VERSION, key, created: before?.memory.created ?? now, updated: now, value: value ?? null },
      ...givenOr(metadata, before?.memory.metadata),
    };
    const text = `${JSON.stringify(kept)}\n`;
    checkSize(text, kept.metadata);
    checkRoom(folder, pathOf(key), Buffer.byteLength(text));
    await writeFile(pathOf(key), text);
    return true;
  };
  return {
    save: (key, value, metadata) => put(key, value, metadata, readMemory(pathOf(key), key)),
    load: (key) => readMemory(pathOf(key), key)?.value ?? null,
    update: (key, value, metadata) => {
      const before = readMemory(pathOf(key), key);
      if (!before) throw notFound(key);
      return put(key, value, metadata, before);
    },
    remove: async (key) => {
      if (!readMemory(pathOf(key), key)) return false;
      rmSync(pathOf(key), { force: true });
      return true;
    },
    list: () =>
      filesIn(folder)
        .flatMap(({ path }) => readMemory(path)?.memory ?? [])
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    exists: (key) => readMemory(pathOf(key), key) !== undefined,
  };
}

function givenOr(metadata: unknown, before: unknown): { metadata?: unknown } {
  const held = metadata ?? before;
  return held === undefined || held === null ? {} : { metadata: held };
}

function checkSize(text: string, metadata: unknown): void {
  if (Buffer.byteLength(text) > MAX_MEMORY_BYTES)
    throw tooMuch(`a memory has at most ${MAX_MEMORY_BYTES} bytes, this one ${Buffer.byteLength(text)}`);
  if (Buffer.byteLength(JSON.stringify(metadata ?? null)) > MAX_METADATA_BYTES)
    throw tooMuch(`metadata has at most ${MAX_METADATA_BYTES} bytes`);
}

/** Two gateways may both find the last room free: the limit is for what grows, not to the byte. */
function checkRoom(folder: string, path: string, bytes: number): void {
  const others = filesIn(folder).filter((file) => file.path !== path);
  if (others.length >= MAX_MEMORIES) throw tooMuch(`this project has ${MAX_MEMORIES} memories already`);
  if (others.reduce((sum, file) => sum + file.bytes, bytes) > MAX_PROJECT_BYTES)
    throw tooMuch(`the memories of this project would have more than ${MAX_PROJECT_BYTES} bytes`);
}

function filesIn(folder: string): readonly { readonly path: string; readonly bytes: number }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return []; // nothing was kept yet
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const path = join(folder, name);
      const facts = statSync(path, { throwIfNoEntry: false });
      return facts?.isFile() ? [{ path, bytes: facts.size }] : [];
    });
}

/** What lies there may be anything: what is no memory of ours, or another's, is none. */
function readMemory(path: string, wanted?: string): Kept | undefined {
  const reading = diskFiles.read(path);
  if (reading.kind !== 'read') return undefined;
  const kept = parsed(reading.text);
  if (!isObject(kept) || kept.version !== VERSION) return undefined;
  const { key, created, updated, value, metadata } = kept;
  if (typeof key !== 'string' || typeof created !== 'string' || typeof updated !== 'string') return undefined;
  if (wanted !== undefined && key !== wanted) return undefined;
  const bytes = Buffer.byteLength(reading.text);
  return { memory: { key, created, updated, bytes, ...(metadata !== undefined && { metadata }) }, value };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tooMuch(why: string): PortolanError {
  return new PortolanError(ErrorCode.LimitExceeded, why, { hint: 'keep less, or delete_memory what is not needed' });
}

function notFound(key: string): PortolanError {
  return new PortolanError(ErrorCode.MemoryNotFound, `there is no memory called ${JSON.stringify(key.slice(0, 100))}`, {
    hint: 'save_memory makes one; list_memories shows what there is',
  });
}
