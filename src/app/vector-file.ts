import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { diskFiles, type Log, sha256, writeFile } from '../base/index.js';
import type { VectorCache } from '../search/index.js';

const WRITE_AFTER_MS = 5_000;
const DIMENSIONS = 512;
const KEY_BYTES = 16;
const SUM_BYTES = 4;
const RECORD_BYTES = KEY_BYTES + SUM_BYTES + DIMENSIONS;
/** 26 MB. A file with more is cut to the latest half. */
const MAX_RECORDS = 50_000;

/**
 * The vectors of tools in one file, by a hash of the text that the model read. Each record has a checksum; a file with a
 * wrong one is replaced. Several processes may append: a vector that is there twice does no harm.
 */
export class VectorFile implements VectorCache, AsyncDisposable {
  readonly #path: string;
  readonly #log: Log;
  readonly #vectors = new Map<string, Int8Array>();
  #fresh: Buffer[] = [];
  #isWhole = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
    this.#load();
  }

  get(text: string): Int8Array | undefined {
    return this.#vectors.get(keyOf(text));
  }

  put(text: string, vector: Int8Array): void {
    const key = keyOf(text);
    if (vector.length !== DIMENSIONS || this.#vectors.has(key)) return;
    this.#vectors.set(key, vector);
    this.#fresh.push(recordOf(key, vector));
    this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER_MS).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer) await this.#write();
    await this.#writing;
  }

  #load(): void {
    const reading = diskFiles.content(this.#path, 2 * MAX_RECORDS * RECORD_BYTES);
    if (reading.kind !== 'whole') return;
    const bytes = Buffer.from(reading.bytes);
    const count = bytes.length / RECORD_BYTES;
    if (!Number.isInteger(count)) return;
    for (let at = Math.max(0, count > MAX_RECORDS ? count - MAX_RECORDS / 2 : 0); at < count; at += 1) {
      const record = bytes.subarray(at * RECORD_BYTES, (at + 1) * RECORD_BYTES);
      const vector = record.subarray(KEY_BYTES + SUM_BYTES);
      if (record.readUInt32LE(KEY_BYTES) !== crc32(vector)) {
        this.#vectors.clear();
        return;
      }
      this.#vectors.set(
        record.subarray(0, KEY_BYTES).toString('hex'),
        Int8Array.from(new Int8Array(vector.buffer, vector.byteOffset, DIMENSIONS)),
      );
    }
    this.#isWhole = count <= MAX_RECORDS;
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(async () => {
      const fresh = this.#fresh.splice(0);
      try {
        await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
        if (this.#isWhole) await appendFile(this.#path, Buffer.concat(fresh), { mode: 0o600 });
        else
          await writeFile(this.#path, Buffer.concat([...this.#vectors].map(([key, vector]) => recordOf(key, vector))));
        this.#isWhole = true;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#log('warn', 'cannot save the vectors of tools', { error: reason });
      }
    });
    return this.#writing;
  }
}

function keyOf(text: string): string {
  return sha256(text).slice(0, 2 * KEY_BYTES);
}

function recordOf(key: string, vector: Int8Array): Buffer {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.length);
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(bytes));
  return Buffer.concat([Buffer.from(key, 'hex'), sum, bytes]);
}
