import type { Duplex, Writable } from 'node:stream';
import { ErrorCode, isErrorCode, isObject, PortolanError } from '../base/index.js';
import { LineSplitter } from '../rpc/index.js';

/** The largest message of the daemon; it rejects larger results itself. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;
const ANSWER_MS = 10_000;
const NEWLINE = 0x0a;
/** Up to this size, copying the line costs less than a second write. */
const MAX_COPIED_BYTES = 64 * 1024;
/** A prefix that no client uses for its ids. */
const OWN_ID = 'portolan-pipe-';
/**
 * The prefix of a response; the daemon always writes the keys in this order. A response with an unusual id is parsed.
 */
const ANSWER = /^\{"jsonrpc":"2\.0","id":(-?\d{1,16}|"[ !#-[\]-~]{0,80}"),"(?:result|error)":/;
const HEAD_BYTES = 128;

export interface LineEvents {
  /** A response to a request of the client; `id` is JSON text. */
  answer(id: string, bytes: Buffer): void;
  /** Any other message. */
  message(bytes: Buffer): void;
  closed(): void;
}

/** A connection to a daemon (or to a gateway in this process) that carries one JSON-RPC message per line. */
export class DaemonConnection {
  readonly stream: Duplex;
  readonly #own = new Map<string, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #events: LineEvents | undefined;
  #count = 0;
  /** The daemon announced that it is leaving: it answers pending requests and gets no new ones. */
  isLeaving = false;
  /** The tools that change nothing, of which the daemon sends a list. Tools of servers are never in it. */
  readOnlyTools: ReadonlySet<string> = new Set();

  constructor(stream: Duplex) {
    this.stream = stream;
    const splitter = new LineSplitter(() => MAX_LINE_BYTES, {
      line: (bytes) => this.#receive(bytes),
      overlong: () => stream.destroy(), // no further message could be read, so treat the connection as lost
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

  /** Returns false if the caller should wait for `drain`. */
  send(bytes: Buffer): boolean {
    return !this.stream.writable || writeLine(this.stream, bytes);
  }

  tell(message: object): void {
    this.send(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }

  /** Sends a request of the bridge itself; the client does not see it. */
  ask(method: string, params: unknown, limitMs = ANSWER_MS): Promise<unknown> {
    this.#count += 1;
    const id = `${OWN_ID}${this.#count}`;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        this.#own.delete(id);
        reject(
          new PortolanError(ErrorCode.ConnectionError, `the daemon did not answer ${method}`, {
            hint: 'see its log with `portolan daemon logs`',
          }),
        );
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
    const { result, error }: { result?: unknown; error?: unknown } = JSON.parse(bytes.toString());
    if (error !== undefined) waiting?.reject(refusal(error));
    else waiting?.resolve(result);
  }
}

/** Writes a line and its newline in one write. Returns false if the caller should wait for `drain`. */
export function writeLine(to: Writable, bytes: Buffer): boolean {
  // Most lines are followed in memory by their original newline. In Node's buffer pool that byte may belong to
  // another buffer, so it is not used there.
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

/** The daemon's error, with its code and hint. */
export function refusal(error: unknown): PortolanError {
  const { message, data } = isObject(error) ? error : {};
  const { code, hint } = isObject(data) ? data : {};
  return new PortolanError(
    isErrorCode(code) ? code : ErrorCode.ConnectionError,
    typeof message === 'string' ? message : 'the daemon refused the request',
    typeof hint === 'string' ? { hint } : {},
  );
}

function lost(): PortolanError {
  return new PortolanError(ErrorCode.ConnectionError, 'the connection to the daemon is closed');
}
