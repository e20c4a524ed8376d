import type { Readable, Writable } from 'node:stream';
import { jsonLine, jsonWord } from '../base/index.js';
import { type Channel, type ChannelListener, type Outgoing, toObject } from './channel.js';
import { MAX_AT_ONCE_BYTES, readLargeLine } from './large-line.js';
import { LineSplitter } from './line-splitter.js';
import { parseLine } from './message.js';
import { Outbox } from './outbox.js';

export interface StreamLimits {
  /** The maximum length of a line; longer ones are dropped. */
  readonly maxLineBytes: number;
  readonly maxDepth: number;
}

/** Allowed in a line besides its payload (arguments, result or files): method, id and metadata. */
export const ENVELOPE_BYTES = 64 * 1024;
/** The most that Node reads at once: after a chunk of this size, more data is probably waiting. */
const FULL_CHUNK_BYTES = 64 * 1024;
/** The time for an ended stream to finish; then it is destroyed. */
const FLUSH_MS = 2_000;

/** JSON messages, one per line, over a pair of pipes or a socket. */
export class StreamChannel implements Channel {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #outbox: Outbox;
  readonly #limits: () => StreamLimits;
  #listener: ChannelListener | undefined;
  /** Lines that arrived while a large line is being read, and the end of the stream if it was reached meanwhile. */
  #deferred: { readonly line: Buffer; readonly maxDepth: number }[] | undefined;
  #over: { readonly reason: Error | undefined } | undefined;
  #ended = false;
  #closing: Promise<void> | undefined;

  constructor(input: Readable, output: Writable, limits: () => StreamLimits) {
    this.#input = input;
    this.#output = output;
    this.#outbox = new Outbox(output);
    this.#limits = limits;
  }

  get backlogBytes(): number {
    return this.#outbox.backlogBytes;
  }

  start(listener: ChannelListener): void {
    this.#listener = listener;
    let limits = this.#limits();
    const splitter = new LineSplitter(() => limits.maxLineBytes, {
      line: (bytes) => {
        if (this.#deferred) this.#deferred.push({ line: bytes, maxDepth: limits.maxDepth });
        else if (bytes.length > MAX_AT_ONCE_BYTES) void this.#readApart(bytes, limits.maxDepth, listener);
        else for (const message of parseLine(bytes, limits.maxDepth)) listener.message(message);
      },
      overlong: (line) => listener.overlong(line),
    });
    this.#input.on('data', (chunk: Buffer) => {
      limits = this.#limits(); // they may change, but not within one chunk
      splitter.push(chunk);
      if (chunk.length >= FULL_CHUNK_BYTES) this.#yieldToOthers();
    });
    this.#input.on('end', () => {
      limits = this.#limits();
      splitter.end();
      this.#isOver(undefined);
    });
    for (const stream of [this.#input, this.#output]) {
      stream.on('error', (error) => this.#isOver(error));
      stream.on('close', () => this.#isOver(undefined));
    }
  }

  /** Pauses the input meanwhile, so that messages keep their order. */
  async #readApart(line: Buffer, maxDepth: number, listener: ChannelListener): Promise<void> {
    const deferred: { readonly line: Buffer; readonly maxDepth: number }[] = [{ line, maxDepth }];
    this.#deferred = deferred;
    this.#input.pause();
    for (let next = deferred.shift(); next; next = deferred.shift()) {
      for (const message of await readLargeLine(next.line, next.maxDepth)) if (!this.#ended) listener.message(message);
    }
    this.#deferred = undefined;
    if (this.#over) this.#end(this.#over.reason);
    else this.#input.resume();
  }

  send(message: Outgoing, isLast = false): void {
    this.#put(message);
    this.#outbox.endMessage(isLast);
  }

  #put(message: Outgoing): void {
    if (message.kind === 'result' && 'json' in message.answer) {
      const { id, answer } = message;
      const before = `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : jsonLine(id)},"result":`;
      if (typeof answer.json === 'string') this.#outbox.put(`${before}${answer.json}}\n`);
      else for (const part of [before, answer.json, '}\n']) this.#outbox.put(part);
    } else if (message.kind === 'request' && typeof message.id === 'number') {
      const text = message.text ?? (message.params && jsonLine(message.params));
      const params = text === undefined ? '' : `,"params":${text}`;
      this.#outbox.put(`{"jsonrpc":"2.0","id":${message.id},"method":${jsonWord(message.method)}${params}}\n`);
    } else this.#outbox.put(`${jsonLine(toObject(message))}\n`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#flush();
    return this.#closing;
  }

  async #flush(): Promise<void> {
    this.#outbox.flush();
    this.#end(undefined);
    await new Promise<void>((resolve) => {
      const giveUp = setTimeout(() => {
        this.#output.destroy();
        resolve();
      }, FLUSH_MS);
      giveUp.unref();
      this.#output.end(() => {
        clearTimeout(giveUp);
        resolve();
      });
    });
  }

  /** Node reads as long as data is available, so a peer that writes without pause would block all others. */
  #yieldToOthers(): void {
    this.#input.pause();
    setImmediate(() => {
      if (!this.#deferred) this.#input.resume();
    });
  }

  /** Delivers the messages that arrived before the end of the stream. */
  #isOver(reason: Error | undefined): void {
    if (this.#deferred) this.#over ??= { reason };
    else this.#end(reason);
  }

  #end(reason: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener?.onClose(reason);
  }
}
