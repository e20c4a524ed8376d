import { Duplex, PassThrough } from 'node:stream';
import { type ServeOptions, serveClient } from '../app/index.js';
import type { OwnGateway } from '../bridge/index.js';

/** A gateway in this process, for a client whose daemon cannot be started again. */
export function serveAlone(options: Omit<ServeOptions, 'input' | 'output'>): OwnGateway {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stream = Duplex.from({ writable: input, readable: output });
  stream.on('error', () => undefined); // `close` reports the end
  // If the gateway cannot start, the stream ends and the bridge rejects the client's requests.
  const over = serveClient({ ...options, input, output })
    .catch((error: Error) => options.log?.('error', 'cannot serve without a daemon', { error: error.message }))
    .then(() => void stream.destroy());
  return { stream, over };
}
