import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { randomKey } from '../base/index.js';
import { fileName, headName, parseFileName } from './audit-file-names.js';
import { floorOf, leftoverHeads, listFiles, readHeads, surplus } from './audit-folder.js';
import { ensureKey } from './audit-key.js';
import { type EntryDraft, type FileLine, NO_HASH, openEntry, openFile, openLoss, sealLine } from './audit-line.js';
import { type Head, sealHead } from './chain-head.js';
import { HeadFile } from './head-file.js';
import { abandoned, createForLines, openFolder, removeIn } from './private-files.js';

export interface ChainOptions {
  readonly folder: string;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  readonly now: () => number;
  readonly maxFileBytes: number;
  readonly keepFiles: number;
}

/**
 * The maximum number of entries per append. The head is sealed after each append, so a killed process leaves at most
 * this many unsealed.
 */
export const MAX_BATCH_ENTRIES = 128;
/** One batch, the first line of a new file, and a line that reports lost entries. */
export const MAX_UNSEALED_LINES = MAX_BATCH_ENTRIES + 2;

interface Current {
  readonly name: string;
  readonly handle: FileHandle;
  /** The first line of the file, until it is written. */
  first: FileLine | undefined;
  size: number;
}

/** Writes one chain. Every step may fail and be retried: state changes only after the write succeeded. */
export class ChainWriter implements AsyncDisposable {
  readonly #options: ChainOptions;
  #chain: string;
  #headFile: HeadFile;
  #key: string | undefined;
  #current: Current | undefined;
  #head: Head;
  #isSealed = false;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.#chain = newChain(options.pid);
    this.#headFile = new HeadFile(join(options.folder, headName(this.#chain)));
    this.#head = beginningOf(this.#chain);
  }

  /**
   * Appends entries in batches of `MAX_BATCH_ENTRIES`. Calls `onWritten` for each batch on disk, even if a later step
   * throws. Checks once for all batches that the file still exists.
   */
  async append(
    drafts: readonly EntryDraft[],
    lost: number,
    onWritten: (entries: number, lost: number) => void,
  ): Promise<void> {
    let current = await this.#file();
    const key = await this.#open();
    let left = lost;
    let from = 0;
    do {
      if (current.size >= this.#options.maxFileBytes) current = await this.#next(key);
      const batch = drafts.slice(from, from + MAX_BATCH_ENTRIES);
      await this.#appendLines(current, batch, left, key);
      onWritten(batch.length, left);
      left = 0;
      from += MAX_BATCH_ENTRIES;
      await this.#seal(key);
    } while (from < drafts.length);
  }

  async #appendLines(current: Current, drafts: readonly EntryDraft[], lost: number, key: string): Promise<void> {
    let { count, hash } = this.#head;
    let text = '';
    const add = (open: string) => {
      const line = sealLine(open, hash, key);
      text += line.text;
      hash = line.hash;
      count += 1;
    };
    if (current.first) add(openFile(current.first));
    if (lost > 0) add(openLoss(count, this.#options.now(), lost));
    for (const draft of drafts) add(openEntry(draft, count, key));
    const bytes = Buffer.from(text);
    try {
      await current.handle.appendFile(bytes);
    } catch (error) {
      await current.handle.truncate(current.size).catch(() => undefined); // retried before the next append
      throw error;
    }
    current.size += bytes.length;
    current.first = undefined;
    this.#head = { ...this.#head, count, hash, file: current.name };
    this.#isSealed = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#headFile[Symbol.asyncDispose]();
    await this.#current?.handle.close();
    this.#current = undefined;
  }

  async #open(): Promise<string> {
    if (this.#key !== undefined) return this.#key;
    await openFolder(this.#options.folder);
    const key = await ensureKey(this.#options.folder);
    this.#key = key;
    return key;
  }

  /** The current file, or a new one if there is none or another process deleted it. */
  async #file(): Promise<Current> {
    const current = this.#current;
    if (!current) return this.#next(await this.#open());
    const { size, nlink } = await current.handle.stat();
    if (nlink === 0) return this.#next(await this.#keyAgain());
    // An unwritten head comes first: only one batch may be ahead of the head.
    if (!this.#isSealed) await this.#seal(await this.#open());
    // Remains of a failed append would break the chain.
    if (size > current.size) await current.handle.truncate(current.size);
    return current;
  }

  /**
   * If the whole directory was deleted, restores the key, so that the missing lines are detected. If another process
   * has created a new key since, this chain can no longer be verified, and a new one begins.
   */
  async #keyAgain(): Promise<string> {
    const before = await this.#open();
    await openFolder(this.#options.folder);
    const key = await ensureKey(this.#options.folder, before);
    if (key === before) return key;
    this.#key = key;
    this.#chain = newChain(this.#options.pid);
    this.#head = beginningOf(this.#chain);
    await this.#headFile[Symbol.asyncDispose]();
    this.#headFile = new HeadFile(join(this.#options.folder, headName(this.#chain)));
    return key;
  }

  async #next(key: string): Promise<Current> {
    const { folder, keepFiles, isAlive, now } = this.#options;
    await openFolder(folder);
    const [files, heads] = [await listFiles(folder), await readHeads(folder, key)];
    const doomed = surplus(files, Math.max(1, keepFiles) - 1, (pid) => pid !== this.#options.pid && isAlive(pid));
    const floor = [this.#head.floor, floorOf(heads), doomed.at(-1)?.name ?? ''].toSorted().at(-1) ?? '';
    // If the clock was set back, the name must still sort after earlier files and after the floor.
    const [last, lowest] = [this.#head.file, floor].map((name) => parseFileName(name)?.at ?? 0);
    const name = fileName(Math.max(now(), (last ?? 0) + 1, (lowest ?? 0) + 1), this.#chain);
    const { count, hash } = this.#head;
    const after = count === 0 ? null : this.#head.file;
    // The head is written before the first line, so that lines without a head always indicate tampering. It contains
    // the new floor before any file is deleted.
    this.#head = { ...this.#head, floor, file: after ?? name };
    await this.#seal(key);
    const handle = await createForLines(join(folder, name));
    // The content is verified through the chain, so an error on closing can be ignored.
    await this.#current?.handle.close().catch(() => undefined);
    const at = new Date(now()).toISOString();
    const first: FileLine = {
      kind: 'file',
      sequence: count,
      at,
      file: name,
      chain: this.#chain,
      after,
      previous: hash,
    };
    this.#current = { name, handle, first, size: 0 };
    const left = files.filter((file) => !doomed.includes(file));
    const empty = leftoverHeads(heads, left, floor, this.#chain);
    const gone = [...doomed.map((file) => file.name), ...empty, ...(await abandoned(folder))];
    // A file that cannot be deleted now is deleted when the next file is created.
    for (const one of gone) await removeIn(folder, one).catch(() => undefined);
    return this.#current;
  }

  async #seal(key: string): Promise<void> {
    this.#isSealed = false;
    await this.#headFile.write(sealHead(this.#head, key));
    this.#isSealed = true;
  }
}

function newChain(pid: number): string {
  return `${pid}-${randomKey().slice(0, 12)}`;
}

function beginningOf(chain: string): Head {
  return { chain, count: 0, hash: NO_HASH, file: '', floor: '' };
}
