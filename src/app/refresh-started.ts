import type { AdmittedServer } from '../policy/index.js';
import type { Connection, PoolOptions } from '../upstream/index.js';

/** A delay, so that the list does not compete with the first calls. */
const SOON_MS = 1_000;

/** Reads a restarted server's tools in the background, because it may be another version than before. */
export function readingStarted(
  hooks: PoolOptions,
  read: (server: AdmittedServer, connection: Connection) => Promise<void>,
): PoolOptions {
  return {
    ...hooks,
    open: async (server, events, signal) => {
      const opened = await hooks.open(server, events, signal);
      // The next call reports the error.
      setTimeout(() => void read(server, opened.connection).catch(() => undefined), SOON_MS).unref();
      return opened;
    },
  };
}
