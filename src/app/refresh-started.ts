import type { AdmittedServer } from '../policy/index.js';
import type { Connection, PoolOptions } from '../upstream/index.js';

/** After the first calls: they shall not wait behind a list. */
const SOON_MS = 1_000;

/** Has what was started anew read in the background: it may be another than when it last ran, and its list looks fresh. */
export function readingStarted(
  tenant: PoolOptions,
  read: (server: AdmittedServer, connection: Connection) => Promise<void>,
): PoolOptions {
  return {
    ...tenant,
    open: async (server, events, signal) => {
      const opened = await tenant.open(server, events, signal);
      // What goes wrong with it shows in the next call.
      setTimeout(() => void read(server, opened.connection).catch(() => undefined), SOON_MS).unref();
      return opened;
    },
  };
}
