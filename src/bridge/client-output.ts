import type { Writable } from 'node:stream';
import type { RpcFault } from '../rpc/index.js';
import { type DaemonConnection, writeLine } from './daemon-connection.js';

/** The client's output stream. A daemon connection is paused while the client reads slowly (backpressure). */
export class ClientOutput {
  readonly #output: Writable;

  constructor(output: Writable) {
    this.#output = output;
  }

  write(bytes: Buffer, from?: DaemonConnection): void {
    const output = this.#output;
    if (!output.writable) return;
    if (writeLine(output, bytes) || !from || from.stream.isPaused()) return;
    from.stream.pause();
    output.once('drain', () => from.stream.resume());
  }

  /** `id` is JSON text. */
  refuse(id: string, fault: RpcFault): void {
    this.write(Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(fault)}}`));
  }
}
