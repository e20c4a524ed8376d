import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { randomKey } from '../base/index.js';
import { fileName, headName, parseFileName } from './audit-file-names.js';
import { floorOf, leftoverHeads, listFiles, readHeads, sightings, surplus } from './audit-folder.js';
import { ensureKey } from './audit-key.js';
import { type Draft, type FileLine, NO_HASH, openEntry, openFile, openLoss, sealLine } from './audit-line.js';
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

/** One append, after which the head is sealed again: this many entries can be ahead of it when the process is killed. */
export const MAX_BATCH_ENTRIES = 128;
/** The entries of one append, the first line of a new file, and a line that tells of lost ones. */
export const MAX_UNSEALED_LINES = MAX_BATCH_ENTRIES + 2;

interface Current {
  readonly name: string;
  readonly handle: FileHandle;
  /** Its first line, until it is written. */
  first: FileLine | undefined;
  size: number;
}

/** Writes one chain. Any step may fail and be tried again: nothing counts before it is on the disk. */
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
   * Appends them, `MAX_BATCH_ENTRIES` at a time. `onWritten` is told of each batch that is on the disk, also where a later
   * step of it throws. Whether the file is still there is looked at once for all of them.
   */
  async append(
    drafts: readonly Draft[],
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

  async #appendLines(current: Current, drafts: readonly Draft[], lost: number, key: string): Promise<void> {
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
      await current.handle.truncate(current.size).catch(() => undefined); // tried again before the next append
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

  /** The file to append to: the one at hand, unless it was given up by another process or was never begun. */
  async #file(): Promise<Current> {
    const current = this.#current;
    if (!current) return this.#next(await this.#open());
    const { size, nlink } = await current.handle.stat();
    if (nlink === 0) return this.#next(await this.#keyAgain());
    // A head that could not be written comes first: no second batch may get ahead of it.
    if (!this.#isSealed) await this.#seal(await this.#open());
    // What a failed append left behind would break the chain.
    if (size > current.size) await current.handle.truncate(current.size);
    return current;
  }

  /**
   * Where the whole folder was taken away, the key is put back, so that what is missing shows as missing. If another process
   * has made a key of its own meanwhile, this chain could not be verified any more, and another begins.
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
    // Also where the clock was set back: a file must come after those before it, and after those that may be missing.
    const [last, lowest] = [this.#head.file, floor].map((name) => parseFileName(name)?.at ?? 0);
    const name = fileName(Math.max(now(), (last ?? 0) + 1, (lowest ?? 0) + 1), this.#chain);
    const { count, hash } = this.#head;
    const after = count === 0 ? null : this.#head.file;
    // The head is there before the first line, so that lines without one are always a sign; and it tells of a new floor
    // before anything is removed.
    this.#head = { ...this.#head, floor, file: after ?? name };
    await this.#seal(key);
    const handle = await createForLines(join(folder, name));
    // What it holds is in the chain: whether all of it arrived shows there, and the next file is begun in any case.
    await this.#current?.handle.close().catch(() => undefined);
    const at = new Date(now()).toISOString();
    const seen = sightings(heads, this.#chain);
    const first: FileLine = {
      kind: 'file',
      sequence: count,
      at,
      file: name,
      chain: this.#chain,
      after,
      previous: hash,
      seen,
    };
    this.#current = { name, handle, first, size: 0 };
    const left = files.filter((file) => !doomed.includes(file));
    const empty = leftoverHeads(heads, left, floor, this.#chain);
    const gone = [...doomed.map((file) => file.name), ...empty, ...(await abandoned(folder))];
    // What cannot be removed now is tried again when the next file is begun.
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
