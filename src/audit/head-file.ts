import type { FileHandle } from 'node:fs/promises';
import { isAbsent, openToWriteOver, replaceFile } from './private-files.js';

/**
 * The file of a chain's head, which changes with every batch of lines. It is made whole once and then written over in
 * one stroke, which a kill cannot split: making a file each time costs more than all the lines of the batch.
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
    // What is shorter would leave the end of the other behind it.
    const isWritten = bytes.length >= this.#length && (await this.#writeOver(bytes));
    if (!isWritten) await this.#replace(text);
    this.#length = bytes.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** False if there is none, or another process took it for one that nobody writes any more: looked at when it is written. */
  async #writeOver(bytes: Buffer): Promise<boolean> {
    const handle = this.#handle;
    if (!handle) return false;
    try {
      const { bytesWritten } = await handle.write(bytes, 0, bytes.length, 0);
      if (bytesWritten < bytes.length) throw new Error('the disk took a part of the head only');
      return (await handle.stat()).nlink > 0;
    } catch (error) {
      await this[Symbol.asyncDispose]().catch(() => undefined); // made anew at the next try
      throw error;
    }
  }

  async #replace(text: string): Promise<void> {
    await this[Symbol.asyncDispose]();
    await replaceFile(this.#path, text);
    this.#handle = await openToWriteOver(this.#path).catch((error: unknown) => {
      if (isAbsent(error)) return undefined; // given up by another process already: made anew at the next batch
      throw error;
    });
  }
}
