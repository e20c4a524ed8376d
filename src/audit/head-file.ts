import type { FileHandle } from 'node:fs/promises';
import { isAbsent, openToWriteOver, replaceFile } from './private-files.js';

/**
 * The file of a chain's head, which changes with every batch. It is created once and then overwritten by a single
 * write, which a kill cannot split. Creating a file each time would cost more than all lines of the batch.
 */
export class HeadFile implements AsyncDisposable {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    // A shorter text would leave the end of the previous one.
    const isWritten = bytes.length >= this.#length && (await this.#writeOver(bytes));
    if (!isWritten) await this.#replace(text);
    this.#length = bytes.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /**
   * Returns false if the file is missing or another process deleted it as abandoned, which is checked after writing.
   */
  async #writeOver(bytes: Buffer): Promise<boolean> {
    const handle = this.#handle;
    if (!handle) return false;
    try {
      const { bytesWritten } = await handle.write(bytes, 0, bytes.length, 0);
      if (bytesWritten < bytes.length) throw new Error('the disk wrote only a part of the head');
      return (await handle.stat()).nlink > 0;
    } catch (error) {
      await this[Symbol.asyncDispose]().catch(() => undefined); // created again at the next try
      throw error;
    }
  }

  async #replace(text: string): Promise<void> {
    await this[Symbol.asyncDispose]();
    await replaceFile(this.#path, text);
    this.#handle = await openToWriteOver(this.#path).catch((error: unknown) => {
      if (isAbsent(error)) return undefined; // deleted by another process: created again with the next batch
      throw error;
    });
  }
}
