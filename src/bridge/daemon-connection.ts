import type { Duplex, Writable } from 'node:stream';
import { ErrorCode, PortolanError } from '../base/index.js';
import { LineSplitter } from '../rpc/index.js';

/** As much as one message of the daemon may hold; larger results were refused by it. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const ANSWER_MS = 10_000;
const NEWLINE = 0x0a;
/** Up to this size a copy costs less than a second part of a write. */
const MAX_COPIED_BYTES = 64 * 1024;
/** No client counts like this. */
const OWN_ID = 'portolan-pipe-';
/** The daemon writes an answer in this order; with an id that is anything unusual it is read as a whole. */
const ANSWER = /^\{"jsonrpc":"2\.0","id":(-?\d{1,16}|"[ !#-[\]-~]{0,80}"),"(?:result|error)":/;
const HEAD_BYTES = 128;

export interface LineEvents {
  /** An answer to a request of the client, by the id as it is written. */
  answer(id: string, bytes: Buffer): void;
  /** Anything else that came. */
  message(bytes: Buffer): void;
  closed(): void;
}

/** One connection to a daemon, or to what serves in its place, in lines. */
export class DaemonConnection {
  readonly stream: Duplex;
  readonly #own = new Map<string, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #events: LineEvents | undefined;
  #count = 0;
  /** It has said that it leaves: what it was asked is still answered, and it is asked nothing more. */
  isLeaving = false;

  constructor(stream: Duplex) {
    this.stream = stream;
    const splitter = new LineSplitter(() => MAX_LINE_BYTES, {
      line: (bytes) => this.#receive(bytes),
      overlong: () => stream.destroy(), // nobody would ever hear again: as if it were lost
    });
    stream.on('data', (chunk: Buffer) => splitter.push(chunk));
    stream.on('end', () => stream.end());
    stream.on('close', () => {
      for (const { reject } of this.#own.values()) reject(lost());
      this.#own.clear();
      this.#events?.closed();
    });
  }

  listen(events: LineEvents): void {
    this.#events = events;
  }

  /** False where whoever writes should wait for `drain`. */
  send(bytes: Buffer): boolean {
    return !this.stream.writable || writeLine(this.stream, bytes);
  }

  tell(message: object): void {
    this.send(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }

  /** A request of our own; the client sees nothing of it. */
  ask(method: string, params: unknown, limitMs = ANSWER_MS): Promise<unknown> {
    this.#count += 1;
    const id = `${OWN_ID}${this.#count}`;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#own.delete(id);
        reject(new PortolanError(ErrorCode.ConnectionError, `the daemon did not answer ${method}`));
      }, limitMs);
      const done = () => clearTimeout(limit);
      this.#own.set(id, {
        resolve: (value) => {
          done();
          resolve(value);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      if (this.stream.destroyed) this.#own.get(id)?.reject(lost());
      this.tell({ id, method, params });
    });
  }

  #receive(bytes: Buffer): void {
    const [, written] = ANSWER.exec(bytes.toString('latin1', 0, HEAD_BYTES)) ?? [];
    if (written === undefined) this.#events?.message(bytes);
    else if (written.startsWith(`"${OWN_ID}`)) this.#answered(written.slice(1, -1), bytes);
    else this.#events?.answer(written, bytes);
  }

  #answered(id: string, bytes: Buffer): void {
    const waiting = this.#own.get(id);
    this.#own.delete(id);
    const { result, error }: { result?: unknown; error?: { message?: string } } = JSON.parse(bytes.toString());
    if (error) waiting?.reject(new PortolanError(ErrorCode.ConnectionError, error.message ?? 'refused'));
    else waiting?.resolve(result);
  }
}

/** Writes a line in one stroke; false where whoever writes should wait for `drain`. */
export function writeLine(to: Writable, bytes: Buffer): boolean {
  // Most lines still have behind them the newline with which they came; not those in Node's pool, where others write behind them.
  if (bytes.buffer.byteLength !== Buffer.poolSize && bytes.byteOffset + bytes.length < bytes.buffer.byteLength) {
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length + 1);
    if (line[bytes.length] === NEWLINE) return to.write(line);
  }
  if (bytes.length <= MAX_COPIED_BYTES) {
    const line = Buffer.allocUnsafe(bytes.length + 1);
    bytes.copy(line);
    line[bytes.length] = NEWLINE;
    return to.write(line);
  }
  to.cork();
  to.write(bytes);
  const isTaken = to.write('\n');
  to.uncork();
  return isTaken;
}

function lost(): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, 'the daemon is gone');
}
