import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { deadline } from '../../base/index.js';

/** A client that does not read one chunk within this time is disconnected. */
const STALL_MS = 30_000;
const PIECE_BYTES = 64 * 1024;
/** The buffer limit for one client, in addition to the message being sent. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** The buffer limit for all clients together. */
const MAX_ALL_BYTES = 512 * 1024 * 1024;

/** The bytes buffered for all clients. */
export interface Waiting {
  bytes: number;
}

/**
 * Writes a response as fast as its client reads. The source is drained at once, because only our own buffer can be
 * measured; a client that lets the buffer grow past the limit, or stops reading, is disconnected.
 */
export async function writeWithBackpressure(
  body: ReadableStream<Uint8Array>,
  response: ServerResponse,
  all: Waiting,
  stallMs = STALL_MS,
): Promise<void> {
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  const gone = new AbortController();
  let waiting = 0;
  let isWriting = false;
  let written = Promise.resolve();
  const count = (bytes: number) => {
    waiting += bytes;
    all.bytes += bytes;
  };
  const write = async () => {
    isWriting = true;
    for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
      if (!response.write(piece)) {
        using limit = deadline(stallMs, gone.signal);
        await once(response, 'drain', { signal: limit.signal });
      }
      count(-piece.byteLength);
    }
    isWriting = false;
  };
  const disconnect = () => {
    gone.abort();
    response.destroy();
    void reader.cancel().catch(() => undefined);
  };
  response.on('error', disconnect);
  response.once('close', disconnect);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (waiting > MAX_WAITING_BYTES || all.bytes > MAX_ALL_BYTES) return;
      for (let at = 0; at < value.byteLength; at += PIECE_BYTES) pieces.push(value.subarray(at, at + PIECE_BYTES));
      count(value.byteLength);
      if (!isWriting) written = write().catch(disconnect);
    }
    await written;
    if (!response.destroyed) response.end();
  } finally {
    response.off('close', disconnect);
    all.bytes -= waiting;
    if (!response.writableEnded) disconnect();
  }
}
