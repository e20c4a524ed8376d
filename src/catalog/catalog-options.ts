import type { Log } from '../base/index.js';
import type { Era } from '../model/index.js';
import type { AdmittedServer } from '../policy/index.js';
import type { Connection } from '../upstream/index.js';
import type { CatalogEntry } from './catalog-entry.js';
import type { Store } from './catalog-store.js';

/** `read`: a background reading, which waits in the queue. `inquiry`: a caller waits for it, so it starts at once. */
export type ReadingPurpose = 'inquiry' | 'read';

export interface CatalogOptions {
  readonly store: Store;
  /** Runs a function with an open connection. Rejects with `Cancelled` during shutdown. */
  readonly connected: <T>(
    server: AdmittedServer,
    act: (connection: Connection) => Promise<T>,
    purpose: ReadingPurpose,
    era?: Era,
  ) => Promise<T>;
  readonly ttlMs: () => number;
  readonly listMs: (server: AdmittedServer) => number;
  readonly changed: (entry: CatalogEntry, before: CatalogEntry | undefined) => void;
  readonly log: Log;
  readonly now?: () => number;
}
