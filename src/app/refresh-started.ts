import type { AdmittedServer } from '../policy/index.js';
import type { OpenServer, PoolOptions } from '../upstream/index.js';

/** A delay, so that the list does not compete with the first calls. */
const SOON_MS = 1_000;

/** Reads a restarted server's tools in the background, because it may be another version than before. */
export function readingStarted(
  hooks: PoolOptions,
  read: (server: AdmittedServer, opened: OpenServer) => Promise<void>,
): PoolOptions {
  return {
    ...hooks,
    open: async (server, events, signal, era) => {
      const opened = await hooks.open(server, events, signal, era);
      // The next call reports the error.
      setTimeout(() => void read(server, opened).catch(() => undefined), SOON_MS).unref();
      return opened;
    },
  };
}
