import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode, isObject, PortolanError, sha256, writeFile } from '../../base/index.js';

/** One memory as it is listed. */
interface Memory {
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
  load(key: string): Promise<unknown>;
  /** Another value for a memory that is there. */
  update(key: string, value: unknown, metadata: unknown): Promise<true>;
  remove(key: string): Promise<boolean>;
  list(): Promise<readonly Memory[]>;
  exists(key: string): Promise<boolean>;
}

const MAX_KEY_CHARACTERS = 200;
const MAX_MEMORY_BYTES = 256 * 1024;
const MAX_METADATA_BYTES = 8 * 1024;
const MAX_MEMORIES = 500;
/** Gateways that write at the same time may keep some more than there is room for. */
const MAX_LISTED = 2 * MAX_MEMORIES;
const MAX_PROJECT_BYTES = 16 * 1024 * 1024;
/** Enough for all but the value: the longest key, escaped, and the largest metadata. */
const HEAD_BYTES = 10 * 1024;
const NAME_CHARACTERS = 40;
const VERSION = 1;

/**
 * One file for each memory, replaced whole: gateways that write at the same time lose nothing of each other's, and of two
 * that write the same key one holds. Named by hashes, because a key may be anything.
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
      // One after the other: many lists at once must not take all the threads and descriptors that everybody shares.
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
    throw tooMuch(`a memory has at most ${MAX_MEMORY_BYTES} bytes, this one ${Buffer.byteLength(text)}`);
  if (Buffer.byteLength(JSON.stringify(metadata ?? null)) > MAX_METADATA_BYTES)
    throw tooMuch(`metadata has at most ${MAX_METADATA_BYTES} bytes`);
}

/** Two gateways may both find the last room free: the limit is for what grows, not to the byte. */
async function checkRoom(folder: string, name: string, bytes: number): Promise<void> {
  const others = (await namesIn(folder)).filter((other) => other !== name);
  if (others.length >= MAX_MEMORIES) throw tooMuch(`this project has ${MAX_MEMORIES} memories already`);
  let sum = bytes;
  for (const other of others)
    sum += await stat(join(folder, other)).then(
      ({ size }) => size,
      () => 0,
    ); // gone meanwhile
  if (sum > MAX_PROJECT_BYTES)
    throw tooMuch(`the memories of this project would have more than ${MAX_PROJECT_BYTES} bytes`);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []); // nothing was kept yet
  return names.filter((name) => name.endsWith('.json'));
}

/** One object, with all but the value on the first line: who lists memories reads no values. */
function written(head: object, value: unknown): string {
  return `${JSON.stringify(head).slice(0, -1)},\n"value":${JSON.stringify(value)}}\n`;
}

async function readHead(path: string, wanted?: string): Promise<Memory | undefined> {
  return opened(path, async (file, bytes) => {
    const start = await readStart(file, Math.min(bytes, HEAD_BYTES));
    const line = start.subarray(0, Math.max(0, start.indexOf('\n'))).toString();
    const head = line.endsWith(',') ? memoryIn(parsed(`${line.slice(0, -1)}}`), bytes, wanted) : undefined;
    // Written before the first line was the head.
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

/** What lies there may be anything: what cannot be read or is larger than any memory is none. */
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

/** What is no memory of ours, or another's, is none. */
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
  return new PortolanError(ErrorCode.LimitExceeded, why, { hint: 'keep less, or delete_memory what is not needed' });
}

function notFound(key: string): PortolanError {
  return new PortolanError(ErrorCode.MemoryNotFound, `there is no memory called ${JSON.stringify(key.slice(0, 100))}`, {
    hint: 'save_memory makes one; list_memories shows what there is',
  });
}
