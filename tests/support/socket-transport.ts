import { connect, type Socket } from 'node:net';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { LineSplitter } from '../../src/rpc/line-splitter.js';

/** A transport over the socket for clients of both SDK versions, which share the transport interface. */
export class SocketTransport {
  readonly #path: string;
  #socket: Socket | undefined;
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  constructor(path: string) {
    this.#path = path;
  }

  async start(): Promise<void> {
    const socket = connect(this.#path);
    await new Promise<void>((resolve, reject) => void socket.once('connect', resolve).once('error', reject));
    const lines = new LineSplitter(() => Number.POSITIVE_INFINITY, {
      line: (bytes) => this.onmessage?.(JSON.parse(bytes.toString())),
      overlong: () => undefined,
    });
    socket.on('data', (chunk: Buffer) => lines.push(chunk));
    socket.on('error', (error) => this.onerror?.(error));
    socket.on('close', () => this.onclose?.());
    this.#socket = socket;
  }

  async send(message: unknown): Promise<void> {
    this.#socket?.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#socket?.destroy();
  }
}
