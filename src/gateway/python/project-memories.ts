import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode, isObject, PortolanError, sha256, writeFile } from '../../base/index.js';

/** A memory as it is listed. */
interface Memory {
  readonly key: string;
  readonly created: string;
  readonly updated: string;
  readonly bytes: number;
  readonly metadata?: unknown;
}

/** The values that programs keep from one run to the next, for each project. */
export interface Memories {
  save(key: string, value: unknown, metadata: unknown): Promise<true>;
  /** Null if there is none. */
  load(key: string): Promise<unknown>;
  /** Replaces the value of an existing memory. */
  update(key: string, value: unknown, metadata: unknown): Promise<true>;
  remove(key: string): Promise<boolean>;
  list(): Promise<readonly Memory[]>;
  exists(key: string): Promise<boolean>;
}

const MAX_KEY_CHARACTERS = 200;
const MAX_MEMORY_BYTES = 256 * 1024;
const MAX_METADATA_BYTES = 8 * 1024;
const MAX_MEMORIES = 500;
/** Gateways that write at the same time may exceed the limit a little. */
const MAX_LISTED = 2 * MAX_MEMORIES;
const MAX_PROJECT_BYTES = 16 * 1024 * 1024;
/** Enough for everything but the value: the longest key, escaped, and the largest metadata. */
const HEAD_BYTES = 10 * 1024;
const NAME_CHARACTERS = 40;
const VERSION = 1;

/**
 * Each memory is one file that is replaced whole, so concurrent gateways keep each other's memories and the last write
 * to a key wins. File names are hashes, because a key may contain any character.
 */
export function projectMemories(stateFolder: string, project: string): Memories {
  const folder = join(stateFolder, 'memories', sha256(project).slice(0, NAME_CHARACTERS));
  const nameOf = (key: string) => `${sha256(key).slice(0, NAME_CHARACTERS)}.json`;
  const pathOf = (key: string) => join(folder, nameOf(key));
  const put = async (key: string, value: unknown, metadata: unknown, before: Memory | undefined): Promise<true> => {
    if (key.length > MAX_KEY_CHARACTERS) throw tooMuch(`the key is longer than ${MAX_KEY_CHARACTERS} characters`);
    const now = new Date().toISOString();
    const head = {
      ...{ version: VERSION, key, created: before?.created ?? now, updated: now },
      ...givenOr(metadata, before?.metadata),
    };
    const text = written(head, value ?? null);
    checkSize(text, head.metadata);
    await checkRoom(folder, nameOf(key), Buffer.byteLength(text));
    await writeFile(pathOf(key), text);
    return true;
  };
  return {
    save: async (key, value, metadata) => put(key, value, metadata, await readHead(pathOf(key), key)),
    load: async (key) => readValue(pathOf(key), key),
    update: async (key, value, metadata) => {
      const before = await readHead(pathOf(key), key);
      if (!before) throw notFound(key);
      return put(key, value, metadata, before);
    },
    remove: async (key) => {
      if (!(await readHead(pathOf(key), key))) return false;
      await rm(pathOf(key), { force: true });
      return true;
    },
    list: async () => {
      const found: Memory[] = [];
      // One at a time, so that parallel lists do not use up the shared threads and file descriptors.
      for (const name of (await namesIn(folder)).slice(0, MAX_LISTED)) {
        const memory = await readHead(join(folder, name));
        if (memory) found.push(memory);
      }
      return found.sort((a, b) => (a.key < b.key ? -1 : 1));
    },
    exists: async (key) => (await readHead(pathOf(key), key)) !== undefined,
  };
}

function givenOr(metadata: unknown, before: unknown): { metadata?: unknown } {
  const held = metadata ?? before;
  return held === undefined || held === null ? {} : { metadata: held };
}

function checkSize(text: string, metadata: unknown): void {
  if (Buffer.byteLength(text) > MAX_MEMORY_BYTES)
    throw tooMuch(`the memory has ${Buffer.byteLength(text)} bytes, more than the limit of ${MAX_MEMORY_BYTES}`);
  if (Buffer.byteLength(JSON.stringify(metadata ?? null)) > MAX_METADATA_BYTES)
    throw tooMuch(`the metadata is larger than ${MAX_METADATA_BYTES} bytes`);
}

/** Approximate: two gateways may both take the last free place. */
async function checkRoom(folder: string, name: string, bytes: number): Promise<void> {
  const others = (await namesIn(folder)).filter((other) => other !== name);
  if (others.length >= MAX_MEMORIES) throw tooMuch(`this project already has ${MAX_MEMORIES} memories`);
  let sum = bytes;
  for (const other of others)
    sum += await stat(join(folder, other)).then(
      ({ size }) => size,
      () => 0,
    ); // deleted meanwhile
  if (sum > MAX_PROJECT_BYTES) throw tooMuch(`the memories of this project would exceed ${MAX_PROJECT_BYTES} bytes`);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []); // no memory was saved yet
  return names.filter((name) => name.endsWith('.json'));
}

/** One JSON object with everything but the value on its first line, so that a list reads no values. */
function written(head: object, value: unknown): string {
  return `${JSON.stringify(head).slice(0, -1)},\n"value":${JSON.stringify(value)}}\n`;
}

async function readHead(path: string, wanted?: string): Promise<Memory | undefined> {
  return opened(path, async (file, bytes) => {
    const start = await readStart(file, Math.min(bytes, HEAD_BYTES));
    const line = start.subarray(0, Math.max(0, start.indexOf('\n'))).toString();
    const head = line.endsWith(',') ? memoryIn(parsed(`${line.slice(0, -1)}}`), bytes, wanted) : undefined;
    // Older files do not have the head on the first line.
    return head ?? memoryIn(parsed((await readStart(file, bytes)).toString()), bytes, wanted);
  });
}

async function readValue(path: string, wanted: string): Promise<unknown> {
  const kept = await opened(path, async (file, bytes) => {
    const whole = parsed((await readStart(file, bytes)).toString());
    return isObject(whole) && memoryIn(whole, bytes, wanted) ? whole.value : undefined;
  });
  return kept ?? null;
}

/** Treats a file that is unreadable or larger than any memory as missing, because the file may come from elsewhere. */
async function opened<T>(path: string, read: (file: FileHandle, bytes: number) => Promise<T>): Promise<T | undefined> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a FIFO waits for someone to write to it.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const facts = await file.stat();
    return facts.isFile() && facts.size <= MAX_MEMORY_BYTES ? await read(file, facts.size) : undefined;
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

async function readStart(file: FileHandle, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** Returns undefined for a file that is not a memory or has another key. */
function memoryIn(kept: unknown, bytes: number, wanted: string | undefined): Memory | undefined {
  if (!isObject(kept) || kept.version !== VERSION) return undefined;
  const { key, created, updated, metadata } = kept;
  if (typeof key !== 'string' || typeof created !== 'string' || typeof updated !== 'string') return undefined;
  if (wanted !== undefined && key !== wanted) return undefined;
  return { key, created, updated, bytes, ...(metadata !== undefined && { metadata }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tooMuch(why: string): PortolanError {
  return new PortolanError(ErrorCode.LimitExceeded, why, { hint: 'save less, or remove memories with delete_memory' });
}

function notFound(key: string): PortolanError {
  return new PortolanError(ErrorCode.MemoryNotFound, `no memory is named ${JSON.stringify(key.slice(0, 100))}`, {
    hint: 'save_memory creates one; list_memories lists them',
  });
}
