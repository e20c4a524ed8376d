import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '../serve/index.js';
import { aborted, type ServingOptions, whileServing } from './gateway-serving.js';

export interface ServeOptions extends ServingOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** An earlier gateway kept something for this client, which is gone with it. */
  readonly lostState?: boolean;
  /** Aborted when the process is told to end. */
  readonly ending: AbortSignal;
}

/** Serves one client over stdio until it leaves or we are told to end; then lets calls finish and stops every server. */
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
