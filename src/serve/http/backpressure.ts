import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { deadline } from '../../base/index.js';

/** A reader that takes less than a piece in this time is not reading. */
const STALL_MS = 30_000;
const PIECE_BYTES = 64 * 1024;
/** What may wait for one reader beside the one message that it is at. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** What may wait for all of them together. */
const MAX_ALL_BYTES = 512 * 1024 * 1024;

/** What waits to be read by anybody. */
export interface Waiting {
  bytes: number;
}

/**
 * Writes an answer as fast as its reader takes it. It is taken from its source at once all the same: what the source
 * keeps cannot be counted. A reader who lets too much pile up, or stops, is hung up on.
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
  const hangUp = () => {
    gone.abort();
    response.destroy();
    void reader.cancel().catch(() => undefined);
  };
  response.on('error', hangUp);
  response.once('close', hangUp);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (waiting > MAX_WAITING_BYTES || all.bytes > MAX_ALL_BYTES) return;
      for (let at = 0; at < value.byteLength; at += PIECE_BYTES) pieces.push(value.subarray(at, at + PIECE_BYTES));
      count(value.byteLength);
      if (!isWriting) written = write().catch(hangUp);
    }
    await written;
    if (!response.destroyed) response.end();
  } finally {
    response.off('close', hangUp);
    all.bytes -= waiting;
    if (!response.writableEnded) hangUp();
  }
}
