import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '../serve/index.js';
import { aborted, type ServingOptions, whileServing } from './gateway-serving.js';

export interface ServeOptions extends ServingOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** State of this client was lost with an earlier gateway. */
  readonly lostState?: boolean;
  /** Aborted on a shutdown signal. */
  readonly ending: AbortSignal;
}

/** Serves one client over stdio until it disconnects or the signal aborts; then finishes calls and stops all servers. */
export async function serveClient({
  input,
  output,
  ending,
  lostState = false,
  ...options
}: ServeOptions): Promise<void> {
  await whileServing(options, async ({ running, session: parts, limits, tell }) => {
    const session = serveStdio({ ...parts, input, output, limits, principal: 'stdio', lostState });
    running.rootsFrom(() => session.roots());
    using _told = tell((notice) => session.notice(notice));
    await Promise.race([session.ended, aborted(ending)]);
    await session.drain(running.gateway.view.settings.timeouts.shutdownMs);
    input.destroy();
  });
}
