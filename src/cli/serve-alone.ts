import { Duplex, PassThrough } from 'node:stream';
import { type ServeOptions, serveClient } from '../app/index.js';
import type { OwnGateway } from '../bridge/index.js';

/** A gateway of this process alone, for a client that has lost its daemon for good. */
export function serveAlone(options: Omit<ServeOptions, 'input' | 'output'>): OwnGateway {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stream = Duplex.from({ writable: input, readable: output });
  stream.on('error', () => undefined); // its end is told by `close`
  // It may also have failed to begin: then the stream ends, and its client is told that nobody serves it.
  const over = serveClient({ ...options, input, output })
    .catch((error: Error) => options.log?.('error', 'cannot serve without a daemon', { error: error.message }))
    .then(() => void stream.destroy());
  return { stream, over };
}
